// Package document knows the places of a Markdown text that a person can comment on: its
// headings, paragraphs, list items, table rows and lines of code.
//
// It is pure: text in, line numbers out. The rule that must hold here: a place is named by
// the number of its first line, counted from 1, and every line belongs to the last place
// that begins at it or above it. So whoever renders the text in whatever way only has to
// know from which line a part of it comes.
package document

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Document is a text with its places.
type Document struct {
	lines    []string
	places   []int // their first lines, in order
	headings []int // those of them that are headings
}

// begins matches a line that goes on with no paragraph: a heading, a list's item, a quote, a
// row of a table.
var begins = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(#{1,6}(\s|$)|[-*+]\s|\d{1,9}[.)]\s|>|\|)`) })

var (
	heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}#{1,6}(\s|$)`) })
	fence   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\s*(```+|~~~+)") })
	// idle matches a line that shows nothing: what parts the head of a table from its rows,
	// and what underlines a heading.
	idle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*|=+|-+)\s*$`) })
)

// Parse finds the places of a text whose lines end in \n.
func Parse(text string) *Document {
	d := &Document{lines: strings.Split(text, "\n")}
	open, within := "", false // the fence that is open, and whether the line above is of a paragraph
	for i, line := range d.lines {
		mark := strings.TrimSpace(fence().FindString(line))
		switch {
		case open != "":
			if strings.HasPrefix(mark, open) {
				open = ""
			} else if strings.TrimSpace(line) != "" {
				d.places = append(d.places, i+1)
			}
			continue
		case mark != "":
			open, within = mark, false
			continue
		case strings.TrimSpace(line) == "":
			within = false
			continue
		case idle().MatchString(line):
			if !within {
				continue
			}
			if last := d.Last(); !strings.Contains(line, "|") && !begins().MatchString(d.lines[last-1]) {
				d.headings, within = append(d.headings, last), false
			}
			continue
		}
		if !within || begins().MatchString(line) {
			d.places = append(d.places, i+1)
		}
		if within = !heading().MatchString(line); !within {
			d.headings = append(d.headings, i+1)
		}
	}
	if len(d.places) == 0 {
		d.places = []int{1}
	}
	return d
}

// Place returns the place that a line belongs to; the first for a line above all.
func (d *Document) Place(line int) int { return d.places[d.index(line)] }

func (d *Document) index(line int) int {
	i, found := slices.BinarySearch(d.places, line)
	if !found {
		i--
	}
	return max(0, i)
}

// Step returns the place so many places further, or back where by is negative, as far as
// there are such.
func (d *Document) Step(line, by int) int {
	return d.places[max(0, min(d.index(line)+by, len(d.places)-1))]
}

// Last returns the last place.
func (d *Document) Last() int { return d.places[len(d.places)-1] }

// Heading returns the next heading below a line, or above it where by is negative; the
// line's own place where there is none.
func (d *Document) Heading(line, by int) int {
	at := d.Place(line)
	i, found := slices.BinarySearch(d.headings, at)
	switch {
	case by < 0:
		i--
	case found:
		i++
	}
	if i < 0 || i >= len(d.headings) {
		return at
	}
	return d.headings[i]
}

// Find returns the next place whose text has words in it, in whichever case: from the line's
// own place on where by is 0, else below it (1) or above it (-1). It goes on around the end.
func (d *Document) Find(words string, line, by int) (place int, found bool) {
	words = strings.ToLower(strings.TrimSpace(words))
	n := len(d.places)
	for step := range n {
		i := ((d.index(line)+by+cmp.Or(by, 1)*step)%n + n) % n
		if words != "" && strings.Contains(strings.ToLower(plain.Replace(d.Quote(d.places[i]))), words) {
			return d.places[i], true
		}
	}
	return d.Place(line), false
}

// plain takes the marks away that Markdown has within a line, and joins lines.
var plain = strings.NewReplacer("**", "", "`", "", "\n", " ")

// Quote returns the text of a place, without blank lines at its end.
func (d *Document) Quote(place int) string {
	from, to := d.index(place), len(d.lines)
	if from+1 < len(d.places) {
		to = d.places[from+1] - 1
	}
	lines := d.lines[d.places[from]-1 : to]
	for i, line := range lines {
		if strings.TrimSpace(line) == "" || i > 0 && fence().MatchString(line) {
			return strings.Join(lines[:i], "\n")
		}
	}
	return strings.Join(lines, "\n")
}

// Package text decides what of a text from outside may reach a screen, and writes what
// stands beside it. It imports nothing but the standard library.
package text

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Visible makes a text from outside safe to put on a terminal: what could move
// a cursor, start an escape sequence, reorder what is read or hide something in
// it becomes a visible sign. Line breaks stay (as \n), tabs become four spaces.
//
// C0 controls and DEL become their pictures (U+2400…, U+2421); C1 controls,
// bidirectional overrides, embeddings and isolates (Unicode TR 9, the "Trojan
// Source" set) and whatever else has no sign of its own become ⟨U+202E⟩. Joiners
// stay where they join something, tag characters in the flags that are made of
// them, and MostMarks combining signs on one base; ⟨…⟩ stands for more of them.
func Visible(s string) string {
	if !strings.ContainsFunc(s, suspect) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var c cluster
	for i, r := range s {
		keep, rest := c.next(r, s[i:])
		switch {
		case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case keep:
			b.WriteRune(r)
		case rest: // ⟨…⟩ has been written for the first of them
		case c.marks > MostMarks:
			b.WriteString("⟨…⟩")
		default:
			b.WriteString(picture(r, s[i:]))
		}
	}
	return b.String()
}

// picture returns what stands for a rune that may not stay; at begins with it.
func picture(r rune, at string) string {
	switch {
	case r < 0x20:
		return string(0x2400 + r)
	case r == 0x7f:
		return "\u2421"
	case r == utf8.RuneError && !strings.HasPrefix(at, "\ufffd"): // no UTF-8
		return fmt.Sprintf("⟨0x%02X⟩", at[0])
	case r == utf8.RuneError:
		return "\ufffd"
	}
	return fmt.Sprintf("⟨U+%04X⟩", r)
}

// If returns yes where cond is true, and otherwise no.
func If[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

// Entered makes a text visible for an entry, where tabs stay. The person answers with
// it, so nothing may be in it that they do not see.
func Entered(s string) string {
	parts := strings.Split(s, "\t")
	for i, part := range parts {
		parts[i] = Visible(unselected(part))
	}
	return strings.Join(parts, "\t")
}

// unselected drops the variation selectors of ASCII signs that are no keycaps: they
// cannot be seen.
func unselected(s string) string {
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		keycap := i+1 < len(runes) && runes[i+1] == 0x20e3
		if r >= 0xfe0e && selects(r) && i > 0 && runes[i-1] < 0x80 && !keycap {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// MostMarks limits the combining signs on one base. Vietnamese, Hebrew with its points
// and Tibetan need up to five or so; a few dozen cover the rows above and below.
const MostMarks = 8

// cluster tracks the grapheme cluster that a text is in the middle of.
type cluster struct {
	last  rune // the one before
	marks int  // how many combining signs the base has, and the one that is too many
	flag  bool // it is a black flag and its tags
}

// next takes the next rune, which at begins with, and reports whether it may stay as
// it is, and if not, whether a sign for it is there already.
func (c *cluster) next(r rune, at string) (keep, rest bool) {
	last := c.last
	c.last = r
	c.flag = r == blackFlag || c.flag && isTag(r) && last != endOfTags
	if !isMark(r) && !joins(r) && !isTag(r) {
		c.marks = 0
	}
	switch {
	case unsafeRune(r):
		return false, false
	case isTag(r): // a flag takes seven at most, and one that ends it
		c.marks++
		return c.flag && c.marks <= MostMarks, false
	case joins(r):
		return joinable(last), false
	case selects(r):
		return selected(last, at), false
	case isMark(r):
		c.marks++
		first := last == 0 || last == '\n' // of its line
		return c.marks <= MostMarks && !first, c.marks > MostMarks+1
	}
	return true, false
}

// joinable reports whether a joiner may follow r: letters of the scripts that
// need them and signs of an emoji, not ASCII, the beginning or another joiner.
func joinable(r rune) bool {
	return r > 0x7f && !joins(r) && !unsafeRune(r) && !unicode.IsSpace(r)
}

// selected reports whether the variation selector that at begins with may follow r:
// one asks for a sign as text or as a picture, and of ASCII in a keycap. More of them
// would only hide something.
func selected(r rune, at string) bool {
	asks := strings.HasPrefix(at, "\ufe0e") || strings.HasPrefix(at, "\ufe0f")
	return asks && r > 0x7f && !selects(r) && !unsafeRune(r) || strings.HasPrefix(at, "\ufe0f\u20e3") && strings.ContainsRune("0123456789#*", r)
}

const (
	blackFlag = 0x1f3f4
	endOfTags = 0xe007f
)

func joins(r rune) bool  { return r == 0x200c || r == 0x200d }
func isTag(r rune) bool  { return r >= 0xe0020 && r <= 0xe007f }
func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) }

// selects reports whether r is a variation selector.
func selects(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f }

var selectors = strings.NewReplacer("\ufe0e", "", "\ufe0f", "")

// Bare drops variation selectors (U+FE0E, U+FE0F), which ask for a sign as text or as
// a picture. tmux and terminals do not agree how many cells a sign with one takes, so
// they go where cells are counted.
func Bare(s string) string { return selectors.Replace(s) }

// OneLine makes a text visible in one line: breaks and runs of blanks become one
// space, and what is longer than most runes ends in an ellipsis.
func OneLine(s string, most int) string {
	s = strings.Join(strings.Fields(Visible(s)), " ")
	if most > 0 && utf8.RuneCountInString(s) > most {
		r := []rune(s)
		s = string(r[:most-1]) + "…"
	}
	return s
}

var quotes = strings.NewReplacer("“", "\"", "”", "\"")

// Quoted puts a name from outside in quotes, in which nothing of ours stands and which
// it cannot end.
func Quoted(name string, most int) string {
	return "“" + quotes.Replace(OneLine(name, most)) + "”"
}

// Script names the asker where a shell's command line asks and no name is known.
const Script = "a script"

// Agent writes an agent's name among words of ours: one that could be taken for more
// than a name stands in quotes.
func Agent(name string, most int) string {
	more := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}
	if name == "" || name != Script && strings.ContainsFunc(name, more) {
		return Quoted(name, most)
	}
	return OneLine(name, most)
}

// Asker names an agent, and its machine where that is another.
func Asker(agent, machine string, most int) string {
	if agent = Agent(agent, most); machine != "" {
		agent += " on " + Agent(machine, 24)
	}
	return agent
}

// Tilde writes the home directory in a path as ~.
func Tilde(path string) string {
	home, err := os.UserHomeDir()
	if err == nil && home != "/" && (path == home || strings.HasPrefix(path, home+"/")) {
		return "~" + path[len(home):]
	}
	return path
}

// suspect reports whether Visible has to look at r more closely.
func suspect(r rune) bool {
	return r > 0x7e && (unsafeRune(r) || joins(r) || isTag(r) || isMark(r)) || r < 0x20 && r != '\n'
}

// unsafeRune reports whether r never stays as it is: nobody sees it, or it is seen as
// something else.
func unsafeRune(r rune) bool {
	switch {
	case joins(r), isTag(r), selects(r), r == '\n': // cluster.next decides
		return false
	case r == '\u2800', r == utf8.RuneError: // Braille without dots; also what is no UTF-8
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point)
}

// Elapsed writes a duration in its two largest units, rounded down, and in minutes where
// there are no seconds besides: 12s, 1m 05s, 2m, 3h 20m.
func Elapsed(d time.Duration) string {
	switch s := int(max(0, d).Seconds()); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600 && s%60 == 0:
		return fmt.Sprintf("%dm", s/60)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
	}
}

// Age writes a duration in its largest unit, rounded down: 12s, 4m, 3h, 2d.
func Age(d time.Duration) string {
	if d >= 24*time.Hour {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	largest, _, _ := strings.Cut(Elapsed(d), " ")
	return largest
}

// Package text is what of a text from outside may reach a screen, and how we write
// what stands beside it. It imports nothing but the standard library.
package text

import (
	"fmt"
	"strings"
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
		keep, rest := c.next(r)
		switch {
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case r == utf8.RuneError:
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
			} else {
				b.WriteRune(r)
			}
		case keep:
			b.WriteRune(r)
		case rest: // ⟨…⟩ has been written for the first of them
		case c.marks > MostMarks:
			b.WriteString("⟨…⟩")
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// Entered is Visible for a text that stands in an entry, where tabs stay. The
// person answers with it, so nothing may be in it that they do not see.
func Entered(s string) string {
	parts := strings.Split(s, "\t")
	for i, part := range parts {
		parts[i] = unselected(Visible(part))
	}
	return strings.Join(parts, "\t")
}

// unselected is s without the variation selectors of ASCII signs that are no
// keycaps: they cannot be seen.
func unselected(s string) string {
	if Bare(s) == s {
		return s
	}
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		keycap := i+1 < len(runes) && runes[i+1] == 0x20e3
		if selects(r) && i > 0 && runes[i-1] < 0x80 && !keycap {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// MostMarks is how many combining signs a base may have. Vietnamese, Hebrew with
// its points and Tibetan need up to five or so; from a few dozen on they cover
// the rows above and below.
const MostMarks = 8

// cluster follows the sign that a text is in the middle of.
type cluster struct {
	last  rune // the one before
	marks int  // how many combining signs the base has, and the one that is too many
	flag  bool // it is a black flag and its tags
}

// next takes the next rune and reports whether it may stay as it is, and if not,
// whether a sign for it is there already.
func (c *cluster) next(r rune) (keep, rest bool) {
	last, tag := c.last, r >= 0xe0020 && r <= 0xe007f
	c.last = r
	c.flag = r == blackFlag || c.flag && tag && last != endOfTags
	mark := unicode.In(r, unicode.Mn, unicode.Me)
	if !mark && !joins(r) && !tag {
		c.marks = 0
	}
	switch {
	case unsafeRune(r):
		return false, false
	case tag: // a flag takes seven at most, and one that ends it
		c.marks++
		return c.flag && c.marks <= MostMarks, false
	case joins(r):
		// Between letters of the scripts that need them, and signs of an emoji;
		// not between ASCII, at an end, or one after the other.
		return last > 0x7f && !joins(last) && !unsafeRune(last) && !unicode.IsSpace(last), false
	case selects(r):
		// One asks for a sign as text or as a picture, and of ASCII those that keycaps
		// are made of. More of them would only hide something.
		return (r == 0xfe0e || r == 0xfe0f) && (last > 0x7f && !selects(last) && !unsafeRune(last) || strings.ContainsRune("0123456789#*", last)), false
	case mark:
		c.marks++
		return c.marks <= MostMarks && last != 0 && last != '\n', c.marks > MostMarks+1
	}
	return true, false
}

const (
	blackFlag = 0x1f3f4
	endOfTags = 0xe007f
)

func joins(r rune) bool { return r == 0x200c || r == 0x200d }

// selects reports whether r is a variation selector.
func selects(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f }

// Bare is s without variation selectors (U+FE0E, U+FE0F), which ask for a sign as
// text or as a picture. tmux and terminals do not agree how many cells a sign with
// one takes, so where cells are counted it goes.
func Bare(s string) string {
	if !strings.Contains(s, "\ufe0e") && !strings.Contains(s, "\ufe0f") {
		return s
	}
	return strings.NewReplacer("\ufe0e", "", "\ufe0f", "").Replace(s)
}

// OneLine is Visible for places that have one line: breaks and runs of blanks
// become one space, and what is longer than most runes ends in an ellipsis.
func OneLine(s string, most int) string {
	s = strings.Join(strings.Fields(Visible(s)), " ")
	if most > 0 && utf8.RuneCountInString(s) > most {
		r := []rune(s)
		s = string(r[:most-1]) + "…"
	}
	return s
}

// Quoted is OneLine in quotes, which a name from outside stands in: nothing of
// ours does, and it cannot end them.
func Quoted(name string, most int) string {
	return "“" + quotes.Replace(OneLine(name, most)) + "”"
}

var quotes = strings.NewReplacer("“", "\"", "”", "\"")

// suspect are the runes that Visible has to look at more closely.
func suspect(r rune) bool {
	return r > 0x7e && (unsafeRune(r) || joins(r) || r >= 0xe0020 && r <= 0xe007f || unicode.In(r, unicode.Mn, unicode.Me)) || r < 0x20 && r != '\n'
}

// unsafeRune is what never stays as it is.
func unsafeRune(r rune) bool {
	switch {
	case r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == utf8.RuneError:
		return true
	case joins(r), r >= 0xe0020 && r <= 0xe007f: // see next
		return false
	case r == 0x2028 || r == 0x2029:
		return true
	case r == 0x2065, r >= 0xfff0 && r <= 0xfff8: // to be ignored, though nothing is assigned there yet
		return true
	case r == 0x034f, r >= 0x180b && r <= 0x180f, r >= 0x17b4 && r <= 0x17b5: // no sign of their own (Default_Ignorable)
		return true
	case r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800: // blanks that are no spaces: Hangul fillers, Braille without dots
		return true
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe: // noncharacters; tmux refuses a title with one
		return true
	case r >= 0xe0000 && r <= 0xe0fff: // what is left of Unicode's invisible plane, its variation selectors too
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

package form

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible makes a text from outside safe to put on a terminal: what could move
// a cursor, start an escape sequence or reorder what is read becomes a visible
// sign. Line breaks stay (as \n), tabs become four spaces.
//
// C0 controls and DEL become their pictures (U+2400…, U+2421); C1 controls,
// bidirectional overrides, embeddings and isolates (Unicode TR 9, the "Trojan
// Source" set) and other invisible format characters become ⟨U+202E⟩.
func Visible(s string) string {
	if !strings.ContainsFunc(s, unsafeRune) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for i, r := range s {
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
		case unsafeRune(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line is Visible for places that have one line: breaks and runs of blanks
// become one space, and what is longer than most runes ends in an ellipsis.
func Line(s string, most int) string {
	s = strings.Join(strings.Fields(Visible(s)), " ")
	if most > 0 && utf8.RuneCountInString(s) > most {
		r := []rune(s)
		s = string(r[:most-1]) + "…"
	}
	return s
}

func unsafeRune(r rune) bool {
	switch {
	case r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == utf8.RuneError:
		return true
	case r == 0x200c || r == 0x200d: // joiners: emoji and several scripts need them
		return false
	case r >= 0xe0020 && r <= 0xe007f: // tag characters: flag emoji use them
		return false
	case r == 0x2028 || r == 0x2029:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

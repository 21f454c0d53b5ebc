package screen

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// csi has a control sequence in its parts: CSI ? 1 ; 2 $ p has the shape ?$p and the
// parameters 1 and 2.
type csi struct {
	shape string
	ansi.Params
}

// parse takes a whole control sequence apart; one that was broken off has no shape.
func (s *Screen) parse(sequence []byte) csi {
	s.parser.Reset()
	for _, b := range sequence {
		s.parser.Advance(b)
	}
	cmd := ansi.Cmd(s.parser.Command())
	c := csi{Params: s.parser.Params()}
	if sequence[len(sequence)-1] == cmd.Final() {
		c.shape = strings.ReplaceAll(string([]byte{cmd.Prefix(), cmd.Intermediate(), cmd.Final()}), "\x00", "")
	}
	return c
}

// param returns the i-th parameter, or otherwise where it is left out.
func (c csi) param(i, otherwise int) int {
	n, _, _ := c.Param(i, otherwise)
	return n
}

// queries matches the sequences that a terminal answers: about itself, the cursor, its
// modes, size, colours and keyboard, and kitty's graphics unless told to be quiet.
var queries = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^\x1b(?:Z|\[(?:[>=]?[\d;]*c|\??[\d;]*n|\??[\d;]*\$p|>[\d;]*q|\?u|[\d;]*x|[\d;]*\*y|(?:1[1-9]|2[01])(?:;[\d;]*)?t)$|\](?:[45]|[125]\d|7501);(?:.*;)?\?|P[$+]q|_G.*a=q)`)
})

// asks reports whether a terminal answers the sequence.
func asks(sequence []byte) bool {
	last := sequence[len(sequence)-1] // a regular expression is slow for all that ends otherwise
	return strings.IndexByte("Zcnpquxyt\\\a", last) >= 0 && queries().Match(sequence)
}

// answer says what a program may wait for: that a terminal is there, and where its cursor is.
func (s *Screen) answer(query []byte) string {
	if bytes.HasPrefix(query, Question) {
		return Understood
	}
	c := s.parse(query)
	at, n := s.vt.CursorPosition(), c.param(0, 0)
	switch c.shape {
	case "c", "Z":
		return "\x1b[?62;22c"
	case "n", "?n":
		if n == 5 {
			return "\x1b[0n"
		} else if n == 6 {
			return fmt.Sprintf("\x1b[%s%d;%dR", c.shape[:len(c.shape)-1], at.Y+1, at.X+1)
		}
	}
	return ""
}

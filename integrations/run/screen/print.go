package screen

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// print writes text, and the control characters in it, to the emulator.
func (s *Screen) print(text []byte) {
	last := len(text) - 1
	if !s.state.is(modeInsert) && !bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		s.write(text[:last])
		s.printOne(text[last:], 1)
		return
	}
	text = bytes.ToValidUTF8(text, []byte("\uFFFD")) // of half a sign vt would wait for the rest
	for len(text) > 0 {
		cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if len(cluster) == 0 {
			cluster = text[:1]
		}
		s.printOne(cluster, width)
		text = text[len(cluster):]
	}
}

// printOne writes one sign or control character.
func (s *Screen) printOne(sign []byte, width int) {
	switch first := sign[0]; {
	case first < ' ' || first == 0x7f:
		s.write(sign)
		if first != bell && first != 0 {
			s.state.wraps = false
		}
	case width == 0: // belongs to the sign before
		s.combine(sign)
	default:
		s.printSign(sign, width)
	}
}

// printSign writes one sign, and sees whether the next one wraps.
func (s *Screen) printSign(sign []byte, width int) {
	right, wrapping := s.vt.Width()-1, s.state.is(modeWrap)
	before := s.vt.CursorPosition()
	if width == 2 && before.X == right && wrapping && !s.state.wraps {
		s.send(" ") // xterm leaves the cell and goes on in the next row
	}
	if s.state.is(modeInsert) {
		s.send(fmt.Sprintf("\x1b[%d@", width))
	}
	rest := sign[:0]
	if sign[0] < utf8.RuneSelf { // vt loses what combines with an ASCII sign
		sign, rest = sign[:1], sign[1:]
	}
	s.write(sign)
	after := s.vt.CursorPosition()
	s.state.wraps = wrapping && after.X == right && before.X == right && after.Y == before.Y
	if wrapping && width == 2 && before.X == right-1 && after.X == right { // vt does not know that the next one wraps
		wide := s.vt.CellAt(right-1, after.Y).Clone()
		s.send(" ")
		s.vt.SetCell(right-1, after.Y, wide)
		s.state.wraps = true
	}
	if len(rest) > 0 {
		s.combine(rest)
	}
}

// combine adds signs to the one before the cursor.
func (s *Screen) combine(more []byte) {
	at := s.vt.CursorPosition()
	if !s.state.wraps {
		at.X--
	}
	c := s.vt.CellAt(at.X, at.Y)
	if c != nil && c.Width == 0 && c.Content == "" {
		at.X--
		c = s.vt.CellAt(at.X, at.Y)
	}
	if c != nil && c.Content != "" && len(c.Content) < longestSign {
		c = c.Clone()
		c.Content += string(more)
		s.vt.SetCell(at.X, at.Y, c)
	}
}

// longestSign bounds, in bytes, what is piled onto one letter; no script needs so much.
const longestSign = 64

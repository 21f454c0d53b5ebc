package screen

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// translate notes what a whole sequence does, and hands it to the emulator in
// words that it understands.
func (s *Screen) translate(seq []byte) {
	switch last := seq[len(seq)-1]; {
	case last == cancel || last == subst:
	case seq[0] == shiftOut, seq[0] == shiftIn:
		s.state.shifted = seq[0] == shiftOut
		s.useCharset()
	case asks(seq):
		s.answer(seq)
	case len(seq) < 2:
	case seq[1] == '[':
		s.control(s.parse(seq), seq)
	case seq[1] == ']':
		s.command(seq)
	default:
		s.escape(seq)
	}
}

func (s *Screen) escape(seq []byte) {
	st := &s.state
	if seq[len(seq)-1] < 0x30 { // it was broken off
		return
	}
	switch seq[1] {
	case 'c':
		s.reset()
	case '7':
		s.save()
	case '8':
		s.restore()
		return
	case '=', '>':
		st.keypad = seq[1] == '='
	case 'E':
		seq = []byte("\r\x1bD")
		st.wraps = false
	case 'D', 'M':
		st.wraps = false
	case '(', ')':
		st.charsets[seq[1]-'('] = string(seq[2:])
		s.useCharset()
		return
	case 'P', 'X', '^', '_':
		return // strings: pictures and the like, which leave no cell
	}
	s.write(seq)
}

// useCharset has the emulator draw with the character set that is in use, as its G0:
// it has no SO.
func (s *Screen) useCharset() {
	used := s.state.charsets[0]
	if s.state.shifted {
		used = s.state.charsets[1]
	}
	s.write([]byte("\x1b(" + cmp.Or(used, "B")))
}

func (s *Screen) slot() int {
	if s.vt.IsAltScreen() {
		return 1
	}
	return 0
}

// region is the one that scrolls. Terminals differ in whether the two screens
// have one each; vt's have.
func (s *Screen) region() *region { return &s.state.regions[s.slot()] }

func (s *Screen) save() {
	p := s.vt.CursorPosition()
	s.state.saved[s.slot()] = &cursor{p.X, p.Y, s.state.pen}
}

func (s *Screen) restore() {
	s.write([]byte("\x1b8"))
	s.state.wraps, s.state.pen = false, uv.Style{}
	if c := s.state.saved[s.slot()]; c != nil {
		s.state.pen = c.pen
	}
}

// moveTo puts the emulator's cursor somewhere, whatever its origin is.
func (s *Screen) moveTo(p uv.Position) {
	origin := s.state.mode(modeOrigin)
	if origin {
		s.write([]byte("\x1b[?6l"))
	}
	s.write([]byte(ansi.CursorPosition(p.X+1, p.Y+1)))
	if origin {
		s.write([]byte("\x1b[?6h"))
	}
}

// control is a control sequence: what it leaves behind besides cells, and what the
// emulator does otherwise than xterm, is seen to here.
func (s *Screen) control(c csi, seq []byte) {
	if len(c.shape) != 1 {
		s.private(c)
		return
	}
	if !strings.Contains("mhlcnqtg", c.shape) {
		s.state.wraps = false
	}
	switch c.shape {
	case "m":
		uv.ReadStyle(c.Params, &s.state.pen)
		s.write(seq)
		return
	case "h", "l":
		for _, n := range c.Params {
			if n.Param(0) == 4 {
				s.state.insert = c.shape == "h"
			}
		}
	case "r":
		s.setMargins(c)
		return
	case "s":
		// With side margins it sets those. Only the emulator keeps them: programs that
		// use them set them anew each time.
		if !s.state.mode(modeSides) {
			s.save()
		}
	case "u":
		s.restore()
		return
	case "J":
		if c.param(0, 0) == 3 { // the scrollback, for which vt clears the screen too
			return
		}
	case "t": // does something to the window
		return
	}
	s.write(s.bounded(c))
}

// private are the sequences that draw nothing.
func (s *Screen) private(c csi) {
	st := &s.state
	switch c.shape {
	case "?h", "?l":
		for _, n := range c.Params {
			s.setMode(n.Param(-1), c.shape == "?h")
		}
	case ">m":
		if c.param(0, 0) == 4 {
			st.otherKeys = c.param(1, 0)
		}
	case ">u":
		st.keyboards++
	case "<u":
		st.keyboards = max(0, st.keyboards-max(c.param(0, 1), 1))
	case "=u":
		if c.param(0, 0) != 0 && st.keyboards == 0 {
			st.keyboards = 1
		}
	case "!p":
		s.softReset()
	}
}

func (s *Screen) setMargins(c csi) {
	height := s.vt.Height()
	top, bottom := max(c.param(0, 1), 1), c.param(1, height)
	if bottom < 1 || bottom > height {
		bottom = height
	}
	if top < bottom {
		*s.region() = region{top - 1, bottom}
		s.write(fmt.Appendf(nil, "\x1b[%d;%dr", top, bottom))
	}
}

// bounded is a sequence whose numbers are no larger than a screen is: the
// emulator does, one by one, what it is told to repeat.
func (s *Screen) bounded(c csi) []byte {
	most := max(s.vt.Width(), s.vt.Height())
	if c.shape == "b" {
		most = s.vt.Width() * s.vt.Height()
	}
	var words []string
	for _, p := range c.Params {
		word := ""
		if n := p.Param(-1); n >= 0 {
			word = strconv.Itoa(min(n, most))
		}
		words = append(words, word)
	}
	return []byte("\x1b[" + strings.Join(words, ";") + c.shape)
}

// command notes the title and the hyperlink.
func (s *Screen) command(seq []byte) {
	body := seq[2:]
	for _, end := range []string{"\a", "\x1b\\"} {
		body = bytes.TrimSuffix(body, []byte(end))
	}
	number, text, _ := strings.Cut(string(body), ";")
	switch number {
	case "0", "2":
		s.state.title, s.state.titled = text, true
	case "8":
		s.state.link = text
		if strings.HasSuffix(text, ";") || !strings.Contains(text, ";") {
			s.state.link = ""
		}
		s.write(seq)
	}
}

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

func (s *Screen) control(c csi, seq []byte) {
	if len(c.shape) == 1 && !strings.Contains("mhlcnqtg", c.shape) {
		s.state.wraps = false
	}
	if effect := effects[c.shape]; effect != nil && !effect(s, c) {
		return
	}
	if len(c.shape) == 1 { // the others draw nothing
		s.write(s.bounded(c, seq))
	}
}

// effects are the control sequences that leave something behind besides cells, or
// that the emulator does otherwise than xterm. Each reports whether the emulator gets
// the sequence too.
var effects = map[string]func(*Screen, csi) bool{
	"?h": func(s *Screen, c csi) bool { return s.setModes(c, true) },
	"?l": func(s *Screen, c csi) bool { return s.setModes(c, false) },
	"h":  (*Screen).ansiModes,
	"l":  (*Screen).ansiModes,
	">m": (*Screen).modifyKeys,
	">u": (*Screen).keyboard,
	"<u": (*Screen).keyboard,
	"=u": (*Screen).keyboard,
	"!p": (*Screen).softReset,
	"m":  (*Screen).setPen,
	"r":  (*Screen).setMargins,
	"s":  (*Screen).saveOrSides,
	"u":  func(s *Screen, _ csi) bool { s.restore(); return false },
	"J":  (*Screen).erase,
	"t":  func(*Screen, csi) bool { return false }, // window operations
}

func (s *Screen) modifyKeys(c csi) bool {
	if c.param(0, 0) == 4 {
		s.state.otherKeys = c.param(1, 0)
	}
	return false
}

func (s *Screen) setPen(c csi) bool {
	uv.ReadStyle(c.Params, &s.state.pen)
	return true
}

func (s *Screen) setMargins(c csi) bool {
	height := s.vt.Height()
	top, bottom := max(c.param(0, 1), 1), c.param(1, height)
	if bottom < 1 || bottom > height {
		bottom = height
	}
	if top < bottom {
		*s.region() = region{top - 1, bottom}
		s.write(fmt.Appendf(nil, "\x1b[%d;%dr", top, bottom))
	}
	return false
}

// saveOrSides saves the cursor, or, where there are side margins, sets those, which
// the emulator alone knows: programs that use them set them anew each time.
func (s *Screen) saveOrSides(csi) bool {
	if !s.state.mode(modeSides) {
		s.save()
	}
	return true
}

// bounded is a sequence whose numbers are no larger than a screen is: the
// emulator does, one by one, what it is told to repeat.
func (s *Screen) bounded(c csi, seq []byte) []byte {
	most := max(s.vt.Width(), s.vt.Height())
	if c.shape == "b" {
		most = s.vt.Width() * s.vt.Height()
	}
	if c.shape == "m" {
		return seq
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

// erase is ED where vt does it otherwise than xterm: 1 takes the rest of the
// row with it there, and 3 the whole screen.
func (s *Screen) erase(c csi) bool {
	switch c.param(0, 0) {
	case 1:
		blank := uv.EmptyCell
		blank.Style.Bg = s.state.pen.Bg
		for y := range s.vt.CursorPosition().Y {
			for x := range s.vt.Width() {
				s.vt.SetCell(x, y, &blank)
			}
		}
		s.write([]byte("\x1b[1K"))
		return false
	case 3:
		s.vt.ClearScrollback()
		return false
	}
	return true
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

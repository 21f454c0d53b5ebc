package screen

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// translate notes what a whole sequence does, and hands it to the emulator in
// words that it understands.
func (s *Screen) translate(seq []byte) {
	switch last := seq[len(seq)-1]; {
	case last == cancel || last == subst:
	case seq[0] == shiftOut, seq[0] == shiftIn:
		s.shift(seq[0] == shiftOut)
	case asks(seq):
		s.answer(seq)
	case len(seq) < 2:
	case seq[1] == '[':
		if c, ok := parseCSI(seq); ok {
			s.control(c, seq)
		}
	case seq[1] == ']':
		s.command(seq)
	default:
		s.escape(seq)
	}
}

func (s *Screen) escape(seq []byte) {
	st := &s.state
	if seq[len(seq)-1] < 0x30 && seq[1] != 'P' { // it was broken off
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
		st.wraps, s.wide = false, false
	case 'D', 'M':
		st.wraps, s.wide = false, false
	case '(', ')', '*', '+':
		if len(seq) == 3 {
			s.designate(int(seq[1]-'('), string(seq[2:]))
			return
		}
	case 'P', 'X', '^', '_':
		return // strings: pictures and the like, which leave no cell
	}
	s.write(seq)
}

// designate and shift keep G0 and G1 themselves, since vt has no SO: what is in
// use is always its G0.
func (s *Screen) designate(set int, charset string) {
	s.state.charsets[set] = charset
	s.shift(s.state.shifted)
}

func (s *Screen) shift(out bool) {
	s.state.shifted = out
	used := s.state.charsets[0]
	if out {
		used = s.state.charsets[1]
	}
	if used == "" {
		used = "B"
	}
	s.write([]byte("\x1b(" + used))
}

func (s *Screen) slot() int {
	if s.vt.IsAltScreen() {
		return 1
	}
	return 0
}

// region is the one that scrolls. Terminals differ in whether the two screens
// have one each; vt's have.
func (s *Screen) region() *uv.Rectangle { return &s.state.regions[s.slot()] }

func (s *Screen) save() {
	p := s.vt.CursorPosition()
	s.state.saved[s.slot()] = &cursor{p.X, p.Y, s.state.pen, s.state.wraps}
}

func (s *Screen) restore() {
	s.write([]byte("\x1b8"))
	s.state.wraps, s.wide = false, false
	if c := s.state.saved[s.slot()]; c != nil {
		s.state.pen = c.pen
		s.wrapsAgain(c)
	} else {
		s.state.pen = uv.Style{}
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
	st := &s.state
	if c.prefix == 0 && c.inter == "" && strings.IndexByte("mhlcnqtg", c.final) < 0 {
		st.wraps, s.wide = false, false
	}
	switch {
	case c.prefix == '?' && c.inter == "" && (c.final == 'h' || c.final == 'l'):
		for _, n := range c.params {
			s.setMode(n, c.final == 'h')
		}
		return
	case c.prefix == '?' && c.inter == "" && c.final == 's':
		for _, n := range c.params {
			st.stashed[n] = st.mode(n)
		}
		return
	case c.prefix == '?' && c.inter == "" && c.final == 'r':
		for _, n := range c.params {
			if on, ok := st.stashed[n]; ok {
				s.setMode(n, on)
			}
		}
		return
	case c.prefix == '>' && c.inter == "" && c.final == 'm' && c.param(0, 0) == 4:
		st.otherKeys = c.param(1, 0)
		return
	case c.inter == "" && c.final == 'u' && c.prefix != 0:
		s.keyboard(c)
		return
	case c.inter == "!" && c.final == 'p':
		s.softReset()
		return
	case c.prefix != 0 || c.inter != "" && c.inter != " ":
		return // nothing that draws
	}
	s.plain(c, seq)
}

// plain are the sequences without a prefix.
func (s *Screen) plain(c csi, seq []byte) {
	st := &s.state
	switch c.final {
	case 'h', 'l':
		for _, n := range c.params {
			switch n {
			case 4:
				st.insert = c.final == 'h'
			case 20:
				st.newline = c.final == 'h'
			}
		}
	case 'm':
		uv.ReadStyle(parameters(c.text), &st.pen)
	case 'r':
		height := s.vt.Height()
		top, bottom := max(c.param(0, 1), 1), c.param(1, height)
		if bottom < 1 || bottom > height {
			bottom = height
		}
		if top >= bottom {
			return
		}
		s.region().Min.Y, s.region().Max.Y = top-1, bottom
		seq = fmt.Appendf(nil, "\x1b[%d;%dr", top, bottom)
	case 's':
		if !st.mode(modeSides) {
			s.save()
			break
		}
		width := s.vt.Width()
		left, right := max(c.param(0, 1), 1), c.param(1, width)
		if right < 1 || right > width {
			right = width
		}
		if left < right {
			s.region().Min.X, s.region().Max.X = left-1, right
		}
	case 'u':
		s.restore()
		return
	case 'J':
		if s.erase(c.param(0, 0)) {
			return
		}
	case 't':
		return // window operations
	}
	s.write(s.bounded(c, seq))
}

// bounded is a sequence whose numbers are no larger than a screen is: the
// emulator does, one by one, what it is told to repeat.
func (s *Screen) bounded(c csi, seq []byte) []byte {
	most := max(s.vt.Width(), s.vt.Height())
	if c.final == 'b' {
		most = s.vt.Width() * s.vt.Height()
	}
	if c.final == 'm' || slices.Max(c.params) <= most {
		return seq
	}
	words := make([]string, len(c.params))
	for i, n := range c.params {
		if n >= 0 {
			words[i] = strconv.Itoa(min(n, most))
		}
	}
	return []byte("\x1b[" + strings.Join(words, ";") + c.inter + string(c.final))
}

// erase is ED where vt does it otherwise than xterm: 1 takes the rest of the
// row with it there, and 3 the whole screen.
func (s *Screen) erase(what int) bool {
	switch what {
	case 1:
		blank := uv.EmptyCell
		blank.Style.Bg = s.state.pen.Bg
		for y := range s.vt.CursorPosition().Y {
			for x := range s.vt.Width() {
				s.vt.SetCell(x, y, &blank)
			}
		}
		s.write([]byte("\x1b[1K"))
		return true
	case 3:
		s.vt.ClearScrollback()
		return true
	}
	return false
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

// answer says what a terminal would, of what can be known here: what it is,
// that it works, where the cursor is and how large it is. Colours cannot.
func (s *Screen) answer(seq []byte) {
	if s.Answer == nil || len(seq) > 1 && seq[1] != '[' && seq[1] != 'Z' {
		return
	}
	c, _ := parseCSI(seq)
	at := s.vt.CursorPosition()
	switch {
	case seq[1] == 'Z', c.final == 'c' && c.prefix == 0:
		s.Answer("\x1b[?62;22c")
	case c.final == 'c' && c.prefix == '>':
		s.Answer("\x1b[>1;10;0c")
	case c.final == 'n' && c.prefix == 0 && c.param(0, 0) == 5:
		s.Answer("\x1b[0n")
	case c.final == 'n' && c.prefix == 0 && c.param(0, 0) == 6:
		s.Answer(fmt.Sprintf("\x1b[%d;%dR", at.Y+1, at.X+1))
	case c.final == 'n' && c.prefix == '?' && c.param(0, 0) == 6:
		s.Answer(fmt.Sprintf("\x1b[?%d;%dR", at.Y+1, at.X+1))
	case c.final == 'p' && c.prefix == '?':
		n, value := c.param(0, 0), 0
		if on, known := s.state.modes[n]; known {
			value = 2
			if on {
				value = 1
			}
		}
		s.Answer(fmt.Sprintf("\x1b[?%d;%d$y", n, value))
	case c.final == 't' && c.param(0, 0) == 18:
		s.Answer(fmt.Sprintf("\x1b[8;%d;%dt", s.vt.Height(), s.vt.Width()))
	}
}

// parameters is what the emulator's own reader of SGR takes.
func parameters(text string) ansi.Params {
	var params ansi.Params
	for i, word := range strings.Split(text, ";") {
		if i > 0 || word != "" || strings.Contains(text, ";") {
			subs := strings.Split(word, ":")
			for j, sub := range subs {
				n, err := strconv.Atoi(sub)
				if err != nil {
					n = parser.MissingParam
				}
				if j < len(subs)-1 {
					n |= parser.HasMoreFlag
				}
				params = append(params, ansi.Param(n))
			}
		}
	}
	return params
}

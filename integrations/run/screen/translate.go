package screen

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// translate notes what a whole sequence does, and hands it to the emulator in
// words that it understands.
func (s *Screen) translate(seq []byte) {
	switch last := seq[len(seq)-1]; {
	case last == cancel || last == subst:
	case bytes.HasPrefix(seq, report):
		s.command(seq)
	case asks(seq):
	case seq[0] == shiftOut, seq[0] == shiftIn:
		s.state.modes[shifted] = seq[0] == shiftOut
		s.useCharset()
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
		return
	case '8':
		s.restore()
		return
	case '=', '>':
		st.modes[keypad] = seq[1] == '='
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
	if s.state.is(shifted) {
		used = s.state.charsets[1]
	}
	s.send("\x1b(" + cmp.Or(used, "B"))
}

// useLink has the emulator draw with the link that is open: it saves one with each
// cursor, and has one for each screen.
func (s *Screen) useLink() { s.send("\x1b]8;" + cmp.Or(s.state.link, ";") + "\x1b\\") }

// slot numbers the screen in use: the main or the alternate one.
func (st *state) slot() int {
	if st.is(modeAlt) {
		return 1
	}
	return 0
}

// region returns the one that scrolls. Terminals differ in whether the two screens have one
// each; vt's have.
func (st *state) region() *region { return &st.regions[st.slot()] }

func (s *Screen) save() {
	s.send("\x1b7")
	s.state.saved[s.state.slot()] = &cursor{s.vt.CursorPosition(), s.state.pen}
}

func (s *Screen) restore() {
	s.send("\x1b8")
	s.useLink()
	s.state.wraps, s.state.pen = false, uv.Style{}
	if c := s.state.saved[s.state.slot()]; c != nil {
		s.state.pen = c.pen
	}
}

// moveTo puts the emulator's cursor somewhere, whatever its origin is.
func (s *Screen) moveTo(p uv.Position) {
	s.send(turn(&s.state, &state{}, modeOrigin) + ansi.CursorPosition(p.X+1, p.Y+1) + turn(&state{}, &s.state, modeOrigin))
}

// control follows a control sequence: what it leaves behind besides cells, and what the
// emulator does otherwise than xterm.
func (s *Screen) control(c csi, seq []byte) {
	st := &s.state
	if len(c.shape) == 1 && !strings.Contains("mhlcnqtg", c.shape) {
		st.wraps = false
	}
	switch c.shape {
	case "m":
		uv.ReadStyle(c.Params, &st.pen)
		s.write(seq)
	case "h", "l", "?h", "?l":
		which, how := c.shape[:len(c.shape)-1], c.shape[len(c.shape)-1]
		for _, n := range c.Params {
			s.setMode(which+strconv.Itoa(n.Param(0)), how == 'h')
		}
	case "r":
		s.setMargins(c, s.vt.Height())
	case "s":
		// With side margins it sets those. Only the emulator keeps them: programs that
		// use them set them anew each time.
		if st.is(modeSides) {
			s.setMargins(c, s.vt.Width())
		} else {
			s.save()
		}
	case "u":
		s.restore()
	case "t": // does something to the window
	default:
		scrollback := c.shape == "J" && c.param(0, 0) == 3 // for which vt clears the screen too
		if len(c.shape) == 1 && !scrollback {
			s.write(tooLarge().ReplaceAll(seq, []byte("9999")))
		}
		s.private(c)
	}
}

// private follows the sequences that draw nothing.
func (s *Screen) private(c csi) {
	st := &s.state
	switch c.shape {
	case ">m":
		if c.param(0, 0) == 4 {
			st.otherKeys = c.param(1, 0)
		}
	case ">u":
		st.keyboards++
	case "<u":
		st.keyboards = max(0, st.keyboards-max(c.param(0, 1), 1))
	case "=u":
		st.keyboards = max(st.keyboards, min(c.param(0, 0), 1))
	}
}

// tooLarge matches numbers larger than any screen: the emulator does, one by one, what it is
// told to repeat.
var tooLarge = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{5,}`) })

// setMargins sets those of the rows (r) or the columns (s), of which there are size. The
// emulator falls over where one is beyond them.
func (s *Screen) setMargins(c csi, size int) {
	first, last := max(c.param(0, 1), 1), min(cmp.Or(c.param(1, 0), size), size)
	if first < last && c.shape == "r" {
		*s.state.region() = region{first - 1, last}
	}
	if first < last {
		s.send(fmt.Sprintf("\x1b[%d;%d%s", first, last, c.shape))
	}
}

// command notes the title, the hyperlink and the report.
func (s *Screen) command(seq []byte) {
	body := bytes.TrimSuffix(bytes.TrimSuffix(seq[2:], []byte("\a")), []byte("\x1b\\"))
	number, text, _ := strings.Cut(string(body), ";")
	switch number {
	case "0", "2":
		s.state.title, s.state.titled = text, true
	case "7501":
		if !bytes.HasPrefix(seq, Question) {
			s.status = text
		}
	case "8":
		s.state.link = text
		if strings.HasSuffix(text, ";") || !strings.Contains(text, ";") {
			s.state.link = ""
		}
		s.write(seq)
	}
}

package screen

import (
	"fmt"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// change has the emulator change one of its own modes.
func (s *Screen) change(n int, on bool) { s.write([]byte(setting(n, on))) }

// setting sets or resets a DEC private mode.
func setting(n int, on bool) string {
	if on {
		return fmt.Sprintf("\x1b[?%dh", n)
	}
	return fmt.Sprintf("\x1b[?%dl", n)
}

func (s *Screen) setMode(n int, on bool) {
	if n < 0 {
		return
	}
	st := &s.state
	switch n {
	case 47, 1047, modeAlt:
		s.setAlternate(n, on)
	case modeOrigin:
		st.modes[n] = on
		s.change(n, on)
		s.write([]byte("\x1b[H")) // goes home; vt stays
	case modeWrap, modeShown, modeSides:
		st.modes[n] = on
		s.change(n, on)
	default: // vt has no use for it, and would answer to modeResize at once
		st.modes[n] = on
	}
}

// setAlternate goes to the alternate screen, or back. With 1049 the cursor is saved
// before and restored after it; with the older modes it stays where it is. vt goes
// home, and has a pen for each screen.
func (s *Screen) setAlternate(n int, on bool) {
	st, at := &s.state, s.vt.CursorPosition()
	if n != modeAlt {
		s.change(1047, on)
		s.moveTo(at)
		s.penIs(st.pen)
		st.modes[modeAlt] = on
		return
	}
	if on && !s.vt.IsAltScreen() {
		s.save()
	}
	s.change(n, on)
	if on {
		s.moveTo(at)
	} else if c := st.saved[0]; c != nil {
		s.moveTo(uv.Pos(c.x, c.y))
		s.penIs(c.pen)
	}
	st.modes[modeAlt] = on
}

// penIs makes pen the one that is drawn with.
func (s *Screen) penIs(pen uv.Style) {
	s.state.pen = pen
	s.write([]byte(ansi.ResetStyle + pen.String()))
}

// softReset is DECSTR: everything but the cells and the cursor's place.
func (s *Screen) softReset() {
	at, modes := s.vt.CursorPosition(), s.state.modes
	keyboards, otherKeys := s.state.keyboards, s.state.otherKeys
	s.reset()
	s.state.keyboards, s.state.otherKeys, s.state.modes = keyboards, otherKeys, modes
	for _, n := range []int{modeKeys, modeOrigin, modeSides} {
		modes[n] = false
	}
	modes[modeWrap], modes[modeShown] = true, true
	s.write([]byte("\x1b[?6;69l\x1b[?7;25h\x1b[r\x1b[m\x1b(B"))
	s.moveTo(at)
}

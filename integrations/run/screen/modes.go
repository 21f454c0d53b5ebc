package screen

import (
	"cmp"
	"fmt"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

func (s *Screen) setMode(n int, on bool) {
	if n < 0 {
		return
	}
	st := &s.state
	at := s.vt.CursorPosition()
	change := func(n int) { s.write(fmt.Appendf(nil, "\x1b[?%d%c", n, map[bool]byte{true: 'h', false: 'l'}[on])) }
	switch n {
	case 47, 1047:
		change(1047)
		s.moveTo(at) // vt goes home, and has a pen for each screen
		s.penIs(st.pen)
		st.modes[modeAlt] = on
	case modeAlt:
		if on && !s.vt.IsAltScreen() {
			s.save()
		}
		change(n)
		if on {
			s.moveTo(at)
		} else if c := st.saved[0]; c != nil {
			s.moveTo(uv.Pos(c.x, c.y))
			s.penIs(c.pen)
			s.wrapsAgain(c)
		}
		st.modes[modeAlt] = on
	case 1048:
		if on {
			s.save()
			s.write([]byte("\x1b7"))
		} else {
			s.restore()
		}
	case modeOrigin, modeSides:
		st.modes[n] = on
		if n == modeSides && !on {
			s.region().Min.X, s.region().Max.X = 0, s.vt.Width()
		}
		change(n)
		if n == modeOrigin { // goes home; vt stays
			s.write([]byte("\x1b[H"))
		}
	case modeWrap, modeShown:
		st.modes[n] = on
		change(n)
	default: // vt has no use for it, and would answer to modeResize at once
		st.modes[n] = on
	}
}

// wrapsAgain makes the emulator wrap with the next sign, where it was to when the
// cursor was saved: by drawing once more what is in the last column.
func (s *Screen) wrapsAgain(c *cursor) {
	if !c.wraps {
		return
	}
	x, cell := c.x, s.vt.CellAt(c.x, c.y)
	if cell != nil && cell.Width == 0 && cell.Content == "" && x > 0 {
		x--
		cell = s.vt.CellAt(x, c.y)
	}
	if cell == nil {
		return
	}
	again := *cell
	s.moveTo(uv.Pos(x, c.y))
	s.write([]byte(ansi.ResetStyle + again.Style.String() + cmp.Or(again.Content, " ")))
	s.vt.SetCell(x, c.y, &again)
	s.penIs(c.pen)
	s.state.wraps, s.wide = true, again.Width == 2
}

// penIs makes pen the one that is drawn with.
func (s *Screen) penIs(pen uv.Style) {
	s.state.pen = pen
	s.write([]byte(ansi.ResetStyle + pen.String()))
}

// keyboard counts what kitty's keyboard protocol has pushed.
func (s *Screen) keyboard(c csi) {
	st := &s.state
	switch c.prefix {
	case '>':
		st.keyboards++
	case '<':
		st.keyboards = max(0, st.keyboards-max(c.param(0, 1), 1))
	case '=':
		if c.param(0, 0) != 0 && st.keyboards == 0 {
			st.keyboards = 1
		}
	}
}

// softReset is DECSTR: everything but the cells and the cursor's place.
func (s *Screen) softReset() {
	st, at := &s.state, s.vt.CursorPosition()
	st.insert, st.keypad, st.shifted, st.charsets, st.saved = false, false, false, [4]string{}, [2]*cursor{}
	for _, n := range []int{modeKeys, modeOrigin, modeSides} {
		st.modes[n] = false
	}
	st.modes[modeWrap], st.modes[modeShown] = true, true
	st.pen, *s.region() = uv.Style{}, s.vt.Bounds()
	s.write([]byte("\x1b[?6;69l\x1b[?7;25h\x1b[r\x1b[m\x1b(B"))
	s.moveTo(at)
}

package screen

import (
	"cmp"
	"fmt"
	"slices"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

func (s *Screen) setModes(c csi, on bool) bool {
	for _, n := range c.params {
		s.setMode(n, on)
	}
	return false
}

func (s *Screen) stashModes(c csi) bool {
	for _, n := range c.params {
		s.state.stashed[n] = s.state.mode(n)
	}
	return false
}

func (s *Screen) unstashModes(c csi) bool {
	for _, n := range c.params {
		if on, ok := s.state.stashed[n]; ok {
			s.setMode(n, on)
		}
	}
	return false
}

// ansiModes are those without a question mark.
func (s *Screen) ansiModes(c csi) bool {
	on := c.shape == "h"
	if slices.Contains(c.params, 4) {
		s.state.insert = on
	}
	if slices.Contains(c.params, 20) {
		s.state.newline = on
	}
	return true
}

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
	case 1048:
		if on {
			s.save()
			s.write([]byte("\x1b7"))
		} else {
			s.restore()
		}
	case modeOrigin:
		st.modes[n] = on
		s.change(n, on)
		s.write([]byte("\x1b[H")) // goes home; vt stays
	case modeSides:
		st.modes[n] = on
		if !on {
			s.region().Min.X, s.region().Max.X = 0, s.vt.Width()
		}
		s.change(n, on)
	case modeWrap, modeShown:
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
		s.wrapsAgain(c)
	}
	st.modes[modeAlt] = on
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
func (s *Screen) keyboard(c csi) bool {
	st := &s.state
	switch c.shape {
	case ">u":
		st.keyboards++
	case "<u":
		st.keyboards = max(0, st.keyboards-max(c.param(0, 1), 1))
	case "=u":
		if c.param(0, 0) != 0 && st.keyboards == 0 {
			st.keyboards = 1
		}
	}
	return false
}

// softReset is DECSTR: everything but the cells and the cursor's place.
func (s *Screen) softReset(csi) bool {
	st, at := &s.state, s.vt.CursorPosition()
	st.insert, st.keypad, st.shifted, st.charsets, st.saved = false, false, false, [4]string{}, [2]*cursor{}
	for _, n := range []int{modeKeys, modeOrigin, modeSides} {
		st.modes[n] = false
	}
	st.modes[modeWrap], st.modes[modeShown] = true, true
	st.pen, *s.region() = uv.Style{}, s.vt.Bounds()
	s.write([]byte("\x1b[?6;69l\x1b[?7;25h\x1b[r\x1b[m\x1b(B"))
	s.moveTo(at)
	return false
}

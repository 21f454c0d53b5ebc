package screen

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The modes that matter for drawing over a program, as they stand between CSI and h or l; and
// two things that are on or off as modes are.
const (
	modeKeys   = "?1"
	modeOrigin = "?6"
	modeWrap   = "?7"
	modeShown  = "?25"
	modeSides  = "?69" // DECLRMM
	modeFocus  = "?1004"
	modeAlt    = "?1049"
	modeSync   = "?2026"
	modeTheme  = "?2031"
	modeResize = "?2048"
	modeInsert = "4"
	keypad     = "the application keypad"
	shifted    = "G1 in use"
)

// setting turns a mode on or off.
func setting(mode string, on bool) string {
	words := [...]string{"\x1b[" + mode + "l", "\x1b[" + mode + "h"}
	switch mode {
	case keypad:
		words = [...]string{"\x1b>", "\x1b="}
	case shifted:
		words = [...]string{"\x0f", "\x0e"}
	}
	if on {
		return words[1]
	}
	return words[0]
}

// is reports whether a mode is on, as two are from the start.
func (st *state) is(mode string) bool {
	on, known := st.modes[mode]
	return on || !known && (mode == modeWrap || mode == modeShown)
}

// turn takes a terminal from the one to the other in these modes.
func turn(from, to *state, modes ...string) string {
	var b strings.Builder
	for _, m := range modes {
		if on := to.is(m); on != from.is(m) {
			b.WriteString(setting(m, on))
		}
	}
	return b.String()
}

func (s *Screen) setMode(mode string, on bool) {
	switch mode {
	case "?47", "?1047", modeAlt:
		s.setAlternate(mode, on)
		mode = modeAlt
	case "?1048":
		if on {
			s.save()
		} else {
			s.restore()
		}
		return
	case modeOrigin:
		s.send(setting(mode, on) + "\x1b[H") // goes home; vt stays
	case modeWrap, modeShown, modeSides, modeInsert, "20": // vt has no use for others, and would answer to modeResize at once
		s.send(setting(mode, on))
	}
	s.state.modes[mode] = on
}

// setAlternate goes to the alternate screen, or back. With 1049 the cursor is saved
// before and restored after it; with the older modes it stays where it is. vt goes
// home, and has a pen for each screen.
func (s *Screen) setAlternate(mode string, on bool) {
	to := cursor{s.vt.CursorPosition(), s.state.pen}
	if mode == modeAlt && on && !s.state.is(modeAlt) {
		s.save()
	}
	s.send(setting("?1047", on))
	if c := s.state.saved[0]; mode == modeAlt && !on && c != nil {
		to = *c
	}
	s.moveTo(to.Position)
	s.state.pen = to.pen
	s.send(ansi.ResetStyle + to.pen.String())
	s.useLink()
}

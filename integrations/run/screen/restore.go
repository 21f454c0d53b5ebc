package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Sequences that take a terminal from one state to another. Their order counts: what
// moves the cursor comes before the cursor, and the pen is last.

const (
	syncOn, syncOff = "\x1b[?2026h", "\x1b[?2026l"
	altOn, altOff   = "\x1b[?1049h", "\x1b[?1049l"
	clearScreen     = "\x1b[2J"
	endLink         = "\x1b]8;;\x1b\\"
)

// inputModes are those that change what a terminal sends: cursor keys, the ways
// to report the mouse (a reset of one ends them all, so resets go first), and
// brackets around pastes.
var inputModes = []int{modeKeys, 9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016, 2004}

func mouse(n int) bool { return n == 9 || n >= 1000 && n <= 1016 }

// input takes the terminal's input from how one program wants it to how another
// does. Nil is a program that has asked for nothing.
func input(from, to *Snapshot) string {
	var was, is state
	if from != nil {
		was = from.state
	}
	if to != nil {
		is = to.state
	}
	var b strings.Builder
	reset := false
	for _, n := range inputModes {
		if was.mode(n) && !is.mode(n) {
			b.WriteString(setting(n, false))
			reset = reset || mouse(n)
		}
	}
	for _, n := range inputModes {
		if is.mode(n) && (!was.mode(n) || reset && mouse(n)) {
			b.WriteString(setting(n, true))
		}
	}
	return b.String() + keypad(was.keypad, is.keypad)
}

func keypad(was, is bool) string {
	switch {
	case is && !was:
		return "\x1b="
	case was && !is:
		return "\x1b>"
	}
	return ""
}

// neutral makes the terminal draw and send as one does that nobody has changed,
// except for the input modes. Colours and cursor shape stay: nothing of ours depends
// on them.
func (sn *Snapshot) neutral() string {
	st := &sn.state
	var b strings.Builder
	put := func(s string, needed bool) {
		if needed {
			b.WriteString(s)
		}
	}
	put(endLink, st.link != "")
	put(ansi.ResetStyle, true)
	put("\x1b(B", !ascii(st.charsets[0]))
	put(string(rune(shiftIn)), st.shifted)
	put("\x1b[4l", st.insert)
	put(setting(modeOrigin, false), st.mode(modeOrigin))
	put(setting(modeSides, false), st.mode(modeSides))
	put("\x1b[r", sn.scrolls())
	put("\x1b[?7;25l", true)
	put("\x1b[>0u", st.keyboards > 0) // each of the two screens may have a stack of its own
	put("\x1b[>4;0m", st.otherKeys > 0)
	return b.String()
}

// modes takes back what neutral did, except for what moves with the cursor.
func (sn *Snapshot) modes() string {
	st := &sn.state
	var b strings.Builder
	if st.otherKeys > 0 {
		fmt.Fprintf(&b, "\x1b[>4;%dm", st.otherKeys)
	}
	if st.keyboards > 0 {
		b.WriteString("\x1b[<u")
	}
	if st.insert {
		b.WriteString("\x1b[4h")
	}
	for _, n := range []int{modeWrap, modeShown, modeSides} {
		if st.mode(n) {
			b.WriteString(setting(n, true))
		}
	}
	return b.String()
}

// origin sets the cursor's origin, which takes it there.
func (sn *Snapshot) origin() string {
	if sn.state.mode(modeOrigin) {
		return setting(modeOrigin, true)
	}
	return ""
}

// drawing is where the cursor is, and with what it draws. With inPlace the terminal
// has put the cursor back itself: it stays there if it can, since setting margins
// moves it, and tmux does not keep that it wraps.
func (sn *Snapshot) drawing(inPlace bool) string {
	var b strings.Builder
	st := &sn.state
	if inPlace && !sn.scrolls() && !st.wraps { // with its origin, which moving it would change
		b.WriteString(ansi.ResetStyle + st.pen.String())
	} else {
		if sn.scrolls() {
			fmt.Fprintf(&b, "\x1b[%d;%dr", sn.region.top+1, sn.region.bottom)
		}
		b.WriteString(sn.origin() + sn.cursor())
	}
	// neutral has left the character sets that are not in use alone.
	if !ascii(st.charsets[0]) {
		b.WriteString("\x1b(" + st.charsets[0])
	}
	if st.shifted {
		b.WriteByte(shiftOut)
	}
	if st.link != "" {
		b.WriteString("\x1b]8;" + st.link + "\x1b\\")
	}
	return b.String()
}

func ascii(charset string) bool { return charset == "" || charset == "B" }

// saved saves the cursor again that the program had saved with DECSC on its main
// screen, after something else was saved there; empty where it had saved none. A
// drawing that is not in place has to follow.
func (sn *Snapshot) saved() string {
	c := sn.state.saved[0]
	if sn.Alt || c == nil {
		return ""
	}
	free := "" // of the margins, outside of which the cursor may be
	if sn.state.mode(modeOrigin) {
		free = setting(modeOrigin, false)
	}
	return free + at(c.x, c.y) + ansi.ResetStyle + c.pen.String() + "\x1b7"
}

// cursor puts the cursor where it was, with its pen. One that wraps with the next sign
// has just drawn in the last column.
func (sn *Snapshot) cursor() string {
	x, y, again := sn.x, sn.y, ""
	if sn.state.wraps {
		cell := sn.Cells.CellAt(x, y)
		if cell.Width == 0 && x > 0 {
			x--
			cell = sn.Cells.CellAt(x, y)
		}
		again = ansi.ResetStyle + cell.Style.String() + cmp.Or(cell.Content, " ")
	}
	if sn.state.mode(modeOrigin) {
		y -= sn.region.top
	}
	return at(x, y) + again + ansi.ResetStyle + sn.state.pen.String()
}

func at(x, y int) string { return ansi.CursorPosition(x+1, max(y, 0)+1) }

// since is what else has changed since an earlier snapshot: the other modes, and the
// title.
func (sn *Snapshot) since(before *Snapshot) string {
	var b strings.Builder
	others := append([]int{modeOrigin, modeWrap, modeShown, modeSides, modeAlt, modeSync}, inputModes...)
	for _, n := range slices.Sorted(maps.Keys(sn.state.modes)) {
		if on := sn.state.mode(n); !slices.Contains(others, n) && on != before.state.mode(n) {
			b.WriteString(setting(n, on))
		}
	}
	if sn.state.titled && sn.state.title != before.state.title {
		b.WriteString("\x1b]2;" + sn.state.title + "\x1b\\")
	}
	return b.String()
}

// CatchUp takes the terminal from what a program's screen was to what it is.
func CatchUp(from, to *Snapshot) string {
	screen := ""
	switch {
	case from.Alt && !to.Alt:
		screen = altOff
	case !from.Alt && to.Alt:
		screen = altOn
	}
	return from.neutral() + input(from, nil) + screen + paint(nil, to.Cells) +
		to.modes() + to.since(from) + input(nil, to) + to.drawing(false)
}

// Leave takes the terminal back to what a shell expects, from whatever the program has
// left it in.
func (s *Screen) Leave() string {
	sn := s.Snapshot()
	var b strings.Builder
	b.WriteString(input(sn, nil) + sn.neutral())
	for _, n := range []int{1004, modeSync, 2031, modeResize, modeAlt} {
		if sn.state.mode(n) {
			b.WriteString(setting(n, false))
		}
	}
	if sn.state.keyboards > 0 {
		fmt.Fprintf(&b, "\x1b[<%du", sn.state.keyboards+1)
	}
	return b.String() + "\x1b[?7;25h"
}

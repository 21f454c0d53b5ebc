package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	uv "github.com/charmbracelet/ultraviolet"
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

// none is a program that has changed nothing.
var none = &state{}

// inputModes change what a terminal sends: cursor keys, brackets around pastes, the keypad;
// and the ways to report the mouse.
var (
	mouseModes = []string{"?9", "?1000", "?1001", "?1002", "?1003", "?1005", "?1006", "?1015", "?1016"}
	inputModes = append([]string{modeKeys, "?2004", keypad}, mouseModes...)
)

// input has the terminal send its input as another program wants it. A reset of one way to
// report the mouse ends them all, so those go first.
func input(from, to *state) string {
	resets := ""
	for _, m := range mouseModes {
		if from.is(m) && !to.is(m) {
			resets += setting(m, false)
		}
	}
	if resets != "" {
		from = &state{modes: maps.Clone(from.modes)}
		for _, m := range mouseModes {
			delete(from.modes, m)
		}
	}
	return resets + turn(from, to, inputModes...)
}

// neutral makes the terminal draw and send as an unchanged one does, except for the input
// modes. Colours and cursor shape stay: nothing of ours depends on them.
func (sn *Snapshot) neutral() string {
	s := ansi.ResetStyle
	if sn.link != "" {
		s = endLink + s
	}
	if !ascii(sn.charsets[0]) {
		s += "\x1b(B"
	}
	s += turn(&sn.state, none, shifted, modeInsert, modeOrigin, modeSides)
	if sn.scrolls() {
		s += "\x1b[r"
	}
	s += "\x1b[?7;25l"
	if sn.keyboards > 0 { // each of the two screens may have a stack of its own
		s += "\x1b[>0u"
	}
	if sn.otherKeys > 0 {
		s += "\x1b[>4;0m"
	}
	return s
}

// undoNeutral takes back what neutral did, except for what moves with the cursor.
func (sn *Snapshot) undoNeutral() string {
	s := ""
	if sn.otherKeys > 0 {
		s = fmt.Sprintf("\x1b[>4;%dm", sn.otherKeys)
	}
	if sn.keyboards > 0 {
		s += "\x1b[<u"
	}
	neutral := &state{modes: map[string]bool{modeWrap: false, modeShown: false}}
	return s + turn(neutral, &sn.state, modeInsert, modeWrap, modeShown, modeSides)
}

// origin sets the cursor's origin, which takes it there.
func (sn *Snapshot) origin() string { return turn(none, &sn.state, modeOrigin) }

// drawing restores the cursor and what it draws with. With inPlace the terminal has put the
// cursor back itself: it stays there if it can, since setting margins moves it, and tmux
// does not keep that it wraps.
func (sn *Snapshot) drawing(inPlace bool) string {
	s := ansi.ResetStyle + sn.pen.String()
	if !inPlace || sn.scrolls() || sn.wraps { // else with its origin, which moving it would change
		s = sn.origin() + sn.cursor()
		if sn.scrolls() {
			s = fmt.Sprintf("\x1b[%d;%dr", sn.region().top+1, sn.region().bottom) + s
		}
	}
	// neutral has left the character sets that are not in use alone.
	if !ascii(sn.charsets[0]) {
		s += "\x1b(" + sn.charsets[0]
	}
	s += turn(none, &sn.state, shifted)
	if sn.link != "" {
		s += "\x1b]8;" + sn.link + "\x1b\\"
	}
	return s
}

func ascii(charset string) bool { return charset == "" || charset == "B" }

// savedCursor saves the cursor again that the program had saved with DECSC on its main
// screen, after something else was saved there; empty where it had saved none. A
// drawing that is not in place has to follow.
func (sn *Snapshot) savedCursor() string {
	c := sn.saved[0]
	if sn.is(modeAlt) || c == nil {
		return ""
	}
	// Free of the margins, outside of which the cursor may be.
	return turn(&sn.state, none, modeOrigin) + at(c.X, c.Y) + ansi.ResetStyle + c.pen.String() + "\x1b7"
}

// cursor puts the cursor where it was, with its pen. One that wraps with the next sign
// has just drawn in the last column.
func (sn *Snapshot) cursor() string {
	x, y, last := sn.x, sn.y, ""
	if sn.wraps {
		cell := sn.Cells.CellAt(x, y)
		if cell.Width == 0 && x > 0 {
			x--
			cell = sn.Cells.CellAt(x, y)
		}
		last = ansi.ResetStyle + cell.Style.String() + linkTo(cell.Link) + cmp.Or(cell.Content, " ") + endLink
	}
	if sn.is(modeOrigin) {
		y -= sn.region().top
	}
	return at(x, y) + last + ansi.ResetStyle + sn.pen.String()
}

func at(x, y int) string { return ansi.CursorPosition(x+1, max(y, 0)+1) }

// back takes a neutral terminal, which shows painted (nil where that is not known), to all
// that a program has left on it.
func (sn *Snapshot) back(painted *uv.Buffer) string {
	return paint(painted, sn.Cells) + sn.undoNeutral() + input(none, &sn.state) + sn.drawing(false)
}

// CatchUp takes the terminal from an earlier screen of a program to a later one.
func CatchUp(from, to *Snapshot) string {
	seen := []string{modeOrigin, modeWrap, modeShown, modeSides, modeAlt, modeSync, modeInsert, shifted}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(to.modes)), func(m string) bool {
		return slices.Contains(seen, m) || slices.Contains(inputModes, m)
	})
	title := ""
	if to.titled && to.title != from.title {
		title = "\x1b]2;" + to.title + "\x1b\\"
	}
	return from.neutral() + input(&from.state, none) + turn(&from.state, &to.state, append(others, modeAlt)...) + title +
		to.back(nil)
}

// Leave takes the terminal back to what a shell expects, from whatever the program has
// left it in.
func (s *Screen) Leave() string {
	sn := s.Snapshot()
	back := input(&sn.state, none) + sn.neutral() + turn(&sn.state, none, modeFocus, modeSync, modeTheme, modeResize, modeAlt)
	if sn.keyboards > 0 {
		back += fmt.Sprintf("\x1b[<%du", sn.keyboards+1)
	}
	return back + "\x1b[?7;25h"
}

package screen

import (
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Cover draws over a program's screen, and takes that away again. What its methods return
// has to be written to the terminal in the order of the calls.
type Cover struct {
	Under     *Snapshot  // the program's screen
	alternate bool       // it lies on an alternate screen that the program does not use
	reflowed  bool       // the terminal has laid the main screen out for another size, as it thinks best
	unknown   bool       // it may be another terminal by now, which has never seen the main screen
	painted   *uv.Buffer // what the terminal shows; nil where that is not known
	input     *state     // for whom the terminal sends its input
}

// NewCover takes the terminal from a program, to draw what top has drawn over its
// screen. The terminal itself keeps the main screen best, with what has scrolled off
// it; so the cover goes onto the alternate one, if the terminal has that and the
// program does not use it.
func NewCover(under, top *Snapshot, hasAlternate bool) (*Cover, string) {
	c := &Cover{Under: under, alternate: !under.is(modeAlt) && hasAlternate, input: &top.state}
	s := ""
	if under.Quiet() {
		s = syncOff
	}
	if c.alternate {
		s += altOn + under.neutral() + "\x1b[H" + clearScreen
	} else {
		s += under.neutral()
		c.painted = under.Cells
	}
	return c, s + input(&under.state, &top.state)
}

// Paint brings the terminal up to date: to frame, in which top lies over the program's
// screen, with its first cell at x, y.
func (c *Cover) Paint(frame *uv.Buffer, top *Snapshot, x, y int) string {
	s := syncOn + setting(modeShown, false) + paint(c.painted, frame) + input(c.input, &top.state)
	c.painted, c.input = frame, &top.state
	if top.is(modeShown) {
		s += ansi.CursorPosition(x+top.x+1, y+top.y+1) + setting(modeShown, true)
	}
	return s + syncOff
}

// Resize follows the terminal to another size. Nothing is on it then until Paint; what
// it makes of the program's screen is its own affair.
func (c *Cover) Resize(width, height int) string {
	c.Under.Resize(width, height)
	c.painted, c.reflowed = nil, !c.unknown
	return ansi.ResetStyle + clearScreen
}

// Redraw tells everything to a terminal that may be another one by now. Paint has to follow.
func (c *Cover) Redraw() string {
	c.painted, c.unknown = nil, !c.reflowed
	s := ""
	if c.alternate || c.Under.is(modeAlt) {
		s = "\x1b[?47h" // which saves no cursor
	}
	return s + c.Under.undoNeutral() + c.Under.neutral() + input(none, c.input) + clearScreen
}

// End gives the terminal back to the program, as it was.
func (c *Cover) End() string {
	u := c.Under
	s := syncOn + setting(modeShown, false) + input(c.input, none)
	if c.alternate {
		s += c.backToMain()
	} else {
		s += u.back(c.painted)
	}
	if !u.Quiet() {
		s += syncOff
	}
	return s
}

// backToMain leaves the alternate screen. That has saved the cursor in the place of
// the one that the program had saved.
func (c *Cover) backToMain() string {
	u := c.Under
	s := u.undoNeutral() + input(none, &u.state) + u.origin() + altOff
	if c.unknown {
		s += u.neutral() + paint(nil, u.Cells) + u.undoNeutral()
	}
	saved := u.savedCursor()
	return s + saved + u.drawing(saved == "" && !c.unknown)
}

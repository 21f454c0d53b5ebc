package display

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/text/cells"
)

// List is where the rows of a list are on a screen, and which of them has the
// focus. A view that shows a list embeds it.
type List struct {
	*tview.Box
	Len   int  // how many rows the list has
	Row   int  // the one in focus
	Room  int  // how many rows there is room for
	first int  // the first row on view
	top   int  // where that is on the screen
	into  bool // the last click moved the focus
}

// NewList is a list on the terminal's own background.
func NewList() List { return List{Box: tview.NewBox().SetBackgroundColor(tcell.ColorDefault)} }

// Gap is how many blank rows part the list from what is around it.
func Gap(height int) int {
	if height >= cells.Roomy {
		return 1
	}
	return 0
}

// Layout gives the list the room between a title and the last below rows of the
// screen, and scrolls to the row in focus.
func (l *List) Layout(below int) {
	_, y, _, height := l.GetInnerRect()
	gap := Gap(height)
	l.top, l.Room = y+1+gap, max(1, height-1-below-2*gap)
	l.Move(0)
	l.first = min(max(l.first, l.Row-l.Room+1), l.Row)
	l.first = max(0, min(l.first, l.Len-l.Room))
}

// Visible are the rows that Layout has put on view: from the first to before the second.
func (l *List) Visible() (from, to int) { return min(l.first, l.Len), min(l.Len, l.first+l.Room) }

// Y is where on the screen row i is.
func (l *List) Y(i int) int { return l.top + i - l.first }

// Move moves the focus, not beyond the ends.
func (l *List) Move(by int) { l.Row = max(0, min(l.Row+by, l.Len-1)) }

// Mouse is what the wheel and a click mean: they move the focus, and a click on the
// row in focus opens it, as a double click does any row.
func (l *List) Mouse(action tview.MouseAction, e *tcell.EventMouse, open func()) bool {
	_, y := e.Position()
	row := l.first + y - l.top
	switch {
	case action == tview.MouseScrollUp:
		l.Move(-1)
	case action == tview.MouseScrollDown:
		l.Move(1)
	case action != tview.MouseLeftClick && action != tview.MouseLeftDoubleClick || y < l.top || y >= l.top+l.Room || row >= l.Len:
		return false
	case row != l.Row:
		l.Move(row - l.Row)
		l.into = true
	case action == tview.MouseLeftDoubleClick && !l.into: // a slip of the hand: the first click has opened it
	default:
		l.into = false
		open()
	}
	return true
}

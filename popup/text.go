package popup

import (
	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
)

// span is a piece of text in one style. The text is safe to draw: text.Visible
// has seen whatever of it came from outside.
type span struct {
	text  string
	style tcell.Style
}

// line is one row of the screen.
type line []span

func (l line) width() int {
	w := 0
	for _, s := range l {
		w += Width(s.text)
	}
	return w
}

// draw draws l from x, y on and nothing right of x+width.
func draw(screen tcell.Screen, x, y, width int, l line) {
	for _, s := range l {
		used := display.Put(screen, x, y, width, s.style, s.text)
		x, width = x+used, width-used
	}
}

// Width is how many cells s takes where we draw it.
func Width(s string) int { return cells.Width(text.Bare(s)) }

// Wrap breaks s into rows of at most width cells.
func Wrap(s string, width int) []string { return cells.Wrap(text.Bare(s), width) }

// Shorten cuts s to width cells, with an ellipsis where something is gone.
func Shorten(s string, width int) string { return cells.Shorten(text.Bare(s), width) }

package popup

import (
	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
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

// draw draws l from x, y on and nothing right of x+width. Cells are set
// directly, never through tview's markup, so that no text can be markup.
func draw(screen tcell.Screen, x, y, width int, l line) {
	end := x + width
	for _, s := range l {
		for sign, w := range cells.Graphemes(text.Bare(s.text)) {
			if x >= end {
				return
			}
			if w == 0 || x+w > end {
				continue
			}
			runes := []rune(sign)
			screen.SetContent(x, y, runes[0], runes[1:], s.style)
			x += w
		}
	}
}

// Width is how many cells s takes where we draw it.
func Width(s string) int { return cells.Width(text.Bare(s)) }

// Wrap breaks s into rows of at most width cells.
func Wrap(s string, width int) []string { return cells.Wrap(text.Bare(s), width) }

// Shorten cuts s to width cells, with an ellipsis where something is gone.
func Shorten(s string, width int) string { return cells.Shorten(text.Bare(s), width) }

package display

import (
	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text/cells"
)

// quiet is a screen on which only what has changed counts as drawn. tview clears
// the screen and every box before it draws, and for tcell (2.13) a cell that held
// something else in between has changed: every tick of a clock would send all of it
// to the terminal again. So a plain blank waits until everything is drawn.
type quiet struct {
	tcell.Screen
	width, height int
	blank         []bool // cells that are to be blank unless something is drawn there
}

// cell says whether a cell waits to be blank; nil outside the screen.
func (q *quiet) cell(x, y int) *bool {
	if w, h := q.Size(); w != q.width || h != q.height {
		q.width, q.height, q.blank = w, h, make([]bool, w*h) // everything is drawn again then
	}
	if x < 0 || y < 0 || x >= q.width || y >= q.height {
		return nil
	}
	return &q.blank[y*q.width+x]
}

// SetContent is tcell.Screen's.
func (q *quiet) SetContent(x, y int, sign rune, more []rune, style tcell.Style) {
	blank := q.cell(x, y)
	if blank == nil {
		return
	}
	if *blank = sign == ' ' && len(more) == 0 && style == tcell.StyleDefault; *blank {
		return
	}
	if len(more) > 0 && (more[0] == 0xfe0e || more[0] == 0xfe0f) { // of what is typed: the text area keeps them (text.Bare)
		more = more[1:]
	}
	q.Screen.SetContent(x, y, sign, more, style)
}

// Clear is tcell.Screen's.
func (q *quiet) Clear() {
	q.cell(0, 0)
	for i := range q.blank {
		q.blank[i] = true
	}
}

// Get is tcell.Screen's.
func (q *quiet) Get(x, y int) (string, tcell.Style, int) {
	if blank := q.cell(x, y); blank != nil && *blank {
		return " ", tcell.StyleDefault, 1
	}
	return q.Screen.Get(x, y)
}

// GetContent is tcell.Screen's; tview asks by it.
func (q *quiet) GetContent(x, y int) (rune, []rune, tcell.Style, int) {
	sign, style, _ := q.Get(x, y)
	runes := []rune(sign)
	return runes[0], runes[1:], style, cells.Width(sign)
}

// Show is tcell.Screen's.
func (q *quiet) Show() {
	q.pass()
	q.Screen.Show()
}

// Sync is tcell.Screen's.
func (q *quiet) Sync() {
	q.pass()
	q.Screen.Sync()
}

func (q *quiet) pass() {
	q.cell(0, 0)
	for i, blank := range q.blank {
		if blank {
			q.Screen.SetContent(i%q.width, i/q.width, ' ', nil, tcell.StyleDefault)
		}
	}
	clear(q.blank)
}

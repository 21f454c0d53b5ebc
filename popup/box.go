package popup

import (
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/scene"
)

// box places a border on the screen and a page inside; without columns there is none.
type box struct {
	x, y, columns, rows int
	page                layout.Page
}

// inside keeps how large a form's box has to be inside, on a terminal of that size.
type inside struct {
	width, height int
	columns       int
	rows          []int // of each step
}

// pad keeps free what is around the form, and returns its box.
func (v *view) pad(s scene.Scene, on layout.Screen) box {
	x, y, width, height := v.GetRect()
	side := 0
	if width >= layout.PaddedFrom {
		side = v.padding
	}
	var b box
	if v.boxed && width >= host.SmallWidth {
		b = v.box(s, on, width, height)
	}
	if b.columns == 0 {
		v.SetBorderPadding(0, 0, side, side)
		return b
	}
	v.SetBorderPadding(b.y+1, height-b.y-b.rows+1, b.x+1+side, width-b.x-b.columns+1+side)
	b.x, b.y = b.x+x, b.y+y
	return b
}

// box returns the form's own on a terminal of that size: as large as its question, and none
// where there is no room for one. It begins where the form's tallest would be in the
// middle, so that it stays as one question follows the other.
func (v *view) box(s scene.Scene, on layout.Screen, width, height int) (b box) {
	if v.inside.width != width || v.inside.height != height {
		columns, rows := layout.Size(v.m.Form(), "", true, false, width-host.Border, max(height, host.SmallHeight))
		v.inside = inside{width, height, min(columns, width-host.Border), rows}
	}
	rows, tallest := v.inside.rows[min(v.m.Step(), len(v.inside.rows)-1)], slices.Max(v.inside.rows)+host.Border
	if height < host.SmallHeight && tallest > height {
		return b
	}
	if b.columns = v.inside.columns + host.Border; v.peek.rows != nil || v.expanded && v.previewable() {
		b.columns, rows = width, height
	}
	b.page = layout.Form(s, on, b.columns-host.Border-2*v.padding, height-host.Border)
	b.rows = min(max(rows, b.page.Rows())+host.Border, height)
	b.x = (width - b.columns) / 2
	b.y = max(0, min((height-tallest)/2, height-b.rows))
	return b
}

// draw draws the border.
func (b box) draw(screen tcell.Screen, style tcell.Style) {
	rule := strings.Repeat("─", b.columns-2)
	display.Put(screen, b.x, b.y, b.columns, style, "╭"+rule+"╮")
	for y := b.y + 1; y < b.y+b.rows-1; y++ {
		display.Put(screen, b.x, y, 1, style, "│")
		display.Put(screen, b.x+b.columns-1, y, 1, style, "│")
	}
	display.Put(screen, b.x, b.y+b.rows-1, b.columns, style, "╰"+rule+"╯")
}

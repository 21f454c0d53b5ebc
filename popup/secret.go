package popup

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// bullet stands for each sign of a secret while it is typed.
const bullet = "•"

// typeSecret handles a key in the entry of a secret. It does not go through the text
// area, which has a clipboard and an undo: it is typed, and taken back from its end.
func (v *view) typeSecret(e *tcell.EventKey) {
	typed := v.m.Buffer()
	switch e.Key() {
	case tcell.KeyRune:
		if e.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) != 0 {
			return
		}
		typed += string(e.Rune())
	case tcell.KeyBackspace, tcell.KeyBackspace2, tcell.KeyDelete:
		last := ""
		for last = range cells.Graphemes(typed) {
		}
		typed = strings.TrimSuffix(typed, last)
	case tcell.KeyCtrlU:
		typed = ""
	default:
		return
	}
	v.handle(machine.Event{Action: machine.Type, Text: typed})
}

// drawSecret draws the bullets in the place of the text area.
func (v *view) drawSecret(screen tcell.Screen, x, y, width int) {
	shown := min(uniseg.GraphemeClusterCount(v.m.Buffer()), width-1)
	style, said := v.theme[styled.Text], strings.Repeat(bullet, shown)
	if shown == 0 {
		style, said = v.theme[styled.Dim], cells.Shorten(text.Bare(v.entry.placeholder()), width)
	}
	display.Put(screen, x, y, width, style, said)
	screen.ShowCursor(x+shown, y)
}

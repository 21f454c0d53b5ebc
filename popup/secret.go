package popup

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/machine"
)

// bullet stands for each sign of a secret while it is typed.
const bullet = "•"

// aboutSecret is what a secret question says of itself.
const aboutSecret = "🔒 Secret: masked here and kept in no draft. The agent gets it as you type it."

// typeSecret is a key in the entry of a secret. It does not go through the text
// area, which has a clipboard and an undo: it is typed, and taken back from its end.
func (v *view) typeSecret(e *tcell.EventKey) {
	text := v.m.Buffer()
	switch e.Key() {
	case tcell.KeyRune:
		if e.Modifiers()&tcell.ModAlt != 0 {
			return
		}
		text += string(e.Rune())
	case tcell.KeyBackspace, tcell.KeyBackspace2, tcell.KeyDelete:
		text = text[:len(text)-len(lastCluster(text))]
	case tcell.KeyCtrlU:
		text = ""
	default:
		return
	}
	v.handle(machine.Event{Action: machine.Type, Text: text})
}

func lastCluster(text string) (last string) {
	for last = range cells.Graphemes(text) {
	}
	return last
}

// drawSecret draws the bullets in the place of the text area.
func (v *view) drawSecret(screen tcell.Screen, x, y, width int) {
	count := uniseg.GraphemeClusterCount(v.m.Buffer())
	if count == 0 {
		draw(screen, x, y, width, line{{Shorten(v.placeholder(), width), v.theme.Dim}})
		screen.ShowCursor(x, y)
		return
	}
	shown := min(count, width-1)
	draw(screen, x, y, width, line{{strings.Repeat(bullet, shown), v.theme.Text}})
	screen.ShowCursor(x+shown, y)
}

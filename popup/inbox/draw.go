package inbox

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/record"
)

// The columns of the list, in cells, and the widths from which on there is room
// for them.
const (
	signs             = 9 // cursor, mark and age
	agent, agentAt    = 14, 50
	standing, standAt = 12, 62
	mostWhere         = 44
	whereAt           = 96
)

// Draw is tview's.
func (v *view) Draw(screen tcell.Screen) {
	v.choose()
	v.DrawForSubclass(screen, v)
	screen.HideCursor()
	x, y, width, height := v.GetInnerRect()
	if width < 1 || height < 1 {
		return
	}
	below, style := v.below(width, height)
	v.Layout(1 + max(1, len(below)))
	v.drawTitle(screen, x, y, width)
	bottom := y + height - 1
	if v.help {
		v.drawHelp(screen, x, width, bottom)
	} else {
		v.drawRows(screen, x, width)
		for i, row := range below {
			put(screen, x, bottom-len(below)+i, width, style, row)
		}
	}
	put(screen, x, bottom, width, v.theme[styled.Dim], v.footer(width))
}

func (v *view) drawTitle(screen tcell.Screen, x, y, width int) {
	at := display.Put(screen, x, y, width, v.theme[styled.Strong], "Inbox") + 2
	if v.filtering || v.filter != "" {
		at += display.Put(screen, x+at, y, width-at, v.theme[styled.Accent], "/"+text.OneLine(v.filter, 40))
		if v.filtering {
			screen.ShowCursor(x+min(at, width-1), y)
		}
		at += 2
	}
	at += display.Put(screen, x+at, y, width-at, v.theme[styled.Dim], v.count()) + 2
	display.Put(screen, x+at, y, width-at, v.theme[styled.Warn], v.Muted())
}

// count says how many questions wait.
func (v *view) count() string {
	all := len(v.ids)
	switch {
	case v.broken != nil:
		return text.OneLine(v.broken.Error(), 0)
	case v.filter != "":
		return fmt.Sprintf("%d of %d", v.Len, all)
	}
	return fmt.Sprintf("%d waiting", all)
}

func (v *view) drawRows(screen tcell.Screen, x, width int) {
	if v.Len == 0 {
		empty := "No question waits. New ones appear by themselves."
		if v.filter != "" {
			empty = "No waiting question matches."
		}
		for i, row := range cells.WrapMost(empty, width, v.Room) {
			put(screen, x, v.Y(i), width, v.theme[styled.Dim], row)
		}
	}
	from, to := v.Visible()
	for i := from; i < to; i++ {
		v.drawRow(screen, x, width, i)
	}
	if from > 0 {
		put(screen, x+width-1, v.Y(from), 1, v.theme[styled.Warn], "↑")
	}
	if to < v.Len {
		put(screen, x+width-1, v.Y(to-1), 1, v.theme[styled.Warn], "↓")
	}
}

func (v *view) drawRow(screen tcell.Screen, x, width, i int) {
	y, cursor, style := v.Y(i), "  ", v.theme[styled.Text]
	if i == v.Row {
		cursor, style = "> ", v.theme[styled.Cursor]
	}
	put(screen, x, y, width, style, cursor)
	r := v.get(v.shown[i])
	mark, words := r.Mark()
	put(screen, x+2, y, 1, v.theme[styled.Warn], mark)
	from, to := x+signs, x+width-1 // the last column is for the arrows
	if r.Err != nil {
		why := "cannot be read: " + text.OneLine(r.Err.Error(), 0)
		if errors.Is(r.Err, spool.ErrNewer) {
			why = "a newer askpane wrote this"
		}
		put(screen, from, y, to-from, style, why)
		return
	}
	put(screen, x+3, y, signs-4, v.theme[styled.Dim], fmt.Sprintf("%4s", text.Age(time.Since(r.Origin.Start))))
	if width >= agentAt {
		put(screen, from, y, agent-1, style, text.Agent(r.Origin.Agent, 40))
		from += agent
	}
	if width >= standAt {
		to -= standing
		put(screen, to+1, y, standing-1, v.theme[styled.Warn], words)
	}
	if width >= whereAt {
		where := min(mostWhere, width/3)
		to -= where
		put(screen, to+1, y, where-1, v.theme[styled.Dim], r.Where(true))
	}
	put(screen, from, y, to-from, style, r.Header)
}

// put draws a text, shortened to its room.
func put(screen tcell.Screen, x, y, width int, style tcell.Style, said string) {
	display.Put(screen, x, y, width, style, cells.Shorten(text.Bare(said), width))
}

// below is what stands under the list: what wants a yes, what the last key did, or
// more about the question in focus.
func (v *view) below(width, height int) ([]string, tcell.Style) {
	warning := v.notice
	if v.confirm != nil {
		warning = v.confirm.text
	}
	var r *record.Row
	if warning == "" && v.Len > 0 {
		if r = v.get(v.focus()); r.Err != nil {
			warning = r.Err.Error()
		}
	}
	switch {
	case warning != "":
		return cells.WrapMost(text.Bare(text.Visible(warning)), width, 3), v.theme[styled.Warn]
	case r == nil:
		return nil, v.theme[styled.Dim]
	case display.Gap(height) == 0:
		return []string{strings.Join(append(r.Standing(), text.Agent(r.Origin.Agent, 16), r.Where(true)), " · ")}, v.theme[styled.Dim]
	}
	asked := text.Bare(r.Asker(40) + " asks: " + r.Prompt)
	if r.More > 0 {
		asked = cells.Shorten(asked, max(20, 2*width-14)) + fmt.Sprintf(" (and %d more)", r.More)
	}
	rows := append(cells.WrapMost(asked, width, 2), r.Where(false))
	if all := r.Standing(); len(all) > 0 {
		rows = append(rows, strings.Join(all, " · "))
	}
	return rows, v.theme[styled.Dim]
}

func (v *view) drawHelp(screen tcell.Screen, x, width, bottom int) {
	hints := keys.Help(v, v.Keeps)
	first, _ := v.Visible() // the list under it may be scrolled
	top := v.Y(first)
	if room := bottom - top; len(hints) > room { // one behind the other
		for i, row := range cells.WrapMost(keymap.Footer(hints, math.MaxInt), width, max(1, room)) {
			display.Put(screen, x, top+i, width, v.theme[styled.Text], row)
		}
		return
	}
	widest := 0
	for _, h := range hints {
		widest = max(widest, cells.Width(h.Keys))
	}
	for i, h := range hints {
		display.Put(screen, x, top+i, width, v.theme[styled.Accent], h.Keys)
		display.Put(screen, x+widest+2, top+i, width-widest-2, v.theme[styled.Text], h.Help)
	}
}

func (v *view) footer(width int) string {
	if v.help {
		return "Any key closes this."
	}
	return keymap.Footer(v.hints(), width)
}

func (v *view) hints() []keymap.Hint {
	hints := keys.Footer(v, v.Keeps)
	if v.confirm != nil {
		hints[0].Help = v.confirm.verb
	}
	return hints
}

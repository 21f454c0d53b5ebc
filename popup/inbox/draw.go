package inbox

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/preview/styled"
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
			display.Put(screen, x, bottom-len(below)+i, width, style, row)
		}
	}
	display.Put(screen, x, bottom, width, v.theme[styled.Dim], v.footer(width))
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
	display.Put(screen, x+at, y, width-at, v.theme[styled.Dim], v.count())
}

// count says how many questions wait.
func (v *view) count() string {
	all := len(v.waits.ids)
	switch {
	case v.waits.err != nil:
		return text.OneLine(v.waits.err.Error(), 0)
	case v.filter != "" && v.unread:
		return fmt.Sprintf("%d of %d, still reading", v.Len, all)
	case v.filter != "":
		return fmt.Sprintf("%d of %d", v.Len, all)
	case all == 1:
		return "1 waits"
	}
	return fmt.Sprintf("%d wait", all)
}

func (v *view) drawRows(screen tcell.Screen, x, width int) {
	from, to := v.Visible()
	if v.Len == 0 {
		empty := "No question waits. New ones appear by themselves."
		if v.filter != "" {
			empty = "None of those that wait."
		}
		for i, row := range cells.WrapMost(empty, width, v.Room) {
			display.Put(screen, x, v.Y(i), width, v.theme[styled.Dim], row)
		}
	}
	now := time.Now()
	for i := from; i < to; i++ {
		v.drawRow(screen, x, width, i, now)
	}
	if from > 0 {
		display.Put(screen, x+width-1, v.Y(from), 1, v.theme[styled.Warn], "↑")
	}
	if to < v.Len {
		display.Put(screen, x+width-1, v.Y(to-1), 1, v.theme[styled.Warn], "↓")
	}
}

func (v *view) drawRow(screen tcell.Screen, x, width, i int, now time.Time) {
	y, cursor, style := v.Y(i), "  ", v.theme[styled.Text]
	if i == v.Row {
		cursor, style = "❯ ", v.theme[styled.Cursor]
	}
	display.Put(screen, x, y, width, style, cursor)
	r := v.get(v.shown[i])
	mark, words := r.mark()
	display.Put(screen, x+2, y, 1, v.theme[styled.Warn], mark)
	from, to := x+signs, x+width-1 // the last column is for the arrows
	if r.err != nil {
		why := "cannot be read: " + text.OneLine(r.err.Error(), 0)
		if errors.Is(r.err, spool.ErrNewer) {
			why = "a newer askpane wrote this"
		}
		put(screen, from, y, to-from, style, why)
		return
	}
	display.Put(screen, x+3, y, signs-4, v.theme[styled.Dim], fmt.Sprintf("%4s", text.Age(now.Sub(r.origin.Start))))
	if width >= agentAt {
		put(screen, from, y, agent-1, style, text.Quoted(r.origin.Agent, 40))
		from += agent
	}
	if width >= standAt {
		to -= standing
		put(screen, to+1, y, standing-1, v.theme[styled.Warn], words)
	}
	if width >= whereAt {
		where := min(mostWhere, width/3)
		to -= where
		put(screen, to+1, y, where-1, v.theme[styled.Dim], r.where(true))
	}
	put(screen, from, y, to-from, style, r.header)
}

// put draws a text, shortened to its room.
func put(screen tcell.Screen, x, y, width int, style tcell.Style, said string) {
	display.Put(screen, x, y, width, style, cells.Shorten(text.Bare(said), width))
}

// below is what stands under the list: what wants a yes, what the last key did, or
// more about the question in focus.
func (v *view) below(width, height int) ([]string, tcell.Style) {
	roomy, most := display.Gap(height) > 0, 1
	if roomy {
		most = 4
	} else if height >= 7 && (v.notice != "" || v.confirm != nil) { // worth rows of the list
		most = 3
	}
	warn := func(said string) ([]string, tcell.Style) {
		return cells.WrapMost(text.Bare(text.Visible(said)), width, most), v.theme[styled.Warn]
	}
	switch {
	case v.confirm != nil:
		return warn(v.confirm.text)
	case v.notice != "":
		return warn(v.notice)
	case v.on == "":
		return nil, v.theme[styled.Dim]
	}
	r := v.get(v.on)
	if r.err != nil {
		return warn(r.err.Error())
	}
	if !roomy {
		said := strings.Join(append(r.standing(), text.Quoted(r.origin.Agent, 16), r.where(true)), " · ")
		return []string{cells.Shorten(text.Bare(said), width)}, v.theme[styled.Dim]
	}
	asked := text.Bare(text.Quoted(r.origin.Agent, 40) + " asks: " + r.prompt)
	if r.more > 0 {
		asked = cells.Shorten(asked, max(20, 2*width-14)) + fmt.Sprintf(" (and %d more)", r.more)
	}
	rows := cells.Wrap(asked, width)
	rows = append(rows[:min(2, len(rows))], cells.Shorten(text.Bare(r.where(false)), width))
	if all := r.standing(); len(all) > 0 {
		rows = append(rows, cells.Shorten(text.Bare(strings.Join(all, " · ")), width))
	}
	return rows, v.theme[styled.Dim]
}

func (v *view) drawHelp(screen tcell.Screen, x, width, bottom int) {
	hints := keys.Help(v, v.Kept)
	widest := 0
	for _, h := range hints {
		widest = max(widest, cells.Width(h.Keys))
	}
	for i, h := range hints {
		if y := v.Y(0) + i; y < bottom {
			display.Put(screen, x, y, width, v.theme[styled.Accent], h.Keys)
			display.Put(screen, x+widest+2, y, width-widest-2, v.theme[styled.Text], h.Help)
		}
	}
}

func (v *view) footer(width int) string {
	if v.help {
		return "Any key closes this."
	}
	hints := keys.Footer(v, v.Kept)
	if v.confirm != nil {
		hints[0].Help = v.confirm.verb
	}
	return keymap.Footer(hints, width)
}

package inbox

import (
	"cmp"
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
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/list"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/record"
)

// The columns of the list, in cells, and the widths from which on there is room
// for them.
const (
	signs             = 9 // cursor, mark and age
	agent, agentAt    = 14, 48
	standing, standAt = 12, 60
	mostWhere         = 44
	whereAt           = 94
)

func (v *view) Draw(screen tcell.Screen) {
	v.Refresh()
	side := 0
	if _, _, width, _ := v.GetRect(); width >= layout.PaddedFrom {
		side = layout.Padding
	}
	v.SetBorderPadding(0, 0, side, side)
	v.DrawForSubclass(screen, v)
	screen.HideCursor()
	x, y, width, height := v.GetInnerRect()
	if width < 1 || height < 1 {
		return
	}
	below, style := v.below(width, height)
	v.Layout(1 + max(1, len(below)))
	v.DrawTitle(screen, "Inbox", v.count(), v.Muted())
	bottom := y + height - 1
	if v.Help {
		v.drawHelp(screen, x, width, bottom)
	} else {
		v.drawRows(screen, x, width)
		for i, row := range below {
			put(screen, x, bottom-len(below)+i, width, style, row)
		}
	}
	put(screen, x, bottom, width, v.Styles[styled.Dim], v.Footer(width))
}

// count says how many questions wait.
func (v *view) count() string {
	all := len(v.ids)
	switch {
	case v.broken != nil:
		return text.OneLine(v.broken.Error(), 0)
	case v.Filter != "":
		return fmt.Sprintf("%d of %d", len(v.Items), all)
	}
	return fmt.Sprintf("%d waiting", all)
}

func (v *view) drawRows(screen tcell.Screen, x, width int) {
	if len(v.Items) == 0 {
		empty := "No question waits. New ones appear by themselves."
		if v.Filter != "" {
			empty = "No waiting question matches."
		}
		for i, row := range cells.WrapMost(empty, width, v.Height) {
			put(screen, x, v.Y(i), width, v.Styles[styled.Dim], row)
		}
	}
	from, to := v.Visible()
	for i := from; i < to; i++ {
		v.drawRow(screen, x, width, i)
	}
	display.PutMore(screen, x+width-1, v.Y(from), to-from, v.Styles, from > 0, to < len(v.Items))
}

func (v *view) drawRow(screen tcell.Screen, x, width, i int) {
	y, styles, cursor := v.Y(i), v.Styles, "  "
	if i == v.Row { // one bar, whatever stands in it
		cursor = "> "
		for style := range styles {
			styles[style] = v.Styles[styled.Cursor]
		}
		display.Put(screen, x, y, width, styles[styled.Cursor], strings.Repeat(" ", width))
	}
	put(screen, x, y, width, styles[styled.Text], cursor)
	r := v.get(v.Items[i])
	mark, words := r.Mark()
	put(screen, x+2, y, 1, styles[styled.Warn], mark)
	from, to := x+signs, x+width-1 // the last column is for the arrows
	if r.Err != nil {
		why := "cannot be read: " + text.OneLine(r.Err.Error(), 0)
		if errors.Is(r.Err, spool.ErrNewer) {
			why = "a newer askpane wrote this"
		}
		put(screen, from, y, to-from, styles[styled.Text], why)
		return
	}
	put(screen, x+3, y, signs-4, styles[styled.Dim], fmt.Sprintf("%4s", text.Age(time.Since(r.Origin.Start))))
	if width >= agentAt {
		put(screen, from, y, agent-1, styles[styled.Text], text.Agent(r.Origin.Agent, 40))
		from += agent
	}
	if width >= standAt {
		to -= standing
		put(screen, to+1, y, standing-1, styles[styled.Warn], words)
	}
	if width >= whereAt {
		where := min(mostWhere, width/3, 1+cells.Width(r.Where(true)))
		to -= where
		put(screen, to+1, y, where-1, styles[styled.Dim], r.Where(true))
	}
	if r.Danger {
		from += display.Put(screen, from, y, to-from, styles[styled.Danger], "⚠ ")
	}
	if r.More > 0 {
		from += display.Put(screen, from, y, to-from, styles[styled.Dim], fmt.Sprintf("%d · ", r.More+1))
	}
	put(screen, from, y, to-from, styles[styled.Text], cmp.Or(r.Prompt, r.Header))
}

// put draws a text, shortened to its room.
func put(screen tcell.Screen, x, y, width int, style tcell.Style, said string) {
	display.Put(screen, x, y, width, style, cells.Shorten(text.Bare(said), width))
}

// below returns the rows under the list: what wants a yes, what the last key did, or
// more about the question in focus.
func (v *view) below(width, height int) ([]string, tcell.Style) {
	warning := v.Notice
	if v.confirming() {
		warning = v.confirm.text
	}
	var r *record.Row
	if warning == "" && len(v.Items) > 0 {
		if r = v.get(v.Focused()); r.Err != nil {
			warning = r.Err.Error()
		}
	}
	switch {
	case warning != "":
		return cells.WrapMost(text.Bare(text.Visible(warning)), width, max(1, min(3, height-3))), v.Styles[styled.Warn]
	case r == nil:
		return nil, v.Styles[styled.Dim]
	case list.Gap(height) == 0:
		return []string{strings.Join(append(r.Standing(), text.Agent(r.Origin.Agent, 16), r.Where(true)), " · ")}, v.Styles[styled.Dim]
	}
	asked := text.Bare(r.Asker(40) + " asks: " + r.Prompt)
	if r.More > 0 {
		asked = cells.Shorten(asked, max(20, 2*width-14)) + fmt.Sprintf(" (and %d more)", r.More)
	}
	rows := append(cells.WrapMost(asked, width, 2), r.Where(false))
	if all := r.Standing(); len(all) > 0 {
		rows = append(rows, strings.Join(all, " · "))
	}
	return rows, v.Styles[styled.Dim]
}

// drawHelp draws the help where the list begins, which may be scrolled.
func (v *view) drawHelp(screen tcell.Screen, x, width, bottom int) {
	first, _ := v.Visible()
	top := v.Y(first)
	for i, row := range keymap.HelpRows(keys.Help(v, v.Kept), width, bottom-top) {
		if top+i < bottom {
			v.Styles.PutRow(screen, x, top+i, width, row)
		}
	}
}

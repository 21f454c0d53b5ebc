package inbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/display"
)

// roomy is the height from which on rows are spent on blank lines.
const roomy = 14

// The columns of the list, in cells, and the widths from which on there is room
// for them.
const (
	signs, signsAt = 9, 0 // cursor, mark and age
	agent, agentAt = 14, 50
	state, stateAt = 12, 62
	whereAt        = 96
	mostWhere      = 44
)

// Draw is tview's.
func (v *view) Draw(screen tcell.Screen) {
	v.catchUp()
	v.DrawForSubclass(screen, v)
	screen.HideCursor()
	x, y, width, height := v.GetInnerRect()
	if width < 1 || height < 1 {
		return
	}
	gap, most := 0, 1
	if height >= roomy {
		gap, most = 1, 4
	} else if height >= 7 && (v.notice != "" || v.asks != nil) { // worth rows of the list
		most = 3
	}
	below, style := v.below(width, most)
	v.top, v.rows = y+1+gap, max(1, height-2-max(1, len(below))-2*gap)
	if v.row >= v.scroll+v.rows || v.row < v.scroll { // keep what has the focus on view
		v.scroll = min(max(v.scroll, v.row-v.rows+1), v.row)
	}
	v.scroll = max(0, min(v.scroll, len(v.shown)-v.rows))
	v.drawTitle(screen, x, y, width)
	if v.help {
		v.drawHelp(screen, x, v.top, width, height-2-gap)
	} else {
		v.drawRows(screen, x, width)
		for i, line := range below {
			display.Put(screen, x, y+height-1-len(below)+i, width, style, line)
		}
	}
	display.Put(screen, x, y+height-1, width, v.styles.Dim, v.footer(width))
}

func (v *view) drawTitle(screen tcell.Screen, x, y, width int) {
	all, unread, err := v.counts()
	title := "Inbox"
	display.Put(screen, x, y, width, v.styles.Strong, title)
	at := len(title) + 2
	if v.filtering || v.filter != "" {
		filter := "/" + text.OneLine(v.filter, 40)
		display.Put(screen, x+at, y, width-at, v.styles.Accent, filter)
		at += popup.Width(filter)
		if v.filtering {
			screen.ShowCursor(x+min(at, width-1), y)
		}
		at += 2
	}
	count := fmt.Sprintf("%d wait", all)
	switch {
	case err != nil:
		count = text.OneLine(err.Error(), 0)
	case v.filter != "" && unread > 0:
		count = fmt.Sprintf("%d of %d, still reading", len(v.shown), all)
	case v.filter != "":
		count = fmt.Sprintf("%d of %d", len(v.shown), all)
	case all == 1:
		count = "1 waits"
	}
	display.Put(screen, x+at, y, width-at, v.styles.Dim, count)
}

// drawRows draws the list, and asks for what is on view.
func (v *view) drawRows(screen tcell.Screen, x, width int) {
	end := min(len(v.shown), v.scroll+v.rows)
	v.list.want(v.shown[min(v.scroll, end):end], v.filter != "")
	if len(v.shown) == 0 {
		text := "No question waits. New ones appear by themselves."
		if v.filter != "" {
			text = "None of those that wait."
		}
		for i, line := range popup.Wrap(text, width) {
			if i < v.rows {
				display.Put(screen, x, v.top+i, width, v.styles.Dim, line)
			}
		}
	}
	now := time.Now()
	for i := v.scroll; i < end; i++ {
		v.drawRow(screen, x, v.top+i-v.scroll, width, i, now)
	}
	for _, more := range []struct {
		is   bool
		sign string
		y    int
	}{{v.scroll > 0, "↑", v.top}, {end < len(v.shown), "↓", v.top + v.rows - 1}} {
		if more.is {
			display.Put(screen, x+width-1, more.y, 1, v.styles.Warn, more.sign)
		}
	}
}

func (v *view) drawRow(screen tcell.Screen, x, y, width, i int, now time.Time) {
	cursor, style := "  ", v.styles.Text
	if i == v.row {
		cursor, style = "❯ ", v.styles.Cursor
	}
	display.Put(screen, x, y, width, style, cursor)
	r := v.get(v.shown[i])
	if r == nil {
		display.Put(screen, x+signs, y, width-signs, v.styles.Dim, "…")
		return
	}
	mark, words := r.marks()
	display.Put(screen, x+2, y, 1, v.styles.Warn, mark)
	if r.err != nil {
		why := "cannot be read: " + text.OneLine(r.err.Error(), 0)
		if errors.Is(r.err, spool.ErrNewer) {
			why = "a newer askpane wrote this"
		}
		display.Put(screen, x+signs, y, width-signs-1, style, popup.Shorten(why, width-signs-1))
		return
	}
	display.Put(screen, x+3, y, signs-4, v.styles.Dim, fmt.Sprintf("%4s", text.Age(now.Sub(r.Origin.Start))))
	from, to := x+signs, x+width-1 // the last column is for the arrows
	column := func(at, wide int, left bool, style tcell.Style, text string) {
		if width < at {
			return
		}
		if left {
			display.Put(screen, from, y, wide-1, style, popup.Shorten(text, wide-1))
			from += wide
		} else {
			to -= wide
			display.Put(screen, to+1, y, wide-1, style, popup.Shorten(text, wide-1))
		}
	}
	column(agentAt, agent, true, style, text.Quoted(r.Origin.Agent, 40))
	column(stateAt, state, false, v.styles.Warn, words)
	column(whereAt, min(mostWhere, width/3), false, v.styles.Dim, r.where(true))
	display.Put(screen, from, y, to-from, style, popup.Shorten(r.Header, to-from))
}

// name is what a question is called in a sentence.
func (r *row) name() string { return text.Quoted(r.Header, 60) }

// marks is how it stands with a question: a sign, and a word or two.
func (r *row) marks() (sign, words string) {
	s := r.Status
	switch {
	case r.err != nil:
		return "!", ""
	case s.AgentGone && s.Shown:
		return "✗", "gone, open"
	case s.AgentGone && r.Draft:
		return "✗", "gone, draft"
	case s.AgentGone:
		return "✗", "agent gone"
	case s.Shown:
		return "▣", "open"
	case r.Draft:
		return "✎", "draft"
	}
	return " ", ""
}

// where is the directory, its branch and the pane; short is without the way there.
func (r *row) where(short bool) string {
	var parts []string
	if r.Origin.Cwd != "" {
		dir := text.Tilde(r.Origin.Cwd)
		if short {
			dir = filepath.Base(dir)
		}
		if dir = text.OneLine(dir, 200); r.Branch != "" {
			dir += " (" + r.Branch + ")"
		}
		parts = append(parts, dir)
	}
	if r.Origin.Pane != "" {
		parts = append(parts, text.OneLine(r.Origin.Host+" "+r.Origin.Pane, 60))
	}
	return strings.Join(parts, " · ")
}

// below is what stands under the list, in at most so many rows: what wants a
// yes, what the last key did, or more about the question in focus.
func (v *view) below(width, most int) ([]string, tcell.Style) {
	said, style := "", v.styles.Dim
	switch r := v.get(v.on); {
	case v.asks != nil:
		said, style = v.asks.text, v.styles.Warn
	case v.notice != "":
		said, style = v.notice, v.styles.Warn
	case r == nil:
	case r.err != nil:
		said, style = r.err.Error(), v.styles.Warn
	case most == 1:
		said = strings.Join(append(r.states(), text.Quoted(r.Origin.Agent, 16), r.where(true)), " · ")
	default:
		asked := text.Quoted(r.Origin.Agent, 40) + " asks: " + r.Prompt
		if r.More > 0 {
			asked = popup.Shorten(asked, max(20, 2*width-14)) + fmt.Sprintf(" (and %d more)", r.More)
		}
		lines := popup.Wrap(asked, width)
		lines = append(lines[:min(2, len(lines))], popup.Shorten(r.where(false), width))
		if states := r.states(); len(states) > 0 {
			lines = append(lines, popup.Shorten(strings.Join(states, " · "), width))
		}
		return lines, style
	}
	if said == "" {
		return nil, style
	}
	return cells.WrapMost(text.Bare(text.Visible(said)), width, most), style
}

// states is all that is known of how it stands with a question.
func (r *row) states() (all []string) {
	s := r.Status
	if s.AgentGone {
		all = append(all, "agent gone")
	}
	if s.Shown {
		all = append(all, "open"+on(s.Viewer))
	}
	if r.Draft {
		all = append(all, "draft begun")
	}
	if s.Aside {
		all = append(all, "put aside")
	}
	return all
}

// on names the viewer that a form is open on.
func on(viewer string) string {
	if viewer == "" {
		return " elsewhere"
	}
	return " on " + text.OneLine(viewer, 40)
}

func (v *view) drawHelp(screen tcell.Screen, x, y, width, rows int) {
	hints := v.hints(false)
	widest := 0
	for _, h := range hints {
		widest = max(widest, popup.Width(h[0]))
	}
	for i, h := range hints {
		if i < rows {
			display.Put(screen, x, y+i, width, v.styles.Accent, h[0])
			display.Put(screen, x+widest+2, y+i, width-widest-2, v.styles.Text, h[1])
		}
	}
}

// footer joins as many hints as there is room for.
func (v *view) footer(width int) string {
	if v.help {
		return "Any key closes this."
	}
	text := ""
	for _, h := range v.hints(true) {
		next := strings.TrimPrefix(text+" · "+h[0]+" "+h[1], " · ")
		if popup.Width(next) <= width { // a shorter one may still fit
			text = next
		}
	}
	return text
}

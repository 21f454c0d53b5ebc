package layout

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// header says who asks and from where, and at the right how it stands with the form.
func (l *layouter) header() {
	who, where := l.st.Who()
	l.Right = l.right(l.width - width(who) - 2)
	room := l.width - l.Right.Width() - 2
	left := styled.Row{in(styled.Text, shorten(who, room))}
	if rest := room - left.Width() - 3; rest >= 8 && where != "" {
		left = append(left, in(styled.Dim, " · "+l.st.end(where, rest)))
	}
	l.Head = append(l.Head, left)
}

// end cuts where to room cells at its beginning: the directory's own name and the
// pane say most. Where not even that name has room, it is the pane alone.
func (st Status) end(where string, room int) string {
	pane, dir := text.OneLine(st.Pane, 40), text.OneLine(filepath.Base(st.Cwd), 200)
	if pane != "" && width(where) > room && width("…"+dir+" · "+pane) > room {
		return shorten(pane, room)
	}
	return cells.ShortenStart(text.Bare(where), room)
}

// Who says who asks, and from where.
func (st Status) Who() (who, where string) {
	var parts []string
	if st.Cwd != "" {
		parts = append(parts, text.Tilde(text.OneLine(st.Cwd, 200)))
	}
	if st.Pane != "" {
		parts = append(parts, text.OneLine(st.Pane, 40))
	}
	return text.Asker(st.Agent, st.Machine, 24) + " asks", strings.Join(parts, " · ")
}

// More says how many other questions wait.
func More(others int) string { return fmt.Sprintf("%d more waiting", others) }

// right says how it stands with the form, and how many others wait, in at most room
// cells. Where there is no room for both, a warning counts more than the others, and
// they more than the time.
func (l *layouter) right(room int) styled.Row {
	words, style := l.standing()
	right := styled.Row{in(style, words)}
	if l.st.Guarded {
		right = append(right, in(styled.Warn, " · held"))
	}
	if l.st.Others == 0 {
		return right
	}
	more := More(l.st.Others)
	if l.st.NextKey != "" {
		more += ", " + l.st.NextKey
	}
	all := append(right[:len(right):len(right)], in(styled.Dim, " · "+more))
	switch {
	case all.Width() <= room:
		return all
	case style == styled.Dim && !l.st.Guarded:
		return styled.Row{in(styled.Dim, shorten(more, max(room, 10)))}
	}
	return append(right, in(styled.Dim, fmt.Sprintf(" · +%d", l.st.Others)))
}

// standing is the time, or what counts more than that.
func (l *layouter) standing() (string, styled.Style) {
	st := l.st
	left := text.Elapsed(st.Left) + " left"
	switch {
	case l.m.ReadOnly():
		return st.How, styled.Dim
	case st.Expired:
		return "expired", styled.Warn
	case st.Away != "":
		return st.Away, styled.Warn
	case st.Gone:
		return "agent gone", styled.Warn
	case st.Left == 0:
		return l.look.Waited + text.Elapsed(st.Waited), styled.Dim
	case st.Left < 10*time.Second:
		return left, styled.Danger
	case st.Left < time.Minute:
		return left, styled.Warn
	}
	return left, styled.Dim
}

// tabBar shows every question with its mark, and the review, the one on view
// in brackets. Where they do not all fit, those around the one on view do.
func (l *layouter) tabBar() {
	f := l.m.Form()
	labels := make([]string, 0, len(f.Questions)+1)
	for i, q := range f.Questions {
		mark := l.look.Open
		if l.m.Answer(i).Given() {
			mark = l.look.Done
		}
		labels = append(labels, mark+" "+framed(q.Label, 20))
	}
	if !l.m.ReviewHidden() {
		labels = append(labels, l.look.Review)
	}
	from, to := l.fit(labels)
	var bar styled.Row
	if from > 0 {
		bar = append(bar, in(styled.Dim, "‹ "))
	}
	for i := from; i < to; i++ {
		style, text := styled.Dim, " "+labels[i]+" "
		switch {
		case i == l.m.Step():
			style, text = styled.Cursor, "["+labels[i]+"]"
		case i < len(f.Questions) && l.m.Answer(i).Given():
			style = styled.Done
		}
		start := bar.Width()
		bar = append(bar, in(style, text))
		l.Tabs = append(l.Tabs, Hit{len(l.Head), start, bar.Width(), machine.Event{Action: machine.GoTo, N: i}})
		if i < to-1 {
			bar = append(bar, in(styled.Text, " "))
		}
	}
	if to < len(labels) {
		bar = append(bar, in(styled.Dim, " ›"))
	}
	l.Head = append(l.Head, bar)
}

// fit is the range of tabs around the one on view that fits the width.
func (l *layouter) fit(labels []string) (from, to int) {
	size := func(i int) int { return width(labels[i]) + 3 }
	from, to = l.m.Step(), l.m.Step()+1
	used := size(from) + 3 // the two arrows
	for {
		switch {
		case to < len(labels) && used+size(to) <= l.width:
			used += size(to)
			to++
		case from > 0 && used+size(from-1) <= l.width:
			from--
			used += size(from)
		default:
			return from, to
		}
	}
}

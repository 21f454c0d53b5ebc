package layout

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// header says who asks and from where, and at the right how it stands with the form.
func (l *layouter) header() {
	l.Right = l.right(l.width - width(l.s.Who) - 2)
	room := l.width - l.Right.Width() - 2
	left := styled.Row{in(styled.Text, shorten(l.s.Who, room))}
	if rest := room - left.Width() - 3; rest >= 8 && l.s.Where() != "" {
		left = append(left, styled.Span{Text: " · " + l.where(rest), Style: styled.Dim}) // the scene has seen to it
	}
	l.Head = append(l.Head, left)
}

// where says from where the question is asked, cut to room cells at its beginning: the
// directory's own name and the pane say most. Where not even that name has room, it is the
// pane alone.
func (l *layouter) where(room int) string {
	where, pane := l.s.Where(), l.s.Pane
	if pane != "" && width(where) > room && width("…"+filepath.Base(l.s.Dir)+" · "+pane) > room {
		return shorten(pane, room)
	}
	return cells.ShortenStart(text.Bare(where), room)
}

// right says how it stands with the form, and how many others wait, in at most room
// cells. Where there is no room for both, a warning counts more than the others, and
// they more than the time.
func (l *layouter) right(room int) styled.Row {
	words, style := l.standing()
	right := styled.Row{in(style, words)}
	if l.s.Pictures != "" {
		right = append(right, in(styled.Dim, " · "+l.s.Pictures))
	}
	if l.s.Guarded {
		right = append(right, in(styled.Warn, " · held"))
	}
	if l.s.Others == 0 {
		return right
	}
	more := l.s.More()
	if key := l.on.key(keymap.NextWaiting); key != "" {
		more += ", " + key
	}
	all := append(right[:len(right):len(right)], in(styled.Dim, " · "+more))
	switch {
	case all.Width() <= room:
		return all
	case style == styled.Dim && !l.s.Guarded:
		return styled.Row{in(styled.Dim, shorten(more, max(room, 10)))}
	}
	return append(right, in(styled.Dim, fmt.Sprintf(" · +%d", l.s.Others)))
}

// standing returns the time, or what counts more than that.
func (l *layouter) standing() (string, styled.Style) {
	clock := l.s.Clock
	shows := text.Elapsed(clock.Shows)
	switch {
	case l.s.Reading:
		return l.s.Stands, styled.Dim
	case l.s.Stands != "":
		return l.s.Stands, styled.Warn
	case !clock.Down:
		return clock.Before + shows, styled.Dim
	case clock.Shows < 10*time.Second:
		return shows + " left", styled.Danger
	case clock.Shows < time.Minute:
		return shows + " left", styled.Warn
	}
	return shows + " left", styled.Dim
}

// tabBar shows every question with its mark, and the review, the one on view
// in brackets. Where they do not all fit, those around the one on view do.
func (l *layouter) tabBar() {
	labels := make([]string, 0, len(l.s.Tabs))
	for _, tab := range l.s.Tabs {
		label := shorten(framed(tab.Label), max(8, l.width-8)) // with its mark, in brackets, between two arrows
		if tab.Mark != "" {
			label = tab.Mark + " " + label
		}
		labels = append(labels, label)
	}
	from, to := l.fit(labels)
	var bar styled.Row
	if from > 0 {
		bar = append(bar, in(styled.Dim, "‹ "))
	}
	for i := from; i < to; i++ {
		style, text := styled.Dim, " "+labels[i]+" "
		switch tab := l.s.Tabs[i]; {
		case tab.Current:
			style, text = styled.Cursor, "["+labels[i]+"]"
		case tab.Done:
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

// fit returns the range of tabs around the one on view that fits the width.
func (l *layouter) fit(labels []string) (from, to int) {
	size := func(i int) int { return width(labels[i]) + 3 }
	from, to = l.s.Step, l.s.Step+1
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

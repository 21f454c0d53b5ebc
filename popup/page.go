package popup

import (
	"fmt"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
)

// page is a form laid out for one width and height. It is computed from the
// machine alone, so that a test can look at it.
type page struct {
	head []line // above the body: who asks, and the tabs
	body []line // scrolls
	foot []line // below the body: a notice, and the keys
	// focus is the rows of the body that belong to the cursor: from, to (past the end).
	focus [2]int
	// entry is where in the body the text entry goes: row, column, rows. Zero rows: nowhere.
	entryRow, entryCol, entryRows int
	// entryText is how many rows the entry's text takes, shown or not.
	entryText int
	// hits says what a click in the body does.
	hits []hit
	// tabs says what a click in the head does.
	tabs []hit
}

// hit is an area of the head or the body: a row, and columns from, to (past the end; 0 is all).
type hit struct {
	row, from, to int
	event         machine.Event
}

// status is what the page shows beside the form itself.
type status struct {
	origin   spool.Origin
	waited   time.Duration
	left     time.Duration // to the deadline; 0 where there is none
	gone     bool          // the agent is gone
	others   int           // how many other questions wait for this viewer
	expired  bool          // the deadline has passed
	hints    []keymap.Hint // the keys that work now
	helps    []keymap.Hint // those that the help lists
	guarded  bool          // keys are held back
	notice   string        // from outside the machine: a failure, somebody else's answer
	expanded bool          // the preview shows all of itself
	previews previewer
	peek     *peek // the asking pane is being looked at
	read     *read // the form is only read; nil where it is answered
}

type layouter struct {
	page
	m      *machine.Machine
	look   keymap.Look
	theme  display.Theme
	st     status
	width  int
	height int
}

func layout(m *machine.Machine, look keymap.Look, th display.Theme, st status, width, height int) page {
	l := layouter{m: m, look: look, theme: th, st: st, width: width, height: height}
	if st.expired {
		l.theme = th.Greyed()
	}
	l.header()
	if st.peek != nil {
		l.peekPage()
		return l.page
	}
	declining := m.Mode() == machine.Decline || m.Mode() == machine.Reason
	if m.Form().Review && !(declining && !l.roomy()) { // a short popup shows all the reasons instead
		l.tabBar()
	}
	l.blank(&l.head)
	switch {
	case m.Mode() == machine.Help:
		l.help()
	case declining:
		l.refusal()
	case m.Question() != nil:
		l.question()
	default:
		l.review()
	}
	if m.Mode() == machine.Note {
		l.remark()
	}
	l.footer()
	return l.page
}

func (l *layouter) roomy() bool { return l.height >= display.Roomy }

// blank adds an empty row where there is room for one.
func (l *layouter) blank(to *[]line) {
	if l.roomy() {
		*to = append(*to, nil)
	}
}

// put adds a text to the body, wrapped, each row after the first indented alike.
func (l *layouter) put(indent string, said string, style span) {
	for _, row := range Wrap(text.Visible(said), l.width-Width(indent)) {
		l.body = append(l.body, line{{indent, style.style}, {row, style.style}})
	}
}

// header says who asks and from where. The names come from outside: they stand
// in quotes, and nothing of ours does.
func (l *layouter) header() {
	st := l.st
	who := text.Quoted(st.origin.Agent, 24) + " asks"
	right, style := l.look.Waited+text.Elapsed(st.waited), l.theme.Dim
	switch {
	case st.read != nil:
		right, style = st.read.how, l.theme.Dim
	case st.expired:
		right, style = "expired", l.theme.Warn
	case st.gone:
		right, style = "agent gone", l.theme.Warn
	case st.left > 0:
		right = text.Elapsed(st.left) + " left"
		if st.left < time.Minute {
			style = l.theme.Warn
		}
	}
	if st.others > 0 {
		right = l.count(right, style == l.theme.Warn, Width(who))
	}
	rightWidth := Width(right)
	where := []string{}
	if st.origin.Cwd != "" {
		where = append(where, text.Tilde(text.OneLine(st.origin.Cwd, 200)))
	}
	if st.origin.Pane != "" {
		where = append(where, text.OneLine(st.origin.Pane, 40))
	}
	room := l.width - rightWidth - 2
	left := line{{Shorten(who, room), l.theme.Strong}}
	if rest := room - left.width() - 2; rest >= 8 && len(where) > 0 {
		left = append(left, span{"  " + Shorten(strings.Join(where, " · "), rest), l.theme.Dim})
	}
	pad := max(1, l.width-left.width()-rightWidth)
	l.head = append(l.head, append(left, span{strings.Repeat(" ", pad), l.theme.Text}, span{right, style}))
}

// count puts how many others wait before what stands at the right. Where there
// is no room for both, a warning counts more, and how long it has waited less.
func (l *layouter) count(right string, warning bool, who int) string {
	n := fmt.Sprintf("%d more waiting", l.st.others)
	switch all := n + " · " + right; {
	case Width(all)+2+who <= l.width:
		return all
	case warning:
		return fmt.Sprintf("+%d · %s", l.st.others, right)
	default:
		return n
	}
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
	var bar line
	x := 0
	add := func(s span) {
		bar = append(bar, s)
		x += line{s}.width()
	}
	if from > 0 {
		add(span{"‹ ", l.theme.Dim})
	}
	for i := from; i < to; i++ {
		style, text := l.theme.Dim, " "+labels[i]+" "
		switch {
		case i == l.m.Step():
			style, text = l.theme.Cursor, "["+labels[i]+"]"
		case i < len(f.Questions) && l.m.Answer(i).Given():
			style = l.theme.Done
		}
		start := x
		add(span{text, style})
		l.tabs = append(l.tabs, hit{len(l.head), start, x, machine.Event{Action: machine.GoTo, N: i}})
	}
	if to < len(labels) {
		add(span{" ›", l.theme.Dim})
	}
	l.head = append(l.head, bar)
}

// fit is the range of tabs around the one on view that fits the width.
func (l *layouter) fit(labels []string) (from, to int) {
	size := func(i int) int { return Width(labels[i]) + 2 }
	from, to = l.m.Step(), l.m.Step()+1
	used := size(from) + 4 // the two arrows
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

// footer is the notice, if any, and the keys that work now.
func (l *layouter) footer() {
	notice := l.st.notice
	if notice == "" {
		notice = l.m.Notice()
	}
	if l.st.guarded {
		notice = "Keys are held back until you pause typing"
	}
	if notice != "" {
		rows := Wrap(text.Visible(notice), l.width)
		for _, row := range rows[:min(2, len(rows))] {
			l.foot = append(l.foot, line{{row, l.theme.Warn}})
		}
		if !l.roomy() { // a short popup has no row to spare: the notice takes the keys'
			return
		}
	}
	l.foot = append(l.foot, line{{keymap.Footer(l.st.hints, l.width), l.theme.Dim}})
}

// help lists every key of the question or the review under it.
func (l *layouter) help() {
	l.body = append(l.body, line{{"Keys", l.theme.Strong}, {" · any key closes this", l.theme.Dim}})
	l.blank(&l.body)
	widest := 0
	for _, h := range l.st.helps {
		widest = max(widest, Width(h.Keys))
	}
	for _, h := range l.st.helps {
		pad := strings.Repeat(" ", widest-Width(h.Keys)+2)
		l.body = append(l.body, line{{h.Keys, l.theme.Accent}, {pad + h.Help, l.theme.Text}})
	}
}

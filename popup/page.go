package popup

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// roomy is the height from which on a form spends rows on blank lines.
const roomy = 14

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
	// tabs says what a click on a column of the tab bar does.
	tabs   []tab
	tabRow int // -1 where there is no tab bar
}

// hit is an area of the body: a row, and columns from, to (past the end; 0 is all).
type hit struct {
	row, from, to int
	event         machine.Event
}

type tab struct{ from, to, step int }

// status is what the page shows beside the form itself.
type status struct {
	origin   spool.Origin
	waited   time.Duration
	left     time.Duration // to the deadline; 0 where there is none
	gone     bool          // the agent is gone
	others   int           // how many other questions wait for this viewer
	expired  bool          // the deadline has passed
	kept     []string      // keys that the terminal keeps for itself
	guarded  bool          // keys are held back
	notice   string        // from outside the machine: a failure, somebody else's answer
	expanded bool          // the preview shows all of itself
	rendered *rendered
	pane     bool  // there is an asking pane to look at
	back     bool  // there is a list to go back to
	peek     *peek // it is being looked at
	read     *read // the form is only read; nil where it is answered
}

// look is how a dialect draws what all dialects have, with the signs that its
// contract publishes (docs/contracts.md).
type look struct {
	cursor     string // before the focused choice
	open, done string // marks of a question in the tab bar
	review     string // name of the last tab
	numbered   bool   // choices have numbers
	radio      bool   // a One's choices have ◉ and ○
}

var looks = map[string]look{
	"AskUserQuestion":   {cursor: "> ", open: "□", done: "■", review: "Submit", numbered: true},
	"ask_user_question": {cursor: "❯ ", open: "·", done: "✓", review: "Submit", radio: true},
	"ask_user":          {cursor: "❯ ", open: "·", done: "✓", review: "Review", radio: true},
}

// lookOf is the look of a dialect: the usual one where it has none of its own.
func lookOf(dialect string) look {
	if own, ok := looks[dialect]; ok {
		return own
	}
	return look{cursor: "❯ ", open: "·", done: "✓", review: "Review", numbered: true}
}

type layouter struct {
	page
	m      *machine.Machine
	keys   keymap
	look   look
	theme  theme
	st     status
	width  int
	height int
}

func layout(m *machine.Machine, keys keymap, th theme, st status, width, height int) page {
	l := layouter{m: m, keys: keys, look: lookOf(m.Form().Dialect), theme: th, st: st, width: width, height: height}
	if st.expired {
		l.theme = th.greyed()
	}
	l.tabRow = -1
	l.header()
	if st.peek != nil {
		l.peekPage()
		return l.page
	}
	declining := m.Mode() == machine.Decline || m.Mode() == machine.Reason
	if m.Form().Review && !(declining && l.height < roomy) { // a short popup shows all the reasons instead
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

func (l *layouter) roomy() bool { return l.height >= roomy }

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
	right, style := "waited "+text.Elapsed(st.waited), l.theme.dim
	if l.m.Form().Dialect == "AskUserQuestion" { // the contract's own words
		right = "⏱ " + text.Elapsed(st.waited)
	}
	switch {
	case st.read != nil:
		right, style = st.read.how, l.theme.dim
	case st.expired:
		right, style = "expired", l.theme.warn
	case st.gone:
		right, style = "agent gone", l.theme.warn
	case st.left > 0:
		right = text.Elapsed(st.left) + " left"
		if st.left < time.Minute {
			style = l.theme.warn
		}
	}
	if st.others > 0 {
		right = l.count(right, style == l.theme.warn, Width(who))
	}
	rightWidth := Width(right)
	where := []string{}
	if st.origin.Cwd != "" {
		where = append(where, tilde(text.OneLine(st.origin.Cwd, 200)))
	}
	if st.origin.Pane != "" {
		where = append(where, text.OneLine(st.origin.Pane, 40))
	}
	room := l.width - rightWidth - 2
	left := line{{Shorten(who, room), l.theme.strong}}
	if rest := room - left.width() - 2; rest >= 8 && len(where) > 0 {
		left = append(left, span{"  " + Shorten(strings.Join(where, " · "), rest), l.theme.dim})
	}
	pad := max(1, l.width-left.width()-rightWidth)
	l.head = append(l.head, append(left, span{strings.Repeat(" ", pad), l.theme.text}, span{right, style}))
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
		mark := l.look.open
		if l.m.Answer(i).Given() {
			mark = l.look.done
		}
		labels = append(labels, mark+" "+framed(q.Label, 20))
	}
	if !l.m.ReviewHidden() {
		labels = append(labels, l.look.review)
	}
	from, to := l.fit(labels)
	var bar line
	x := 0
	add := func(s span) {
		bar = append(bar, s)
		x += line{s}.width()
	}
	if from > 0 {
		add(span{"‹ ", l.theme.dim})
	}
	for i := from; i < to; i++ {
		style, text := l.theme.dim, " "+labels[i]+" "
		switch {
		case i == l.m.Step():
			style, text = l.theme.cursor, "["+labels[i]+"]"
		case i < len(f.Questions) && l.m.Answer(i).Given():
			style = l.theme.done
		}
		start := x
		add(span{text, style})
		l.tabs = append(l.tabs, tab{start, x, i})
	}
	if to < len(labels) {
		add(span{" ›", l.theme.dim})
	}
	l.tabRow = len(l.head)
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
			l.foot = append(l.foot, line{{row, l.theme.warn}})
		}
		if !l.roomy() { // a short popup has no row to spare: the notice takes the keys'
			return
		}
	}
	keys := ""
	for _, h := range l.hints() {
		next := h.keys + " " + h.help
		if keys != "" {
			next = keys + " · " + next
		}
		if Width(next) > l.width {
			continue // a shorter one may still fit
		}
		keys = next
	}
	l.foot = append(l.foot, line{{keys, l.theme.dim}})
}

// hints are the keys of the present mode, those of the view itself after them.
func (l *layouter) hints() []hint {
	choices := len(l.m.Form().Questions)
	if q := l.m.Question(); q != nil && l.m.Mode() == machine.List {
		choices = len(q.Options)
		if q.Other != "" {
			choices++
		}
	}
	if l.m.Mode() == machine.Decline {
		choices = len(machine.Reasons) + 1
	}
	all := l.keys.hints(l.m, choices)
	for i := range all {
		if l.st.gone && all[i].help == "cancel" { // nobody is there to be told
			all[i].help = "dismiss"
		}
	}
	for _, v := range viewKeys {
		if v.applies(l.m, l.st.pane, l.st.back) && (!v.others || l.st.others > 0) && (v.unsaid == nil || !v.unsaid(l.m)) {
			all = append(all, hint{handed(v.keys, l.st.kept)[0], v.help})
		}
	}
	return all
}

// help lists every key of the question or the review under it.
func (l *layouter) help() {
	l.body = append(l.body, line{{"Keys", l.theme.strong}, {" · any key closes this", l.theme.dim}})
	l.blank(&l.body)
	under := *l.m
	under.Handle(machine.Event{Action: machine.Back}) // any event leaves the help
	below := *l
	below.m = &under
	widest := 0
	for _, h := range below.hints() {
		widest = max(widest, Width(h.keys))
	}
	for _, h := range below.hints() {
		pad := strings.Repeat(" ", widest-Width(h.keys)+2)
		l.body = append(l.body, line{{h.keys, l.theme.accent}, {pad + h.help, l.theme.text}})
	}
}

// tilde writes the home directory as ~.
func tilde(path string) string {
	home, err := os.UserHomeDir()
	if err == nil && home != "/" && (path == home || strings.HasPrefix(path, home+"/")) {
		return "~" + path[len(home):]
	}
	return path
}

package popup

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
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
	// entryFits: the entry shows all of its text.
	entryFits bool
	// hits says what a click on a row of the body does.
	hits map[int]machine.Event
	// tabs says what a click on a column of the tab bar does.
	tabs   []tab
	tabRow int // -1 where there is no tab bar
}

type tab struct{ from, to, step int }

// status is what the page shows beside the form itself.
type status struct {
	origin  spool.Origin
	waited  time.Duration
	gone    bool   // the agent is gone
	guarded bool   // keys are held back
	notice  string // from outside the machine: a failure, somebody else's answer
}

type layouter struct {
	page
	m      *machine.Machine
	keys   keymap
	theme  theme
	width  int
	height int
}

func layout(m *machine.Machine, keys keymap, th theme, st status, width, height int) page {
	l := layouter{m: m, keys: keys, theme: th, width: width, height: height}
	l.tabRow = -1
	l.hits = map[int]machine.Event{}
	l.header(st)
	if m.Form().Review {
		l.tabBar()
	}
	if l.roomy() {
		l.head = append(l.head, nil)
	}
	if m.Question() != nil {
		l.question()
	} else {
		l.review()
	}
	l.footer(st)
	return l.page
}

func (l *layouter) roomy() bool { return l.height >= roomy }

// header says who asks and from where. The names come from outside: they stand
// in quotes, and nothing of ours does.
func (l *layouter) header(st status) {
	who := "“" + quotes.Replace(form.Line(st.origin.Agent, 24)) + "” asks"
	right := "waited " + waited(st.waited)
	if st.gone {
		right = "agent gone"
	}
	where := []string{}
	if st.origin.Cwd != "" {
		where = append(where, tilde(form.Line(st.origin.Cwd, 200)))
	}
	if st.origin.Pane != "" {
		where = append(where, form.Line(st.origin.Pane, 40))
	}
	room := l.width - len(right) - 2
	left := line{{shorten(who, room), l.theme.strong}}
	if rest := room - left.width() - 2; rest >= 8 && len(where) > 0 {
		left = append(left, span{"  " + shorten(strings.Join(where, " · "), rest), l.theme.dim})
	}
	pad := max(1, l.width-left.width()-len(right))
	style := l.theme.dim
	if st.gone {
		style = l.theme.warn
	}
	l.head = append(l.head, append(left, span{strings.Repeat(" ", pad), l.theme.text}, span{right, style}))
}

// quotes keeps a name from ending the quotes it stands in.
var quotes = strings.NewReplacer("“", "\"", "”", "\"")

// tabBar shows every question with its mark, and the review, the one on view
// in brackets. Where they do not all fit, those around the one on view do.
func (l *layouter) tabBar() {
	f := l.m.Form()
	labels := make([]string, 0, len(f.Questions)+1)
	for i, q := range f.Questions {
		mark := "·"
		if l.m.Answer(i).Given() {
			mark = "✓"
		}
		labels = append(labels, mark+" "+form.Line(q.Label, 20))
	}
	labels = append(labels, "Review")
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
	size := func(i int) int { return line{{text: labels[i]}}.width() + 2 }
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

func (l *layouter) question() {
	q, cursor := l.m.Question(), l.m.Cursor()
	for _, row := range wrap(form.Visible(q.Prompt), l.width) {
		l.body = append(l.body, line{{row, l.theme.strong}})
	}
	if l.roomy() {
		l.body = append(l.body, nil)
	}
	answer := l.m.Answer(l.m.Step())
	for i, o := range q.Options {
		chosen := answer.Choice != nil && *answer.Choice == i
		l.choice(i, o.Label, o.Description, chosen, i == cursor)
	}
	if q.Other != "" {
		l.other(q.Other, answer, cursor == len(q.Options))
	}
}

// choice adds one numbered choice, its label and its description.
func (l *layouter) choice(i int, label, description string, chosen, focused bool) {
	first := len(l.body)
	mark, style := "  ", l.theme.text
	if focused {
		mark, style = "❯ ", l.theme.cursor
	}
	number := fmt.Sprintf("%d. ", i+1)
	indent := strings.Repeat(" ", len(number)+2)
	room := l.width - len(indent)
	if chosen {
		room -= 2
	}
	for n, row := range wrap(form.Visible(label), room) {
		at := line{{indent, style}, {row, style}}
		if n == 0 {
			at = line{{mark + number, style}, {row, style}}
			if chosen {
				at = append(at, span{" ✓", l.theme.done})
			}
		}
		l.body = append(l.body, at)
	}
	if description != "" {
		for _, row := range wrap(form.Visible(description), l.width-len(indent)) {
			l.body = append(l.body, line{{indent, l.theme.dim}, {row, l.theme.dim}})
		}
	}
	l.hit(first, i, focused)
}

// hit makes the rows from first on answer to a click as choice i.
func (l *layouter) hit(first, i int, focused bool) {
	for row := first; row < len(l.body); row++ {
		l.hits[row] = machine.Event{Action: machine.Pick, N: i + 1}
	}
	if focused {
		l.focus = [2]int{first, len(l.body)}
	}
}

// other adds the choice that opens a text entry, and the entry or what was typed.
func (l *layouter) other(label string, answer form.Answer, focused bool) {
	q := l.m.Question()
	i := len(q.Options)
	first := len(l.body)
	l.choice(i, label, "", answer.Text != nil, focused)
	text := l.m.EntryText(l.m.Step())
	indent := len(fmt.Sprintf("%d. ", i+1)) + 2
	if l.m.Mode() == machine.Entry {
		rows := len(wrap(text, l.width-indent-3)) // the cursor may need a cell more than the text
		l.entryRow, l.entryCol = len(l.body), indent
		l.entryRows = max(1, min(rows, max(1, l.height/2-2)))
		l.entryFits = l.entryRows >= rows
		for range l.entryRows {
			l.body = append(l.body, line{{strings.Repeat(" ", indent-2), l.theme.text}, {"│", l.theme.accent}})
		}
		l.focus = [2]int{first, len(l.body)}
		return
	}
	if answer.Text != nil {
		l.typed(indent, "✎ ", *answer.Text)
	}
	if strings.TrimSpace(text) != "" && (answer.Text == nil || *answer.Text != text) {
		l.typed(indent, "✎ not your answer yet: ", text)
	}
	l.hit(first, i, focused)
}

// typed adds a text the person has typed.
func (l *layouter) typed(indent int, sign, text string) {
	for n, row := range wrap(form.Visible(sign+text), l.width-indent) {
		at := line{{strings.Repeat(" ", indent), l.theme.dim}, {row, l.theme.dim}}
		if n == 0 {
			at = line{{strings.Repeat(" ", indent), l.theme.dim}, {"✎", l.theme.accent}, {strings.TrimPrefix(row, "✎"), l.theme.dim}}
		}
		l.body = append(l.body, at)
	}
}

// review lists every answer, and the row that submits.
func (l *layouter) review() {
	f := l.m.Form()
	for i := range f.Questions {
		q, a := &f.Questions[i], l.m.Answer(i)
		first, focused := len(l.body), l.m.Cursor() == i
		mark, style := "  ", l.theme.text
		if focused {
			mark, style = "❯ ", l.theme.cursor
		}
		head := line{{mark, style}, {form.Line(q.Label, 40) + ": ", style}}
		value, valueStyle := said(q, a), l.theme.done
		if !a.Given() {
			value, valueStyle = "not answered yet", l.theme.warn
		}
		room := l.width - head.width()
		if room < 16 { // too little beside the label: below it then
			l.body = append(l.body, head)
			head, room = line{{"    ", style}}, l.width-4
		}
		indent := head.width()
		for n, row := range wrap(form.Visible(value), room) {
			if n > 0 {
				head = line{{strings.Repeat(" ", indent), style}}
			}
			l.body = append(l.body, append(head, span{row, valueStyle}))
		}
		l.hit(first, i, focused)
	}
	if l.roomy() {
		l.body = append(l.body, nil)
	}
	focused := l.m.Cursor() == len(f.Questions)
	row := line{{"  Submit", l.theme.text}}
	if focused {
		row = line{{"❯ Submit", l.theme.cursor}}
		l.focus = [2]int{len(l.body), len(l.body) + 1}
	}
	if open := f.Missing(l.answers()); len(open) > 0 {
		row = append(row, span{fmt.Sprintf("  (%d not answered yet)", len(open)), l.theme.dim})
	}
	l.hits[len(l.body)] = machine.Event{Action: machine.Choose}
	l.body = append(l.body, row)
}

func (l *layouter) answers() []form.Answer {
	all := make([]form.Answer, len(l.m.Form().Questions))
	for i := range all {
		all[i] = l.m.Answer(i)
	}
	return all
}

// said is an answer in words.
func said(q *form.Question, a form.Answer) string {
	switch {
	case a.Text != nil:
		return "✎ " + *a.Text
	case a.Choice != nil:
		return q.Options[*a.Choice].Label
	default:
		return ""
	}
}

// footer is the notice, if any, and the keys that work now.
func (l *layouter) footer(st status) {
	notice := st.notice
	if notice == "" {
		notice = l.m.Notice()
	}
	if st.guarded {
		notice = "Keys are held back until you pause typing"
	}
	if notice != "" {
		rows := wrap(form.Visible(notice), l.width)
		for _, row := range rows[:min(2, len(rows))] {
			l.foot = append(l.foot, line{{row, l.theme.warn}})
		}
		if !l.roomy() { // a short popup has no row to spare: the notice takes the keys'
			return
		}
	}
	choices := len(l.m.Form().Questions)
	if q := l.m.Question(); q != nil {
		choices = len(q.Options) + 1
	}
	keys := ""
	for _, part := range l.keys.footer(l.m, choices) {
		next := part
		if keys != "" {
			next = keys + " · " + part
		}
		if (line{{text: next}}).width() > l.width {
			continue // a shorter one may still fit
		}
		keys = next
	}
	l.foot = append(l.foot, line{{keys, l.theme.dim}})
}

// waited is a duration as a person says it.
func waited(d time.Duration) string {
	switch s := int(max(0, d).Seconds()); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
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

package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

func (l *layouter) question() {
	q := l.m.Question()
	if f := l.m.Form(); l.m.Step() == 0 {
		for _, text := range []string{f.Title, f.Intro} {
			if text != "" {
				l.quote("", text, styled.Accent)
			}
		}
	}
	if l.m.Dangerous(l.m.Step()) {
		l.put("", "⚠️  DESTRUCTIVE — "+label(q.Label, 60), styled.Warn)
	}
	l.quote("", q.Prompt, styled.Strong)
	if q.Description != "" {
		l.quote("", q.Description, styled.Dim)
	}
	l.blank(&l.Body)
	switch {
	case l.m.Dangerous(l.m.Step()):
		l.put("", "Type the resource name to confirm:", styled.Text)
		l.entry(2)
	case q.Kind == form.Number:
		l.number()
	case q.Kind == form.Text:
		l.text()
	case q.Style == form.Buttons:
		l.buttons()
	case l.m.Mode() == machine.Closed:
		l.folded()
	default:
		l.choices()
		return
	}
	l.note()
}

// note is the person's own word on the question, where it is not being typed.
func (l *layouter) note() {
	if note := l.m.Answer(l.m.Step()).Note; note != "" && l.m.Mode() != machine.Note {
		l.blank(&l.Body)
		l.put("", noteWord(l.m.Form())+": "+note, styled.Accent)
	}
}

func noteWord(f *form.Form) string {
	if f.Remarks == form.Comments {
		return "comment"
	}
	return "note"
}

// entry makes room in the body for the open text entry.
func (l *layouter) entry(indent int) {
	rows := len(cells.Wrap(text.Bare(l.m.Buffer()), l.width-indent-3)) // the cursor may need a cell more than the text
	if l.m.TypingSecret() {
		rows = 1
	}
	shown := max(1, min(rows, max(l.height/2-2, min(3, l.height-5))))
	l.Entry = Entry{Row: len(l.Body), Col: indent, Rows: shown, Text: rows}
	for range shown {
		l.Body = append(l.Body, styled.Row{in(styled.Text, strings.Repeat(" ", max(0, indent-2))), in(styled.Accent, "│")})
	}
	l.Focus = [2]int{l.Entry.Row, len(l.Body)}
}

func (l *layouter) number() {
	q, typed := l.m.Question(), l.m.EntryText(l.m.Step())
	bounds := ""
	switch {
	case q.Min != nil && q.Max != nil:
		bounds = fmt.Sprintf("  from %v to %v", *q.Min, *q.Max)
	case q.Min != nil:
		bounds = fmt.Sprintf("  at least %v", *q.Min)
	case q.Max != nil:
		bounds = fmt.Sprintf("  at most %v", *q.Max)
	}
	if l.m.Mode() == machine.Entry {
		l.entry(2)
		l.Body = append(l.Body, styled.Row{in(styled.Dim, "  "+bounds)})
		return
	}
	row := styled.Row{in(styled.Cursor, l.look.Cursor), in(styled.Cursor, text.OneLine(typed, 40)), in(styled.Dim, bounds)}
	if typed == "" {
		row[1] = in(styled.Dim, "no number yet")
	}
	if a := l.m.Answer(l.m.Step()); a.Number != nil {
		row = append(row, in(styled.Done, "  ✓ "+said(q, a)))
	}
	l.act(row, machine.Event{Action: machine.Open}, true)
}

func (l *layouter) text() {
	step, q := l.m.Step(), l.m.Question()
	if q.Secret {
		l.put("", aboutSecret, styled.Dim)
	}
	if l.m.Mode() == machine.Text || l.m.Mode() == machine.Entry {
		l.entry(2)
	} else if !l.m.ReadOnly() {
		row := styled.Row{in(styled.Cursor, l.look.Cursor), in(styled.Dim, "Enter to type")}
		if l.m.EntryText(step) != "" {
			row[1] = in(styled.Dim, "Enter to change")
		}
		l.act(row, machine.Event{Action: machine.Open}, true)
	}
	a, text := l.m.Answer(step), l.m.EntryText(step)
	switch {
	case a.Text != nil && (*a.Text != text || l.m.Mode() == machine.Closed):
		l.typed(2, "", q.Hidden(*a.Text))
	case a.Empty:
		l.put("  ", "✓ left empty", styled.Done)
	case l.m.Mode() == machine.Closed && text != "":
		l.typed(2, "not your answer yet: ", q.Hidden(text))
	case !a.Given() && l.m.Form().Partial:
		l.put("  ", "unanswered", styled.Dim)
	}
}

// list lists the rows that the filter leaves.
func (l *layouter) list() {
	if l.m.Mode() == machine.Filter {
		l.Body = append(l.Body, styled.Row{in(styled.Accent, "/")})
		l.Entry = Entry{Row: len(l.Body) - 1, Col: 2, Rows: 1, Text: 1}
	} else if text := l.m.FilterText(); text != "" {
		l.put("", "/ "+text, styled.Accent)
	}
	q, cursor := l.m.Question(), l.m.Cursor()
	for _, c := range l.m.Shown() {
		switch {
		case c < len(q.Options):
			l.choice(c, name(q, c), q.Options[c].Description, c == cursor)
			if note := l.m.Answer(l.m.Step()).OptionNotes[c]; note != "" {
				l.put("     ", "comment: "+note, styled.Accent)
			}
		case q.Other != "" && c == len(q.Options):
			l.other(c, c == cursor)
		default:
			mark, style := l.pointer(c == cursor)
			l.act(styled.Row{in(style, mark+"[Select]")}, machine.Event{Action: machine.Commit}, c == cursor)
		}
	}
	if l.m.Form().Partial && !l.m.Answer(l.m.Step()).Given() {
		l.put("", "unanswered", styled.Dim)
	}
}

// mark is what stands before a choice's label.
func (l *layouter) mark(c int) string {
	q := l.m.Question()
	switch {
	case q.Kind == form.Many && l.m.Ticked(l.m.Step(), c):
		return "☑ "
	case q.Kind == form.Many:
		return "☐ "
	case l.look.Radio && l.chosen(c):
		return "◉ "
	case l.look.Radio:
		return "○ "
	}
	return ""
}

// chosen reports whether choice c is the answer, or part of it.
func (l *layouter) chosen(c int) bool {
	a := l.m.Answer(l.m.Step())
	return slices.Contains(a.Choices, c) || c == len(l.m.Question().Options) && a.Text != nil
}

// choice adds one choice, its label and its description.
func (l *layouter) choice(c int, name, description string, focused bool) {
	q, first := l.m.Question(), len(l.Body)
	lead, style := l.pointer(focused)
	if l.look.Numbered {
		lead += fmt.Sprintf("%d. ", c+1)
	}
	lead += l.mark(c)
	indent := width(lead)
	tail := styled.Row{}
	if slices.Contains(q.Recommended, c) {
		tail = append(tail, in(styled.Accent, " [recommended]"))
	}
	if l.chosen(c) {
		tail = append(tail, in(styled.Done, " ✓"))
	}
	l.flow(max(indent+8, l.width-tail.Width()), styled.Row{in(style, lead)}, under(indent), in(style, label(name, 0)))
	last := &l.Body[len(l.Body)-1]
	*last = append(*last, tail...)
	if description != "" {
		l.quote(strings.Repeat(" ", max(0, indent-2)), description, styled.Dim)
	}
	l.area(first, machine.Event{Action: machine.Pick, N: c + 1}, focused)
}

// name is what choice c of a question is called.
func name(q *form.Question, c int) string {
	switch {
	case c >= len(q.Options):
		return q.Other
	case q.Options[c].Emoji != "":
		return q.Options[c].Emoji + " " + q.Options[c].Label
	}
	return q.Options[c].Label
}

// pointer is what stands before a row that can have the cursor, and its style.
func (l *layouter) pointer(focused bool) (string, styled.Style) {
	if focused {
		return l.look.Cursor, styled.Cursor
	}
	return strings.Repeat(" ", len([]rune(l.look.Cursor))), styled.Text
}

// act adds a row that does e when clicked.
func (l *layouter) act(row styled.Row, e machine.Event, focused bool) {
	l.Body = append(l.Body, row)
	l.area(len(l.Body)-1, e, focused)
}

// area makes the rows from first on do e when clicked.
func (l *layouter) area(first int, e machine.Event, focused bool) {
	for row := first; row < len(l.Body); row++ {
		l.Hits = append(l.Hits, Hit{Row: row, Event: e})
	}
	if focused {
		l.Focus = [2]int{first, len(l.Body)}
	}
}

// other adds the choice that opens a text entry, and the entry or what was typed.
func (l *layouter) other(c int, focused bool) {
	q, step := l.m.Question(), l.m.Step()
	first := len(l.Body)
	l.choice(c, q.Other, "", focused)
	indent := 5
	if l.m.Mode() == machine.Entry {
		l.entry(indent)
		l.Focus[0] = first
		return
	}
	meant, text := l.m.Answer(step).Text, l.m.EntryText(step)
	if meant == nil && q.Kind == form.Many && l.m.Ticked(step, c) {
		meant = &text // the select row is still to come
	}
	if meant != nil {
		l.typed(indent, "", *meant)
	}
	if strings.TrimSpace(text) != "" && (meant == nil || *meant != text) {
		l.typed(indent, "not your answer yet: ", text)
	}
	l.area(first, machine.Event{Action: machine.Pick, N: c + 1}, focused)
}

// typed adds a text the person has typed, and before it what is to be said of it.
func (l *layouter) typed(indent int, about, said string) {
	head := styled.Row{in(styled.Dim, strings.Repeat(" ", indent))}
	l.flow(l.width, head, head, in(styled.Accent, "✎"), in(styled.Dim, " "+about+said))
}

// folded is a dropdown that is not open.
func (l *layouter) folded() {
	q := l.m.Question()
	said := cmp.Or(said(q, l.m.Answer(l.m.Step())), said(q, l.m.Ticks()), "Choose…")
	box := "[ " + shorten(brackets.Replace(text.OneLine(said, 0)), max(8, l.width-8)) + " ▾ ]"
	l.act(styled.Row{in(styled.Cursor, box)}, machine.Event{Action: machine.Open}, true)
}

// buttons lays the choices out in a row, or in as many as they need; what the
// focused one says of itself stands below.
func (l *layouter) buttons() {
	q, cursor := l.m.Question(), l.m.Cursor()
	var row styled.Row
	for _, c := range l.m.Shown() {
		text := "[ " + l.mark(c) + shorten(framed(name(q, c), 0), max(8, l.width-8)) + " ]"
		style := styled.Text
		if c == cursor {
			style = styled.Pressed
		}
		button := in(style, text)
		x, w := row.Width(), cells.Width(button.Text)
		if x > 0 && x+w > l.width {
			l.Body = append(l.Body, row)
			row, x = nil, 0
		}
		l.Hits = append(l.Hits, Hit{len(l.Body), x, x + w, machine.Event{Action: machine.Pick, N: c + 1}})
		row = append(row, button, in(styled.Text, "  "))
		if c == cursor {
			l.Focus = [2]int{len(l.Body), len(l.Body) + 1}
		}
	}
	l.Body = append(l.Body, row)
	if cursor < len(q.Options) && q.Options[cursor].Description != "" {
		l.blank(&l.Body)
		l.quote("", q.Options[cursor].Description, styled.Dim)
	}
	if l.m.Mode() == machine.Entry {
		l.entry(2)
	}
}

// aboutSecret is what a secret question says of itself.
const aboutSecret = "🔒 Secret: masked here and kept in no draft. The agent gets it as you type it."

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
	q := l.q
	if p := FocusedPreview(l.m); p != nil && l.st.Expanded {
		l.expanded(*p)
		return
	}
	if f := l.m.Form(); l.m.Step() == 0 {
		l.quote("", f.Title, styled.Accent)
		l.quote("", f.Intro, styled.Accent)
	}
	if l.m.Dangerous(l.m.Step()) {
		l.put("", "⚠️  DESTRUCTIVE — "+label(q.Label, 60), styled.Warn)
	}
	l.quote("", q.Prompt, styled.Strong)
	l.quote("", q.Description, styled.Dim)
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
	if l.said.Note != "" && l.m.Mode() != machine.Note {
		l.blank(&l.Body)
		l.put("", noteWord(l.m.Form())+": "+l.said.Note, styled.Accent)
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
	q, bounds := l.q, ""
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
	row := styled.Row{in(styled.Cursor, l.look.Cursor), in(styled.Cursor, text.OneLine(l.entered, 40)), in(styled.Dim, bounds)}
	if l.entered == "" {
		row[1] = in(styled.Dim, "no number yet")
	}
	if l.said.Number != nil {
		row = append(row, in(styled.Done, "  ✓ "+said(q, l.said)))
	}
	l.act(row, machine.Event{Action: machine.Open}, true)
}

func (l *layouter) text() {
	if l.q.Secret {
		l.put("", aboutSecret, styled.Dim)
	}
	if l.m.Mode() == machine.Text || l.m.Mode() == machine.Entry {
		l.entry(2)
	} else if !l.m.ReadOnly() {
		row := styled.Row{in(styled.Cursor, l.look.Cursor), in(styled.Dim, "Enter to change")}
		if l.entered == "" {
			row[1] = in(styled.Dim, "just type")
		}
		l.act(row, machine.Event{Action: machine.Open}, true)
	}
	switch text := l.said.Text; {
	case text != nil && (*text != l.entered || l.m.Mode() == machine.Closed):
		l.typed(2, "", l.q.Hidden(*text))
	case l.said.Empty:
		l.put("  ", "✓ left empty", styled.Done)
	case l.m.Mode() == machine.Closed && l.entered != "":
		l.typed(2, "not your answer yet: ", l.q.Hidden(l.entered))
	case !l.said.Given() && l.m.Form().Partial:
		l.put("  ", "unanswered", styled.Dim)
	}
}

// list lists the rows that the filter leaves.
func (l *layouter) list() {
	if l.m.Mode() == machine.Filter {
		l.Body = append(l.Body, styled.Row{in(styled.Accent, "/")})
		l.Entry = Entry{Row: len(l.Body) - 1, Col: 2, Rows: 1, Text: 1}
	}
	for _, c := range l.m.Shown() {
		if c == l.m.Choices(l.m.Step())-1 && l.q.SelectRow {
			mark, style := l.pointer(c == l.m.Cursor())
			l.act(styled.Row{in(style, mark+"[Select]")}, machine.Event{Action: machine.Commit}, c == l.m.Cursor())
		} else {
			l.choice(c)
		}
	}
	if l.m.Form().Partial && !l.said.Given() {
		l.put("", "unanswered", styled.Dim)
	}
}

// mark is what stands before a choice's label.
func (l *layouter) mark(c int) string {
	many := l.q.Kind == form.Many
	switch {
	case many && l.m.Ticked(l.m.Step(), c):
		return "☑ "
	case many:
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
	return slices.Contains(l.said.Choices, c) || c == len(l.q.Options) && l.said.Text != nil
}

// choice adds one choice: its label, what it says of itself and what is said to it.
func (l *layouter) choice(c int) {
	first, focused := len(l.Body), c == l.m.Cursor()
	lead, style := l.pointer(focused)
	lead += fmt.Sprintf("%d. ", c+1) + l.mark(c)
	indent := width(lead)
	tail := styled.Row{}
	if slices.Contains(l.q.Recommended, c) {
		tail = append(tail, in(styled.Accent, " [recommended]"))
	}
	if l.chosen(c) {
		tail = append(tail, in(styled.Done, " ✓"))
	}
	l.flow(max(indent+8, l.width-tail.Width()), styled.Row{in(style, lead)}, under(indent), in(style, label(name(l.q, c), 0)))
	last := &l.Body[len(l.Body)-1]
	*last = append(*last, tail...)
	if c < len(l.q.Options) {
		l.quote(strings.Repeat(" ", indent-2), l.q.Options[c].Description, styled.Dim)
	} else {
		l.other(c)
	}
	l.area(first, machine.Event{Action: machine.Pick, N: c + 1}, focused)
	if note := l.said.OptionNotes[c]; note != "" {
		l.put("     ", "comment: "+note, styled.Accent)
	}
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

// other adds the entry that choice c opens, or what was typed there.
func (l *layouter) other(c int) {
	const indent = 5
	if l.m.Mode() == machine.Entry {
		l.entry(indent)
		return
	}
	meant := l.said.Text
	if meant == nil && l.q.Kind == form.Many && l.m.Ticked(l.m.Step(), c) {
		meant = &l.entered // the select row is still to come
	}
	if meant != nil {
		l.typed(indent, "", *meant)
	}
	if strings.TrimSpace(l.entered) != "" && (meant == nil || *meant != l.entered) {
		l.typed(indent, "not your answer yet: ", l.entered)
	}
}

// typed adds a text the person has typed, and before it what is to be said of it.
func (l *layouter) typed(indent int, about, said string) {
	head := styled.Row{in(styled.Dim, strings.Repeat(" ", indent))}
	l.flow(l.width, head, head, in(styled.Accent, "✎"), in(styled.Dim, " "+about+said))
}

// folded is a dropdown that is not open.
func (l *layouter) folded() {
	said := cmp.Or(said(l.q, l.said), said(l.q, l.m.Ticks()), "Choose…")
	box := "[ " + shorten(brackets.Replace(text.OneLine(said, 0)), max(8, l.width-8)) + " ▾ ]"
	l.act(styled.Row{in(styled.Cursor, box)}, machine.Event{Action: machine.Open}, true)
}

// buttons lays the choices out in a row, or in as many as they need; what the
// focused one says of itself stands below.
func (l *layouter) buttons() {
	q, cursor := l.q, l.m.Cursor()
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

package popup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

func (l *layouter) question() {
	q := l.m.Question()
	if f := l.m.Form(); l.m.Step() == 0 {
		for _, text := range []string{f.Title, f.Intro} {
			if text != "" {
				l.quote("", text, span{style: l.theme.Accent})
			}
		}
	}
	if l.m.Dangerous(l.m.Step()) {
		l.put("", "⚠️  DESTRUCTIVE — "+label(q.Label, 60), span{style: l.theme.Warn})
	}
	l.quote("", q.Prompt, span{style: l.theme.Strong})
	if q.Description != "" {
		l.quote("", q.Description, span{style: l.theme.Dim})
	}
	l.blank(&l.body)
	switch {
	case l.m.Dangerous(l.m.Step()):
		l.put("", "Type the resource name to confirm:", span{style: l.theme.Text})
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
		l.blank(&l.body)
		l.put("", noteWord(l.m.Form())+": "+note, span{style: l.theme.Accent})
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
	rows := len(Wrap(l.m.Buffer(), l.width-indent-3)) // the cursor may need a cell more than the text
	if l.m.TypingSecret() {
		rows = 1
	}
	l.entryRow, l.entryCol = len(l.body), indent
	l.entryRows = max(1, min(rows, max(l.height/2-2, min(3, l.height-5))))
	l.entryText = rows
	for range l.entryRows {
		l.body = append(l.body, line{{strings.Repeat(" ", max(0, indent-2)), l.theme.Text}, {"│", l.theme.Accent}})
	}
	l.focus = [2]int{l.entryRow, len(l.body)}
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
		l.body = append(l.body, line{{"  " + bounds, l.theme.Dim}})
		return
	}
	row := line{{l.look.Cursor, l.theme.Cursor}, {text.OneLine(typed, 40), l.theme.Cursor}, {bounds, l.theme.Dim}}
	if typed == "" {
		row[1] = span{"no number yet", l.theme.Dim}
	}
	if a := l.m.Answer(l.m.Step()); a.Number != nil {
		row = append(row, span{"  ✓ " + said(q, a), l.theme.Done})
	}
	l.point(row, machine.Event{Action: machine.Open})
}

// point adds the one row of a question that has but one thing to act on.
func (l *layouter) point(row line, e machine.Event) {
	l.focus = [2]int{len(l.body), len(l.body) + 1}
	l.hits = append(l.hits, hit{row: len(l.body), event: e})
	l.body = append(l.body, row)
}

func (l *layouter) text() {
	step, q := l.m.Step(), l.m.Question()
	if q.Secret {
		l.put("", aboutSecret, span{style: l.theme.Dim})
	}
	if l.m.Mode() == machine.Text || l.m.Mode() == machine.Entry {
		l.entry(2)
	} else if l.st.read == nil {
		row := line{{l.look.Cursor, l.theme.Cursor}, {"Enter to type", l.theme.Dim}}
		if l.m.EntryText(step) != "" {
			row[1] = span{"Enter to change", l.theme.Dim}
		}
		l.point(row, machine.Event{Action: machine.Open})
	}
	a, text := l.m.Answer(step), l.m.EntryText(step)
	switch {
	case a.Text != nil && (*a.Text != text || l.m.Mode() == machine.Closed):
		l.typed(2, "✎ ", q.Hidden(*a.Text))
	case a.Empty:
		l.put("  ", "✓ left empty", span{style: l.theme.Done})
	case l.m.Mode() == machine.Closed && text != "":
		l.typed(2, "✎ not your answer yet: ", q.Hidden(text))
	case !a.Given() && l.m.Form().Partial:
		l.put("  ", "unanswered", span{style: l.theme.Dim})
	}
}

// list lists the rows that the filter leaves.
func (l *layouter) list() {
	if l.m.Mode() == machine.Filter {
		l.body = append(l.body, line{{"/", l.theme.Accent}})
		l.entryRow, l.entryCol, l.entryRows, l.entryText = len(l.body)-1, 2, 1, 1
	} else if text := l.m.FilterText(); text != "" {
		l.put("", "/ "+text, span{style: l.theme.Accent})
	}
	q, cursor := l.m.Question(), l.m.Cursor()
	for _, c := range l.m.Shown() {
		switch {
		case c < len(q.Options):
			o := q.Options[c]
			name := o.Label
			if o.Emoji != "" {
				name = o.Emoji + " " + name
			}
			l.choice(c, name, o.Description, c == cursor)
			if note := l.m.Answer(l.m.Step()).OptionNotes[c]; note != "" {
				l.put("     ", "comment: "+note, span{style: l.theme.Accent})
			}
		case q.Other != "" && c == len(q.Options):
			l.other(c, c == cursor)
		default:
			style, mark := l.theme.Text, strings.Repeat(" ", len([]rune(l.look.Cursor)))
			if c == cursor {
				style, mark = l.theme.Cursor, l.look.Cursor
			}
			first := len(l.body)
			l.body = append(l.body, line{{mark + "[Select]", style}})
			l.area(first, machine.Event{Action: machine.Commit}, c == cursor)
		}
	}
	if l.m.Form().Partial && !l.m.Answer(l.m.Step()).Given() {
		l.put("", "unanswered", span{style: l.theme.Dim})
	}
}

// mark is what stands before a choice's label.
func (l *layouter) mark(c int) string {
	q := l.m.Question()
	a := l.m.Answer(l.m.Step())
	chosen := slices.Contains(a.Choices, c) || c == len(q.Options) && a.Text != nil
	switch {
	case q.Kind == form.Many && l.m.Ticked(l.m.Step(), c):
		return "☑ "
	case q.Kind == form.Many:
		return "☐ "
	case l.look.Radio && chosen:
		return "◉ "
	case l.look.Radio:
		return "○ "
	}
	return ""
}

// choice adds one choice, its label and its description.
func (l *layouter) choice(c int, name, description string, focused bool) {
	q, first := l.m.Question(), len(l.body)
	lead, style := strings.Repeat(" ", len([]rune(l.look.Cursor))), l.theme.Text
	if focused {
		lead, style = l.look.Cursor, l.theme.Cursor
	}
	if l.look.Numbered {
		lead += fmt.Sprintf("%d. ", c+1)
	}
	lead += l.mark(c)
	indent := Width(lead)
	tail := line{}
	if slices.Contains(q.Recommended, c) {
		tail = append(tail, span{" [recommended]", l.theme.Accent})
	}
	a := l.m.Answer(l.m.Step())
	if slices.Contains(a.Choices, c) || c == len(q.Options) && a.Text != nil {
		tail = append(tail, span{" ✓", l.theme.Done})
	}
	rows := Wrap(label(name, 0), max(8, l.width-indent-tail.width()))
	for n, row := range rows {
		at := line{{lead, style}}
		if n > 0 {
			at = l.under(indent)
		}
		at = append(at, span{row, style})
		if n == len(rows)-1 {
			at = append(at, tail...)
		}
		l.body = append(l.body, at)
	}
	if description != "" {
		l.quote(strings.Repeat(" ", max(0, indent-2)), description, span{style: l.theme.Dim})
	}
	l.area(first, machine.Event{Action: machine.Pick, N: c + 1}, focused)
}

// area makes the rows from first on do e when clicked.
func (l *layouter) area(first int, e machine.Event, focused bool) {
	for row := first; row < len(l.body); row++ {
		l.hits = append(l.hits, hit{row: row, event: e})
	}
	if focused {
		l.focus = [2]int{first, len(l.body)}
	}
}

// other adds the choice that opens a text entry, and the entry or what was typed.
func (l *layouter) other(c int, focused bool) {
	q, step := l.m.Question(), l.m.Step()
	first := len(l.body)
	l.choice(c, q.Other, "", focused)
	indent := 5
	if l.m.Mode() == machine.Entry {
		l.entry(indent)
		l.focus[0] = first
		return
	}
	meant, text := l.m.Answer(step).Text, l.m.EntryText(step)
	if meant == nil && q.Kind == form.Many && l.m.Ticked(step, c) {
		meant = &text // the select row is still to come
	}
	if meant != nil {
		l.typed(indent, "✎ ", *meant)
	}
	if strings.TrimSpace(text) != "" && (meant == nil || *meant != text) {
		l.typed(indent, "✎ not your answer yet: ", text)
	}
	l.area(first, machine.Event{Action: machine.Pick, N: c + 1}, focused)
}

// typed adds a text the person has typed.
func (l *layouter) typed(indent int, sign, said string) {
	for n, row := range Wrap(text.Visible(sign+said), l.width-indent) {
		at := line{{strings.Repeat(" ", indent), l.theme.Dim}, {row, l.theme.Dim}}
		if n == 0 {
			at = line{{strings.Repeat(" ", indent), l.theme.Dim}, {"✎", l.theme.Accent}, {strings.TrimPrefix(row, "✎"), l.theme.Dim}}
		}
		l.body = append(l.body, at)
	}
}

// folded is a dropdown that is not open.
func (l *layouter) folded() {
	said := said(l.m.Question(), l.m.Answer(l.m.Step()))
	if ticks := l.ticked(); said == "" && ticks != "" {
		said = ticks
	}
	if said == "" {
		said = "Choose…"
	}
	box := "[ " + brackets.Replace(text.OneLine(said, max(8, l.width-8))) + " ▾ ]"
	l.point(line{{box, l.theme.Cursor}}, machine.Event{Action: machine.Open})
}

// ticked is what is ticked of the question on view, in words.
func (l *layouter) ticked() string {
	var labels []string
	for c, o := range l.m.Question().Options {
		if l.m.Question().Kind == form.Many && l.m.Ticked(l.m.Step(), c) {
			labels = append(labels, label(o.Label, 0))
		}
	}
	return strings.Join(labels, ", ")
}

// buttons lays the choices out in a row, or in as many as they need; what the
// focused one says of itself stands below.
func (l *layouter) buttons() {
	q, cursor := l.m.Question(), l.m.Cursor()
	row, x := line{}, 0
	for _, c := range l.m.Shown() {
		name := q.Other
		if c < len(q.Options) {
			name = q.Options[c].Label
			if e := q.Options[c].Emoji; e != "" {
				name = e + " " + name
			}
		}
		text := "[ " + l.mark(c) + framed(name, max(8, l.width-8)) + " ]"
		style := l.theme.Text
		if c == cursor {
			style = l.theme.Cursor.Reverse(true)
		}
		w := Width(text)
		if x > 0 && x+w > l.width {
			l.body = append(l.body, row)
			row, x = line{}, 0
		}
		l.hits = append(l.hits, hit{len(l.body), x, x + w, machine.Event{Action: machine.Pick, N: c + 1}})
		row = append(row, span{text, style}, span{"  ", l.theme.Text})
		x += w + 2
		if c == cursor {
			l.focus = [2]int{len(l.body), len(l.body) + 1}
		}
	}
	l.body = append(l.body, row)
	if cursor < len(q.Options) && q.Options[cursor].Description != "" {
		l.blank(&l.body)
		l.quote("", q.Options[cursor].Description, span{style: l.theme.Dim})
	}
	if l.m.Mode() == machine.Entry {
		l.entry(2)
	}
}

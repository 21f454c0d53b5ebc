package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

func (l *layouter) question() {
	q, dangerous := l.q, l.m.Dangerous(l.m.Step())
	if p := FocusedPreview(l.m); p != nil && l.st.Expanded {
		l.expanded(*p)
		return
	}
	if dangerous {
		to := &l.Body
		if l.roomy { // it does not scroll
			to = &l.Head
		}
		*to = append(*to, styled.Wrap(styled.Row{in(styled.Danger, "⚠  DESTRUCTIVE — "+Label(q.Label, 60))}, l.width)...)
	}
	l.asked(dangerous)
	l.blank(&l.Body)
	switch {
	case l.alone:
		return
	case dangerous:
		l.confirm()
	case q.Kind == form.Number:
		l.number()
	case q.Kind == form.Text:
		l.text()
	case q.Style == form.Buttons:
		l.buttons()
	default:
		l.choices()
		return
	}
	l.note()
}

// What a dangerous question says of itself.
const (
	Confirm      = "Type the resource name to confirm:"
	ConfirmSends = "What you type is sent to the agent."
)

// confirm asks for the name of what is at stake.
func (l *layouter) confirm() {
	ask := styled.Row{in(styled.Text, Confirm)}
	if l.q.Expected != "" {
		ask = append(ask, in(styled.Strong, " "+text.Quoted(l.q.Expected, 0)))
	}
	sends := in(styled.Dim, ConfirmSends)
	if beside := append(ask, in(styled.Dim, "  "), sends); beside.Width() <= l.width {
		l.flow(l.width, nil, nil, beside...)
	} else {
		l.flow(l.width, nil, nil, ask...)
		l.flow(l.width, nil, nil, sends)
	}
	l.entry(2)
}

// entry makes room in the body for the open text entry.
func (l *layouter) entry(indent int) {
	right := min(l.width, proseColumns)
	framed := l.roomy && indent > 1
	area := right - indent - 1
	if framed {
		area--
	}
	rows := len(cells.Wrap(text.Bare(l.m.Buffer()), area-2)) // the cursor may need a cell more than the text
	if l.m.TypingSecret() {
		rows = 1
	}
	shown := max(1, min(rows, max(l.height/2-2, min(3, l.height-5))))
	top, before := len(l.Body), in(styled.Text, strings.Repeat(" ", max(0, indent-2)))
	rule := func(begin, end string) {
		if framed {
			l.Body = append(l.Body, styled.Row{before, in(styled.Rule, begin+strings.Repeat("─", area+1)+end)})
		}
	}
	rule("╭", "╮")
	l.Entry = Entry{Row: len(l.Body), Col: indent, Rows: shown, Cols: area, Text: rows}
	for range shown {
		row := styled.Row{before, in(styled.Rule, "│")}
		if framed {
			row = append(row, in(styled.Rule, strings.Repeat(" ", area+1)+"│"))
		}
		l.Body = append(l.Body, row)
	}
	rule("╰", "╯")
	l.Focus = [2]int{top, len(l.Body)}
}

// Bounds says what a number may be; empty where that is anything.
func Bounds(q *form.Question) string {
	switch {
	case q.Min != nil && q.Max != nil:
		return fmt.Sprintf("from %v to %v", *q.Min, *q.Max)
	case q.Min != nil:
		return fmt.Sprintf("at least %v", *q.Min)
	case q.Max != nil:
		return fmt.Sprintf("at most %v", *q.Max)
	}
	return ""
}

func (l *layouter) number() {
	q, bounds := l.q, "  "+Bounds(l.q)
	if l.m.Mode() == machine.Entry {
		l.entry(2)
		l.Body = append(l.Body, styled.Row{in(styled.Dim, "  "+bounds)})
		return
	}
	row := styled.Row{in(styled.Cursor, cursor+cmp.Or(text.OneLine(l.entered, 40), "no number yet")+" "), in(styled.Dim, bounds)}
	if l.said.Number != nil {
		row = append(row, in(styled.Done, "  ✓ "+Said(q, l.said)))
	}
	l.act(row, machine.Event{Action: machine.Open}, true)
}

func (l *layouter) text() {
	if l.q.Secret {
		l.put("", AboutSecret, styled.Dim)
	}
	if l.m.Mode() == machine.Text || l.m.Mode() == machine.Entry {
		l.entry(2)
	} else if !l.m.ReadOnly() {
		words := "just type "
		if l.entered != "" {
			words = "Enter to change "
		}
		l.act(styled.Row{in(styled.Cursor, cursor+words)}, machine.Event{Action: machine.Open}, true)
	}
	switch text := l.said.Text; {
	case text != nil && (*text != l.entered || l.m.Mode() == machine.Closed):
		l.typed(2, "", l.q.Hidden(*text))
	case l.said.Empty:
		l.put("  ", "✓ left empty", styled.Done)
	case l.m.Mode() == machine.Closed && l.entered != "":
		l.typed(2, NotYet, l.q.Hidden(l.entered))
	case !l.said.Given() && l.m.Form().Partial:
		l.put("  ", "unanswered", styled.Dim)
	}
}

// list lists the rows that the filter leaves.
func (l *layouter) list() {
	if l.m.Mode() == machine.Filter {
		l.Body = append(l.Body, styled.Row{in(styled.Accent, "/")})
		l.Entry = Entry{Row: len(l.Body) - 1, Col: 2, Rows: 1, Cols: min(l.width, proseColumns) - 3, Text: 1}
	}
	for _, c := range l.m.Shown() {
		if c == l.m.Choices(l.m.Step())-1 && l.q.SelectRow {
			mark, style := l.pointer(c == l.m.Cursor())
			l.act(styled.Row{in(style, mark+"[Select] ")}, machine.Event{Action: machine.Commit}, c == l.m.Cursor())
		} else {
			l.choice(c)
		}
	}
	if l.m.Form().Partial && !l.said.Given() {
		l.put("", "unanswered", styled.Dim)
	}
}

// Mark reports whether choice c of the question on view is chosen, and the sign that
// says so in the form's dialect; empty where it has none.
func Mark(m *machine.Machine, c int) (chosen bool, sign string) {
	radio, q := keymap.Of(m.Form()).Look.Radio, m.Question()
	if q.Kind == form.Many {
		chosen = m.Ticked(m.Step(), c)
		return chosen, map[bool]string{true: "☑", false: "☐"}[chosen]
	}
	a := m.Answer(m.Step())
	chosen = slices.Contains(a.Choices, c) || c == len(q.Options) && a.Text != nil
	switch {
	case radio:
		return chosen, map[bool]string{true: "◉", false: "○"}[chosen]
	case chosen:
		return chosen, "✓"
	}
	return chosen, ""
}

// mark is what stands before a choice's label.
func (l *layouter) mark(c int) string {
	if _, sign := Mark(l.m, c); sign != "" && sign != "✓" {
		return sign + " "
	}
	return ""
}

// choice adds one choice: its label, what it says of itself and what is said to it.
func (l *layouter) choice(c int) {
	first, focused := len(l.Body), c == l.m.Cursor()
	lead, style := l.pointer(focused)
	lead += l.lead(c) + l.mark(c)
	indent := width(lead)
	tail := styled.Row{in(style, " ")}
	if slices.Contains(l.q.Recommended, c) {
		tail = append(tail, in(styled.Advice, Advised+" "))
	}
	if _, sign := Mark(l.m, c); sign == "✓" {
		tail = append(tail, in(styled.Done, "✓"))
	}
	rest := styled.Row{in(styled.Text, strings.Repeat(" ", indent))}
	l.flow(max(indent+8, l.width-tail.Width()), styled.Row{in(style, lead)}, rest, in(style, Label(Name(l.q, c), 0)))
	last := &l.Body[len(l.Body)-1]
	*last = append(*last, tail...)
	if c < len(l.q.Options) {
		l.describe(indent, l.q.Options[c].Description, focused)
	} else {
		l.other(indent)
	}
	l.area(first, machine.Event{Action: machine.Pick, N: c + 1}, focused)
	if note := l.said.OptionNotes[c]; note != "" {
		l.typed(indent, "comment: ", note)
	}
}

// Advised stands behind what the agent recommends.
const Advised = "[recommended]"

// lead is the number of choice c.
func (l *layouter) lead(c int) string { return fmt.Sprintf("%d. ", c+1) }

// describe adds what an option says of itself: behind its label, which begins at a
// column, or below it, the same everywhere in a form.
func (l *layouter) describe(indent int, said string, focused bool) {
	style := styled.Dim
	if focused {
		style = styled.Text
	}
	switch last := &l.Body[len(l.Body)-1]; {
	case said == "":
	case l.brief > 0 && l.q.Style != form.Buttons:
		pad := strings.Repeat(" ", max(1, l.brief-last.Width()))
		*last = append(*last, in(styled.Text, pad), in(style, Label(said, 0)))
	default:
		l.marked(styled.Row{in(style, strings.Repeat(" ", indent))}, style, ours.Replace(said))
	}
}

// behind is where descriptions of q's options begin that stand behind the labels.
func (l *layouter) behind(q *form.Question) int {
	widest := 0
	for c, o := range q.Options {
		if o.Description == "" {
			continue
		}
		w := width(cursor + l.lead(c) + Label(Name(q, c), 0) + " ")
		if slices.Contains(q.Recommended, c) {
			w += width(Advised + " ")
		}
		widest = max(widest, w)
	}
	return widest + 3 // a mark before the label, or a ✓ behind it, and two blanks
}

// briefly reports whether whatever the form's options say of themselves fits behind
// their labels. What has previews leaves no room for that.
func (l *layouter) briefly() bool {
	for i := range l.m.Form().Questions {
		q := &l.m.Form().Questions[i]
		column := l.behind(q)
		for _, o := range q.Options {
			if o.Preview != nil || strings.Contains(o.Description, "\n") || o.Description != "" && column+width(Label(o.Description, 0)) > l.width {
				return false
			}
		}
	}
	return true
}

// Name is what choice c of a question is called.
func Name(q *form.Question, c int) string {
	switch {
	case c >= len(q.Options):
		return q.Other
	case q.Options[c].Emoji != "":
		return q.Options[c].Emoji + " " + q.Options[c].Label
	}
	return q.Options[c].Label
}

// cursor stands before what has the focus, for terminals without colours too.
const cursor = "> "

// pointer is what stands before a row that can have the cursor, and its style.
func (l *layouter) pointer(focused bool) (string, styled.Style) {
	if focused {
		return cursor, styled.Cursor
	}
	return strings.Repeat(" ", len(cursor)), styled.Text
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

// other adds the entry that the question's Other opens, or what was typed there.
func (l *layouter) other(indent int) {
	if l.m.Mode() == machine.Entry {
		l.entry(indent)
		return
	}
	meant, entered := Other(l.m)
	if meant != "" {
		l.typed(indent, "", meant)
	}
	if entered != "" {
		l.typed(indent, NotYet, entered)
	}
}

// NotYet stands before what is typed and not said.
const NotYet = "not your answer yet: "

// Other is what was typed in place of the options of the question on view: what is
// meant, and what is in the entry and is not meant yet.
func Other(m *machine.Machine) (meant, entered string) {
	q, said := m.Question(), m.Answer(m.Step()).Text
	switch entered = m.EntryText(m.Step()); {
	case said != nil:
		meant = *said
	case q.Kind == form.Many && m.Ticked(m.Step(), len(q.Options)):
		meant = entered // the select row is still to come
	}
	if strings.TrimSpace(entered) == "" || meant == entered {
		entered = ""
	}
	return meant, entered
}

// typed adds a text the person has typed, and before it what is to be said of it.
func (l *layouter) typed(indent int, about, said string) {
	head := styled.Row{in(styled.Dim, strings.Repeat(" ", indent))}
	l.flow(l.width, head, head, in(styled.Accent, "✎"), in(styled.Dim, " "+about+said))
}

// buttons lays the choices out in a row, or in as many as they need; what the
// focused one says of itself stands below.
func (l *layouter) buttons() {
	q, focus := l.q, l.m.Cursor()
	var row styled.Row
	for _, c := range l.m.Shown() {
		begin, end, style := "[ ", " ]", styled.Text
		if c == focus {
			begin, end, style = cursor, "  ", styled.Cursor
		}
		text := begin + l.mark(c) + shorten(framed(Name(q, c), 0), max(8, l.width-8)) + end
		button := in(style, text)
		x, w := row.Width(), cells.Width(button.Text)
		if x > 0 && x+w > l.width {
			l.Body = append(l.Body, row)
			row, x = nil, 0
		}
		l.Hits = append(l.Hits, Hit{len(l.Body), x, x + w, machine.Event{Action: machine.Pick, N: c + 1}})
		row = append(row, button, in(styled.Text, "  "))
		if c == focus {
			l.Focus = [2]int{len(l.Body), len(l.Body) + 1}
		}
	}
	l.Body = append(l.Body, row)
	if focus < len(q.Options) && q.Options[focus].Description != "" {
		l.blank(&l.Body)
		l.describe(4, q.Options[focus].Description, false)
	}
	if l.m.Mode() == machine.Entry {
		l.entry(2)
	}
}

// AboutSecret is what a secret question says of itself.
const AboutSecret = "🔒 Secret: masked here and kept in no draft. The agent gets it as you type it."

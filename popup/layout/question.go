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
	"github.com/askpane/askpane/popup/scene"
)

func (l *layouter) question() {
	q, p := l.s.Question, l.s.Preview
	if p != nil && l.on.Expanded {
		l.expanded(*p)
		return
	}
	if l.s.Danger {
		to := &l.Body
		if l.roomy { // it does not scroll
			to = &l.Head
		}
		*to = append(*to, styled.Wrap(styled.Row{in(styled.Danger, scene.Destructive+l.s.Label)}, l.width)...)
	}
	l.asked()
	l.kept = 0
	if q.Subject != nil && !l.alone {
		l.subject()
	}
	l.blank(&l.Body)
	switch {
	case l.s.Document != nil:
		l.document()
		return
	case l.alone:
		return
	case l.s.Danger:
		l.confirm()
	case q.Kind == form.Number:
		l.number()
	case q.Kind == form.Text:
		l.text()
	case q.Style == form.Buttons && inARow(q, l.width):
		l.buttons()
	default:
		l.choices()
		return
	}
	l.note()
}

// bar stands left of every row of what an agent asks: nothing of ours begins with it,
// so that no such text can pass for a choice, a tab, the review or the form's frame,
// without colours too.
const bar = "▎ "

// asked adds what the agent asks, right of one bar.
func (l *layouter) asked() {
	head := styled.Row{{Text: bar, Style: styled.Accent}}
	if l.s.Danger {
		head[0].Style = styled.Danger
	}
	for _, p := range l.s.Asked {
		if p.Gap {
			l.blank(&l.Body, head...)
		}
		from := len(l.Body)
		if l.marked(head, p.Style, p.Text); p.Style == styled.Strong {
			l.Asked = [2]int{from, len(l.Body)}
		}
	}
}

// marked adds an agent's text to the body, head before each row.
func (l *layouter) marked(head styled.Row, style styled.Style, said string) {
	for _, b := range styled.Markup(style, text.Bare(text.Visible(said))) {
		first, rest := head, head
		switch lead := (styled.Span{Text: b.Lead, Style: style}); {
		case b.Code:
			for _, row := range styled.WrapCode(b.Line, l.width-head.Width()) {
				l.Body = append(l.Body, append(head[:len(head):len(head)], row...))
			}
			continue
		case len(b.Lead) > l.width/4:
			b.Line = append(styled.Row{lead}, b.Line...)
		case b.Lead != "":
			first = append(head[:len(head):len(head)], lead)
			rest = append(head[:len(head):len(head)], styled.Span{Text: strings.Repeat(" ", width(b.Lead)), Style: style})
		}
		l.flow(min(l.width, proseColumns), first, rest, b.Line...)
	}
}

// framed keeps brackets of ours apart from those in a label, in a tab or a button.
func framed(label string) string { return brackets.Replace(label) }

var brackets = strings.NewReplacer("[", "(", "]", ")")

// confirm asks for the name of what is at stake.
func (l *layouter) confirm() {
	ask := styled.Row{in(styled.Text, l.s.Entry.Label)}
	if l.s.Question.Expected != "" {
		ask = append(ask, in(styled.Strong, " "+text.Quoted(l.s.Question.Expected, 0)))
	}
	sends := in(styled.Dim, l.s.Entry.About)
	if beside := append(ask, in(styled.Dim, "  "), sends); beside.Width() <= l.width {
		l.flow(l.width, nil, nil, beside...)
	} else {
		l.flow(l.width, nil, nil, ask...)
		l.flow(l.width, nil, nil, sends)
	}
	l.entry(2, l.s.Entry)
}

// typing makes of a text what the text area wraps: its tabs are of four cells, and uniseg 0.4.7 has
// it break a line behind each emoji with a skin tone.
var typing = strings.NewReplacer("\t", "    ", "🏻", "🏻\n", "🏼", "🏼\n", "🏽", "🏽\n", "🏾", "🏾\n", "🏿", "🏿\n")

// entry makes room in the body for a text entry, which is open.
func (l *layouter) entry(indent int, e *scene.Entry) {
	right := min(l.width, proseColumns)
	framed := l.roomy && indent > 1
	area := right - indent - 1
	if framed {
		area--
	}
	rows := len(cells.Wrap(typing.Replace(e.Text), area-2)) // the cursor may need a cell more than the text
	if e.Secret {
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

func (l *layouter) number() {
	bounds := "  " + l.s.Entry.Bounds
	if l.s.Mode == machine.Entry {
		l.entry(2, l.s.Entry)
		l.Body = append(l.Body, styled.Row{in(styled.Dim, "  "+bounds)})
		return
	}
	row := styled.Row{in(styled.Cursor, cursor+cmp.Or(text.OneLine(l.s.Entry.Text, 40), "no number yet")+" "), in(styled.Dim, bounds)}
	if l.s.Answer.Given() {
		row = append(row, in(styled.Done, "  "+l.s.Said))
	}
	l.clickableRow(row, machine.Event{Action: machine.Open}, true)
}

func (l *layouter) text() {
	entered := l.s.Entry.Text
	if l.s.Question.Secret {
		l.put("", l.s.Entry.About, styled.Dim)
	}
	if l.s.Entry.Open {
		l.entry(2, l.s.Entry)
	} else if !l.s.Reading {
		words, wanted := "just type ", "  "+l.s.Entry.Placeholder
		if entered != "" {
			words, wanted = "Enter to change ", ""
		}
		row := styled.Row{in(styled.Cursor, cursor+words), in(styled.Dim, shorten(wanted, l.width-width(cursor+words)))}
		l.clickableRow(row, machine.Event{Action: machine.Open}, true)
	}
	switch text := l.s.Answer.Text; {
	case text != nil && (*text != entered || l.s.Mode == machine.Closed):
		l.typed(2, l.s.Question.Hidden(*text))
	case l.s.Answer.Empty:
		l.put("  ", "✓ left empty", styled.Done)
	case l.s.Mode == machine.Closed && entered != "":
		l.typed(2, scene.NotYet+l.s.Question.Hidden(entered))
	case !l.s.Answer.Given() && l.s.Said != "":
		l.put("  ", l.s.Said, styled.Dim)
	}
}

// list lists the rows that the filter leaves.
func (l *layouter) list() {
	if l.s.Mode == machine.Filter {
		l.Body = append(l.Body, styled.Row{in(styled.Accent, fmt.Sprintf("%-*s", min(l.width, leastBeside), "/"))}) // in blanks, so that it has room beside a preview
		l.Entry = Entry{Row: len(l.Body) - 1, Col: 2, Rows: 1, Cols: min(l.width, proseColumns) - 3, Text: 1}
	}
	for _, c := range l.s.Choices {
		if c.Selects {
			mark, style := l.pointer(c.N == l.s.Cursor)
			l.clickableRow(styled.Row{in(style, mark+"[Select] ")}, machine.Event{Action: machine.Commit}, c.N == l.s.Cursor)
		} else {
			l.choice(c)
		}
	}
	if l.s.Mode == machine.Filter { // what is typed stays on view with the choice that it leads to
		l.Focus = [2]int{l.Entry.Row, max(l.Focus[1], l.Entry.Row+1)}
	}
	if l.s.Said != "" {
		l.put("", l.s.Said, styled.Dim)
	}
}

// sign returns what stands before a choice's label.
func sign(c scene.Choice) string {
	if c.Mark != "" && c.Mark != "✓" {
		return c.Mark + " "
	}
	return ""
}

// choice adds one choice: its label, what it says of itself and what is said to it.
func (l *layouter) choice(c scene.Choice) {
	first, focused := len(l.Body), c.N == l.s.Cursor
	lead, style := l.pointer(focused)
	lead += number(c.N) + sign(c)
	indent := width(lead)
	said := styled.Row{in(style, c.Label+" ")}
	if c.Advised != "" {
		said = append(said, in(styled.Advice, c.Advised+" "))
	}
	if c.Mark == "✓" {
		said = append(said, in(styled.Done, c.Mark))
	}
	rest := styled.Row{in(styled.Text, strings.Repeat(" ", indent))}
	l.flow(max(indent+8, l.width-1), styled.Row{{Text: lead, Style: style}}, rest, said...)
	last := &l.Body[len(l.Body)-1]
	*last = append(*last, in(said[len(said)-1].Style, " ")) // of which wrapping leaves none at the end
	l.describe(indent, c.Description, focused)
	if l.s.Mode == machine.Entry && c.N == len(l.s.Question.Options) { // its Other is open
		l.entry(indent, l.s.Entry)
	}
	l.typed(indent, c.Meant)
	l.typed(indent, c.Typed)
	l.clickable(first, machine.Event{Action: machine.Pick, N: c.N + 1}, focused)
	l.typed(indent, c.Note)
}

// number returns that of choice c.
func number(c int) string { return fmt.Sprintf("%d. ", c+1) }

// describe adds what an option says of itself: behind its label, which begins at a
// column, or below it, the same everywhere in a form.
func (l *layouter) describe(indent int, said string, focused bool) {
	if said == "" {
		return
	}
	style := styled.Dim
	if focused {
		style = styled.Text
	}
	if l.brief == 0 {
		if l.brief = -1; briefly(l.s.Form, l.width) {
			l.brief = behind(l.s.Question)
		}
	}
	if last := &l.Body[len(l.Body)-1]; l.brief > 0 {
		pad := strings.Repeat(" ", max(1, l.brief-last.Width()))
		*last = append(*last, in(styled.Text, pad), in(style, scene.Label(said, 0)))
	} else {
		l.marked(styled.Row{in(style, strings.Repeat(" ", indent))}, style, scene.Signless(said))
	}
}

// behind returns where descriptions of q's options begin that stand behind the labels.
func behind(q *form.Question) int {
	widest := 0
	for c, o := range q.Options {
		if o.Description == "" {
			continue
		}
		w := width(cursor + number(c) + scene.Label(scene.Name(q, c), 0) + " ")
		if slices.Contains(q.Recommended, c) {
			w += width(scene.Advised + " ")
		}
		widest = max(widest, w)
	}
	return widest + 3 // a mark before the label, or a ✓ behind it, and two blanks
}

// briefly reports whether whatever a form's options say of themselves fits behind their labels in
// so many columns. What has previews leaves no room for that.
func briefly(f *form.Form, columns int) bool {
	return !slices.ContainsFunc(f.Questions, func(q form.Question) bool {
		at := behind(&q)
		return slices.ContainsFunc(q.Options, func(o form.Option) bool {
			return o.Preview != nil || strings.Contains(o.Description, "\n") || o.Description != "" && at+width(scene.Label(o.Description, 0)) > columns
		})
	})
}

// cursor stands before what has the focus, for terminals without colours too.
const cursor = "> "

// pointer returns what stands before a row that can have the cursor, and its style.
func (l *layouter) pointer(focused bool) (string, styled.Style) {
	if focused {
		return cursor, styled.Cursor
	}
	return strings.Repeat(" ", len(cursor)), styled.Text
}

// clickableRow adds a row, or as many as it needs, that does e when clicked.
func (l *layouter) clickableRow(row styled.Row, e machine.Event, focused bool) {
	first := len(l.Body)
	if l.Body = append(l.Body, row); row.Width() > l.width {
		l.Body = append(l.Body[:first], styled.Wrap(row, l.width)...)
	}
	l.clickable(first, e, focused)
}

// clickable makes the rows from first on do e when clicked.
func (l *layouter) clickable(first int, e machine.Event, focused bool) {
	for row := first; row < len(l.Body); row++ {
		l.Hits = append(l.Hits, Hit{Row: row, Event: e})
	}
	if focused {
		l.Focus = [2]int{first, len(l.Body)}
	}
}

// typed adds a text the person has typed, if any.
func (l *layouter) typed(indent int, said string) {
	if said == "" {
		return
	}
	head := styled.Row{in(styled.Dim, strings.Repeat(" ", indent))}
	l.flow(l.width, head, head, in(styled.Accent, "✎"), in(styled.Dim, " "+said))
}

// inARow reports whether the buttons of q stand beside each other: a label wider than the form is read whole only in a list.
func inARow(q *form.Question, columns int) bool {
	return !slices.ContainsFunc(q.Options, func(o form.Option) bool { return width(scene.Label(o.Emoji+" "+o.Label, 0)) > columns-8 })
}

// buttons lays the choices out in a row, or in as many as they need; what the
// focused one says of itself stands below.
func (l *layouter) buttons() {
	focus, about := l.s.Cursor, ""
	var row styled.Row
	for _, c := range l.s.Choices {
		begin, end, style := "[ ", " ]", styled.Text
		if c.N == focus {
			begin, end, style, about = cursor, "  ", styled.Cursor, c.Description
		}
		button := in(style, begin+sign(c)+framed(c.Label)+end)
		x, w := row.Width(), cells.Width(button.Text)
		if x > 0 && x+w > l.width {
			l.Body = append(l.Body, row)
			row, x = nil, 0
		}
		l.Hits = append(l.Hits, Hit{len(l.Body), x, x + w, machine.Event{Action: machine.Pick, N: c.N + 1}})
		row = append(row, button, in(styled.Text, "  "))
		if c.N == focus {
			l.Focus = [2]int{len(l.Body), len(l.Body) + 1}
		}
	}
	l.Body = append(l.Body, row)
	other := l.s.Choices[len(l.s.Choices)-1]
	l.typed(2, other.Meant)
	l.typed(2, other.Typed)
	if about != "" {
		l.blank(&l.Body)
		l.marked(styled.Row{in(styled.Dim, "    ")}, styled.Dim, scene.Signless(about))
	}
	if l.s.Mode == machine.Entry {
		l.entry(2, l.s.Entry)
	}
}

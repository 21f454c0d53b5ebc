package layout

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// document shows what the question is about above the choices, as much of it as they leave
// room for; a remark that is written stands in the place of the choices.
func (l *layouter) document() {
	below := func(l *layouter) {
		l.blank(&l.Body)
		l.list()
		l.note()
	}
	if l.s.Mode == machine.Entry { // the whole text is in the entry
		below(l)
		return
	}
	trial := *l
	if trial.Body, trial.Hits = nil, nil; l.s.Remark != nil {
		trial.remark()
	} else {
		below(&trial)
	}
	top := len(l.Body)
	rows, lines := l.annotated()
	l.preview("╭ ", "│ ", "╰", "", rows, max(leastPreview, l.left()-len(trial.Body)-2))
	if about := l.s.Document.About; about != "" {
		l.Body[top] = append(l.Body[top], in(styled.Dim, shorten("  "+about, max(0, l.width-l.Body[top].Width()))))
	}
	if l.Pane.Lines = lines; l.s.Document.Focused {
		l.Focus = [2]int{top, len(l.Body)}
		l.Pane.Focus = [2]int{l.first(lines, 0), l.first(lines, 1)}
	}
	if l.s.Remark == nil {
		below(l)
	}
}

// first returns the first row of the place under the cursor, or of those so many lines below it.
func (l *layouter) first(lines []int, below int) int {
	for i, line := range lines {
		if line >= l.s.Document.Line+below {
			return i
		}
	}
	return len(lines)
}

// annotated returns the rows of the document, with a sign of ours before each: where the
// cursor stands, what has changed, what the person has said. lines has the place of each.
func (l *layouter) annotated() (rows []styled.Row, lines []int) {
	d, width := l.s.Document, l.width-4
	remarks, place, first := d.Remarks, 1, true // the first row of the place
	var gap []styled.Row                        // rows without text, which belong to what follows
	add := func(sign styled.Span, row styled.Row) {
		rows, lines = append(rows, append(styled.Row{sign}, row...)), append(lines, place)
	}
	say := func(before int) { // what was said to the places above one
		for ; len(remarks) > 0 && remarks[0].Line < before; remarks = remarks[1:] {
			style := text.If(remarks[0].Sent, styled.Dim, styled.Accent)
			for i, row := range styled.Wrap(styled.Row{in(style, remarks[0].Text)}, width) {
				add(in(styled.Accent, text.If(i == 0, "✎ ", "  ")), row)
			}
		}
	}
	for _, row := range l.on.Previews(form.Preview{Type: styled.Document, Content: d.Text}, width) {
		if strings.TrimSpace(row.String()) == "" {
			gap = append(gap, row)
			continue
		}
		if at := d.Places.Place(row.Line()); row.Line() > 0 && at != place {
			say(at)
			place, first = at, true
		}
		for _, blank := range gap {
			add(in(styled.Text, "  "), blank)
		}
		gap = nil
		add(l.mark(place, first), row)
		first = false
	}
	for _, blank := range gap {
		add(in(styled.Text, "  "), blank)
	}
	say(len(d.Text) + 2)
	return rows, lines
}

// mark returns the sign before a row of a place.
func (l *layouter) mark(place int, first bool) styled.Span {
	switch d := l.s.Document; {
	case d.Focused && d.Line == place && first:
		return in(styled.Cursor, cursor)
	case d.Changed[place]:
		return in(styled.Added, "+ ")
	}
	return in(styled.Text, "  ")
}

package popup

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// typedSign stands before what the person has typed.
const typedSign = "✎ "

// review lists every answer with its remarks, and the row that submits.
func (l *layouter) review() {
	f := l.m.Form()
	for i := range f.Questions {
		l.reviewRow(i)
	}
	if c := l.m.Comment(); c != "" && l.m.Mode() != machine.Note {
		l.put("  ", "comment: "+c, span{style: l.theme.Accent})
	}
	l.blank(&l.body)
	if l.st.read != nil { // nothing is submitted
		for _, note := range l.st.read.notes {
			l.put("  ", note, span{style: l.theme.Text})
		}
		return
	}
	row := line{{"  Submit", l.theme.Text}}
	if l.m.Cursor() == len(f.Questions) {
		row = line{{l.look.Cursor + "Submit", l.theme.Cursor}}
		l.focus = [2]int{len(l.body), len(l.body) + 1}
	}
	if open := f.Missing(l.m.Answers()); len(open) > 0 {
		word := "not answered yet"
		if f.Partial {
			word = "left for discussion"
		}
		row = append(row, span{fmt.Sprintf("  (%d %s)", len(open), word), l.theme.Dim})
	}
	l.hits = append(l.hits, hit{row: len(l.body), event: machine.Event{Action: machine.Choose}})
	l.body = append(l.body, row)
}

func (l *layouter) reviewRow(i int) {
	f := l.m.Form()
	q, a := &f.Questions[i], l.m.Answer(i)
	first, focused := len(l.body), l.m.Cursor() == i
	mark, style := "  ", l.theme.Text
	if focused {
		mark, style = l.look.Cursor, l.theme.Cursor
	}
	head := line{{mark, style}, {label(q.Label, 40) + ": ", style}}
	value, valueStyle := said(q, a), l.theme.Done
	switch {
	case !a.Given() && (q.Optional || l.st.read != nil):
		value, valueStyle = "not answered", l.theme.Dim
	case !a.Given():
		value, valueStyle = "not answered yet", l.theme.Warn
	}
	room := l.width - head.width()
	if room < 16 { // too little beside the label: below it then
		l.body = append(l.body, head)
		head, room = line{{"    ", style}}, l.width-4
	}
	indent := head.width()
	for n, row := range Wrap(text.Visible(value), room) {
		if n > 0 {
			head = l.under(indent)
		}
		l.body = append(l.body, append(slices.Clip(head), span{row, valueStyle}))
	}
	if a.Note != "" {
		l.put("    ", noteWord(f)+": "+a.Note, span{style: l.theme.Accent})
	}
	for _, c := range slices.Sorted(maps.Keys(a.OptionNotes)) {
		if c >= 0 && c < len(q.Options) {
			l.put("    ", "comment on “"+text.OneLine(q.Options[c].Label, 40)+"”: "+a.OptionNotes[c], span{style: l.theme.Accent})
		}
	}
	l.area(first, machine.Event{Action: machine.Pick, N: i + 1}, focused)
}

// remark adds the entry of a note or comment below what it is about.
func (l *layouter) remark() {
	l.blank(&l.body)
	word := noteWord(l.m.Form())
	l.put("", strings.ToUpper(word[:1])+word[1:]+" "+l.m.Remark()+":", span{style: l.theme.Accent})
	l.entry(2)
}

// refusal lists the reasons for declining.
func (l *layouter) refusal() {
	l.put("", "Decline, and say why", span{style: l.theme.Strong})
	l.blank(&l.body)
	for i, reason := range append(slices.Clone(machine.Reasons), "another reason…") {
		mark, style := "  ", l.theme.Text
		if i == l.m.Refusal() {
			mark, style = l.look.Cursor, l.theme.Cursor
		}
		first := len(l.body)
		l.put(fmt.Sprintf("%s%d. ", mark, i+1), reason, span{style: style})
		l.area(first, machine.Event{Action: machine.Pick, N: i + 1}, i == l.m.Refusal())
	}
	if l.m.Mode() == machine.Reason {
		l.entry(5)
	}
}

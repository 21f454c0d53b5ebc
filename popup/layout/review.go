package layout

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
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
		l.put("  ", "comment: "+c, styled.Accent)
	}
	l.blank(&l.Body)
	if l.m.ReadOnly() { // nothing is submitted
		for _, note := range l.st.Notes {
			l.put("  ", note, styled.Text)
		}
		return
	}
	focused := l.m.Cursor() == len(f.Questions)
	mark, style := l.pointer(focused)
	row := styled.Row{in(style, mark+"Submit ")}
	if open := f.Missing(l.m.Answers()); len(open) > 0 {
		word := "not answered yet"
		if f.Partial {
			word = "left for discussion"
		}
		row = append(row, in(styled.Dim, fmt.Sprintf(" (%d %s)", len(open), word)))
	}
	l.act(row, machine.Event{Action: machine.Choose}, focused)
}

func (l *layouter) reviewRow(i int) {
	f := l.m.Form()
	q, a := &f.Questions[i], l.m.Answer(i)
	first, focused := len(l.Body), l.m.Cursor() == i
	mark, style := l.pointer(focused)
	head := styled.Row{in(style, mark), in(style, label(q.Label, 40)+": ")}
	value, valueStyle := said(q, a), styled.Done
	switch {
	case !a.Given() && (q.Optional || l.m.ReadOnly()):
		value, valueStyle = "not answered", styled.Dim
	case !a.Given():
		value, valueStyle = "not answered yet", styled.Warn
	}
	if l.width-head.Width() < 16 { // too little beside the label: below it then
		l.Body = append(l.Body, head)
		head = styled.Row{in(style, "    ")}
	}
	l.flow(l.width, head, styled.Row{in(styled.Text, strings.Repeat(" ", head.Width()))}, in(valueStyle, value))
	if a.Note != "" {
		l.put("    ", noteWord(f)+": "+a.Note, styled.Accent)
	}
	for _, c := range slices.Sorted(maps.Keys(a.OptionNotes)) {
		if c >= 0 && c < len(q.Options) {
			l.put("    ", "comment on “"+text.OneLine(q.Options[c].Label, 40)+"”: "+a.OptionNotes[c], styled.Accent)
		}
	}
	l.area(first, machine.Event{Action: machine.Pick, N: i + 1}, focused)
}

// remark adds the entry of a note or comment below what it is about.
func (l *layouter) remark() {
	l.blank(&l.Body)
	word := noteWord(l.m.Form())
	l.put("", strings.ToUpper(word[:1])+word[1:]+" "+l.m.Remark()+":", styled.Accent)
	l.entry(2)
}

// refusal lists the reasons for declining.
func (l *layouter) refusal() {
	l.put("", "Decline, and say why", styled.Strong)
	l.blank(&l.Body)
	for i, reason := range append(slices.Clone(machine.Reasons), "another reason…") {
		mark, style := l.pointer(i == l.m.Refusal())
		first := len(l.Body)
		l.put(fmt.Sprintf("%s%d. ", mark, i+1), reason, style)
		l.area(first, machine.Event{Action: machine.Pick, N: i + 1}, i == l.m.Refusal())
	}
	if l.m.Mode() == machine.Reason {
		l.entry(5)
	}
}

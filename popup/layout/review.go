package layout

import (
	"strings"

	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// review lists every answer with its remarks, and the row that submits.
func (l *layouter) review() {
	for i, a := range l.s.Answers {
		l.reviewRow(i, a)
	}
	if l.s.Comment != "" {
		l.put("  ", l.s.Comment, styled.Accent)
	}
	l.blank(&l.Body)
	if l.s.Reading { // nothing is submitted
		for _, note := range l.s.Notes {
			l.put("  ", note, styled.Text)
		}
		return
	}
	focused := l.s.Cursor == len(l.s.Answers)
	mark, style := l.pointer(focused)
	row := styled.Row{in(style, mark+scene.Submit+" ")}
	if l.s.Open != "" {
		row = append(row, in(styled.Dim, " ("+l.s.Open+")"))
	}
	l.clickableRow(row, machine.Event{Action: machine.Choose}, focused)
	l.note()
}

func (l *layouter) reviewRow(i int, a scene.Answer) {
	first, focused := len(l.Body), l.s.Cursor == i
	mark, style := l.pointer(focused)
	mark += number(i)
	indent := strings.Repeat(" ", width(mark))
	head := styled.Row{in(style, mark), in(style, a.Label+": ")}
	if l.width-head.Width() < 16 { // too little beside the label: below it then
		l.flow(l.width, head[:1], styled.Row{in(style, indent)}, head[1])
		head = styled.Row{in(style, indent)}
	}
	l.flow(l.width, head, styled.Row{in(styled.Text, strings.Repeat(" ", head.Width()))}, in(a.Style, a.Value))
	for _, remark := range a.Remarks {
		l.put(indent, remark, styled.Accent)
	}
	l.clickable(first, machine.Event{Action: machine.Pick, N: i + 1}, focused)
}

// remark adds the entry of a note or comment below what it is about.
func (l *layouter) remark() {
	if !l.alone {
		l.blank(&l.Body)
	}
	l.put("", l.s.Remark.Label, styled.Accent)
	l.entry(2, l.s.Remark)
}

// refusal lists the reasons for declining.
func (l *layouter) refusal() {
	l.put("", l.s.Heading, styled.Strong)
	l.blank(&l.Body)
	l.list()
	if l.s.Remark != nil {
		l.entry(5, l.s.Remark)
	}
}

// note adds the person's own word on the question, where it is not being typed; and what
// else was typed here, elsewhere.
func (l *layouter) note() {
	if says := l.s.Offered; says != "" {
		if !l.s.Reading {
			says += " " + keymap.Text(keymap.TakesOther) + " takes it."
		}
		l.blank(&l.Body)
		l.put("", says, styled.Warn)
	}
	if l.s.Note != "" {
		l.put("", l.s.Note, styled.Accent)
	}
}

package layout

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
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
	if open := Open(l.m); open != "" {
		row = append(row, in(styled.Dim, " ("+open+")"))
	}
	l.act(row, machine.Event{Action: machine.Choose}, focused)
	l.note()
}

// Open says how many questions are open where the form is submitted; empty where none is.
func Open(m *machine.Machine) string {
	open := m.Form().Missing(m.Answers())
	switch {
	case len(open) == 0:
		return ""
	case m.Form().Partial:
		return fmt.Sprintf("%d left for discussion", len(open))
	}
	return fmt.Sprintf("%d not answered yet", len(open))
}

// Answer is what the review says of question i.
func Answer(m *machine.Machine, i int) (value string, style styled.Style) {
	q, a := &m.Form().Questions[i], m.Answer(i)
	switch {
	case !a.Given() && !m.ReadOnly() && m.EntryText(i) != "": // by Tab past its Enter; nobody is to send a form without it unawares
		return "typed, and not answered yet", styled.Warn
	case !a.Given() && (q.Optional || m.ReadOnly()):
		return "not answered", styled.Dim
	case !a.Given():
		return "not answered yet", styled.Warn
	}
	return Said(q, a), styled.Done
}

// Remarks are the person's on question i, in the order of what they are about.
func Remarks(m *machine.Machine, i int) (all []string) {
	q, a := &m.Form().Questions[i], m.Answer(i)
	if a.Note != "" {
		all = append(all, NoteWord(m.Form())+": "+a.Note)
	}
	for _, c := range slices.Sorted(maps.Keys(a.OptionNotes)) {
		if c >= 0 && c < len(q.Options) {
			all = append(all, "comment on “"+text.OneLine(q.Options[c].Label, 40)+"”: "+a.OptionNotes[c])
		}
	}
	return all
}

func (l *layouter) reviewRow(i int) {
	q := &l.m.Form().Questions[i]
	first, focused := len(l.Body), l.m.Cursor() == i
	mark, style := l.pointer(focused)
	mark += l.lead(i)
	indent := strings.Repeat(" ", width(mark))
	head := styled.Row{in(style, mark), in(style, Label(q.Label, 40)+": ")}
	value, valueStyle := Answer(l.m, i)
	if l.width-head.Width() < 16 { // too little beside the label: below it then
		l.Body = append(l.Body, head)
		head = styled.Row{in(style, indent)}
	}
	l.flow(l.width, head, styled.Row{in(styled.Text, strings.Repeat(" ", head.Width()))}, in(valueStyle, value))
	for _, remark := range Remarks(l.m, i) {
		l.put(indent, remark, styled.Accent)
	}
	l.area(first, machine.Event{Action: machine.Pick, N: i + 1}, focused)
}

// remark adds the entry of a note or comment below what it is about.
func (l *layouter) remark() {
	if !l.alone {
		l.blank(&l.Body)
	}
	l.put("", Remark(l.m), styled.Accent)
	l.entry(2)
}

// Remark says what the open remark is about.
func Remark(m *machine.Machine) string {
	word := NoteWord(m.Form())
	return strings.ToUpper(word[:1]) + word[1:] + " " + m.Remark() + ":"
}

// Reasons are those for declining, and the row for one of the person's own.
func Reasons() []string { return append(slices.Clone(machine.Reasons), "another reason…") }

// Declining is the heading above them.
const Declining = "Decline, and say why"

// refusal lists the reasons for declining.
func (l *layouter) refusal() {
	l.put("", Declining, styled.Strong)
	l.blank(&l.Body)
	for i, reason := range Reasons() {
		mark, style := l.pointer(i == l.m.Refusal())
		first := len(l.Body)
		l.put(fmt.Sprintf("%s%d. ", mark, i+1), reason, style)
		l.area(first, machine.Event{Action: machine.Pick, N: i + 1}, i == l.m.Refusal())
	}
	if l.m.Mode() == machine.Reason {
		l.entry(5)
	}
}

// NoteWord is what the person's own word on a question is called.
func NoteWord(f *form.Form) string {
	if f.Remarks == form.Comments {
		return "comment"
	}
	return "note"
}

// Offered says what else was typed to what is on view; empty for nothing.
func Offered(m *machine.Machine) string {
	if offered := m.Offered(); offered != "" {
		return "Another text was typed here: " + text.Quoted(offered, 60) + "."
	}
	return ""
}

// note is the person's own word on the question, where it is not being typed; and what
// else was typed here, elsewhere.
func (l *layouter) note() {
	if says := Offered(l.m); says != "" {
		if i := slices.IndexFunc(l.st.Hints, func(h keymap.Hint) bool { return h.Help == keymap.OtherText }); i >= 0 {
			says += " " + l.st.Hints[i].Keys + " takes it."
		}
		l.blank(&l.Body)
		l.put("", says, styled.Warn)
	}
	if l.said.Note != "" && l.m.Mode() != machine.Note {
		l.put("", NoteWord(l.m.Form())+": "+l.said.Note, styled.Accent)
	}
}

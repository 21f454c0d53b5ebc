package machine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// buffer returns the text of the open entry; nil where none is.
func (m *Machine) buffer() *string {
	switch m.Mode() {
	case Entry, Text, Danger:
		return &m.s.Entries[m.s.Step]
	case Note:
		return &m.s.Note
	case Filter:
		return &m.s.Filter
	case Reason:
		return &m.s.Reason
	case Search:
		return &m.s.Search
	}
	return nil
}

// Buffer returns what the open entry holds; empty where none is open.
func (m *Machine) Buffer() string {
	if b := m.buffer(); b != nil {
		return *b
	}
	return ""
}

// Typing reports whether a text entry is open.
func (m *Machine) Typing() bool { return m.buffer() != nil }

// SeveralLines reports whether the open entry may hold more than one line.
func (m *Machine) SeveralLines() bool {
	switch m.Mode() {
	case Danger, Filter, Search:
		return false
	case Entry, Text:
		q := m.Question()
		return q.Kind != form.Number && (q.Kind != form.Text || q.Multiline)
	}
	return m.Typing()
}

// TypingSecret reports whether what is being typed is a secret.
func (m *Machine) TypingSecret() bool {
	q, mode := m.Question(), m.Mode()
	return q != nil && q.Secret && (mode == Text || mode == Entry || mode == Danger)
}

// setBuffer replaces what the open entry holds.
func (m *Machine) setBuffer(mode Mode, typed string) {
	if !m.TypingSecret() { // nobody sees one
		typed = text.Entered(typed)
	}
	held := m.buffer()
	if typed == *held {
		return
	}
	*held = typed
	switch mode {
	case Entry, Text, Danger:
		m.retype()
	case Filter:
		if rows := m.Shown(); len(rows) > 0 {
			m.s.Cursors[m.s.Step] = rows[0]
		}
	case Search:
		m.find(0)
	}
}

// retype takes back a typed answer whose text is being changed to nothing: what
// is on view and what would be sent must not differ. Any other text counts
// when it is accepted; but what confirmed a danger holds only as it was typed.
func (m *Machine) retype() {
	i, a := m.s.Step, m.s.Answers[m.s.Step]
	emptied := m.Question().Kind == form.Text && a.Text != nil && strings.TrimSpace(m.s.Entries[i]) == ""
	if emptied || m.Dangerous(i) && a.Given() {
		m.say(i, form.Answer{})
	}
}

// edit handles every event while an entry is open; saved says that the one before has saved it.
func (m *Machine) edit(mode Mode, e Event, saved bool) {
	switch e.Action {
	case Type:
		m.setBuffer(mode, e.Text)
	case Accept:
		m.accept(mode, saved)
	case Back, Leave:
		m.leave(mode, e.Action == Leave)
	case Up, Down, Focus:
		if mode == Filter || e.Action == Focus {
			m.list(e)
		} else if mode == Entry && m.Question().Kind == form.Number {
			m.nudge(e.Action)
		}
	default:
		passes := e.Action == Next || e.Action == Prev || e.Action == GoTo
		if mode == Text || mode == Danger || mode == Entry && passes {
			m.anywhere(e, func(Event) {})
		}
	}
}

// leave closes the entry; a question's own can only be passed by.
func (m *Machine) leave(mode Mode, keep bool) {
	switch mode {
	case Text, Danger:
		return
	case Note:
		if keep {
			m.saveNote()
		}
	case Filter:
		m.s.Filter = ""
	case Search:
		m.s.Search = ""
	case Entry:
		if m.asWritten(m.s.Step) {
			m.s.Entries[m.s.Step] = ""
		}
	}
	m.s.Over, m.s.Remark, m.s.Note, m.s.Held, m.s.Sends = "", 0, "", "", false
}

func (m *Machine) accept(mode Mode, saved bool) {
	switch mode {
	case Note:
		if m.Sends() { // the choice whose remark it is
			m.leave(mode, true)
			m.say(m.s.Step, form.Choose(m.s.Cursors[m.s.Step]))
			m.advance()
			return
		}
		if m.saveNote(); m.form.Remarks == form.Comments || saved {
			m.leave(mode, false)
			return
		}
		m.saved = true // contracts.md: it stays open
		m.notice = strings.TrimSpace(m.notice + " Enter again goes back.")
	case Filter:
		m.found()
	case Search:
		m.s.Over = ""
	case Reason:
		m.refuse(m.s.Reason)
	default:
		m.acceptEntry()
	}
}

// acceptEntry makes the typed text, or the number it says, the answer.
func (m *Machine) acceptEntry() {
	q, typed := m.Question(), m.s.Entries[m.s.Step]
	if m.asWritten(m.s.Step) {
		m.notice = "Nothing is edited yet."
		return
	}
	many := q.Kind == form.Many && !m.Dangerous(m.s.Step)
	a, ok := m.typedAnswer(q, typed)
	if !ok {
		return
	}
	if a.Given() {
		if many {
			a.Choices = m.ticks(m.s.Step).Choices
		}
		if err := q.Confirm(a, m.danger); err != nil {
			m.notice = "The answer " + err.Error() + "."
			return
		}
		if m.Dangerous(m.s.Step) && m.unseen() {
			return
		}
	}
	m.s.Over = ""
	if many && m.Ticked(m.s.Step, len(q.Options)) {
		if said := &m.s.Answers[m.s.Step]; said.Text != nil {
			said.Text = a.Text
		}
		m.follow()
		return // there may be more to tick
	} else if many {
		m.tick(len(q.Options))
		return
	}
	m.say(m.s.Step, a)
	m.advance()
}

// typedAnswer returns the answer that a text stands for; not ok is that it is none, and the notice
// says why.
func (m *Machine) typedAnswer(q *form.Question, typed string) (a form.Answer, ok bool) {
	word := strings.TrimSpace(typed)
	switch {
	case word == "" && (q.Kind != form.Text && q.Kind != form.Number || q.Dangerous || !m.mayStayOpen()):
		m.notice = "Nothing is typed yet."
		return a, false
	case word == "":
		return form.Answer{Empty: q.Optional}, true
	case q.Kind != form.Number:
		return form.Type(typed), true
	}
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		m.notice = fmt.Sprintf("%q is not a number.", text.OneLine(typed, 30))
	}
	return form.Count(n), err == nil
}

// Untouched reports whether nobody has said or typed anything to question i.
func (m *Machine) Untouched(i int) bool {
	typed := m.s.Entries[i]
	return !m.s.Answers[i].Given() && (typed == "" || typed == asTyped(m.initial(i)))
}

// value handles every event on a number, or on a text entry that is not open.
func (m *Machine) value(e Event) {
	switch e.Action {
	case Up, Down:
		if m.Question().Kind == form.Number {
			m.nudge(e.Action)
		}
	case Open, Choose:
		m.s.Over = Entry
	case Accept: // what stands there is meant; what cannot be is open then
		m.s.Over = Entry
		m.acceptEntry()
	case Write:
		if m.Question().Kind == form.Number {
			m.s.Entries[m.s.Step] = ""
		}
		m.s.Over = Entry
	}
}

// nudge moves a number by 1, within its bounds. From nothing it starts at the
// bound nearest to 0, or at 0.
func (m *Machine) nudge(a Action) {
	q := m.Question()
	n, err := strconv.ParseFloat(strings.TrimSpace(m.s.Entries[m.s.Step]), 64)
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		n = 0
	case a == Up:
		n++
	default:
		n--
	}
	if q.Min != nil {
		n = max(n, *q.Min)
	}
	if q.Max != nil {
		n = min(n, *q.Max)
	}
	m.s.Entries[m.s.Step] = number(n)
}

// number writes n as a person does.
func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// openNote opens the entry of a remark that the form's dialect has.
func (m *Machine) openNote(a Action) {
	q, comments := m.Question(), m.form.Remarks == form.Comments
	switch {
	case a == NoteForm && comments:
		m.s.Remark, m.s.Note = onForm, m.s.Comment
	case q == nil || m.form.Remarks == form.NoRemarks:
		return
	case a == NoteQuestion:
		m.s.Remark, m.s.Note = onQuestion, m.s.Answers[m.s.Step].Note
	case a == NoteOption && comments && m.Cursor() < len(q.Options):
		m.s.Remark, m.s.Note = onOption, m.s.Answers[m.s.Step].OptionNotes[m.Cursor()]
	case a == NoteLine && q.Document != nil:
		m.s.Remark, m.s.Line = onLine, m.Line()
		m.s.Note = m.s.Answers[m.s.Step].LineNotes[m.s.Line]
	default:
		return
	}
	m.s.Over, m.s.Held = Note, m.s.Note
}

// Remark says what the open remark is about, in words.
func (m *Machine) Remark() string {
	switch m.s.Remark {
	case onForm:
		return "on the whole form"
	case onOption:
		return "on “" + text.OneLine(m.Question().Options[m.s.Cursors[m.s.Step]].Label, 40) + "”"
	case onLine:
		return fmt.Sprintf("on line %d, “%s”", m.s.Line, text.OneLine(m.doc.Quote(m.s.Line), 40))
	default:
		return "on this question"
	}
}

// saveNote keeps the open remark, and says so. What others have saved there since it was opened
// is offered, or stands where nothing was typed here.
func (m *Machine) saveNote() {
	note, was := strings.TrimSpace(m.s.Note), m.s.Held
	switch a := &m.s.Answers[min(m.s.Step, len(m.s.Answers)-1)]; {
	case note == m.s.Held:
	case m.s.Remark == onForm:
		was, m.s.Comment = m.s.Comment, note
	case m.s.Remark == onQuestion:
		was, a.Note = a.Note, note
	case m.s.Remark == onLine:
		was, a.LineNotes = a.LineNotes[m.s.Line], noted(a.LineNotes, m.s.Line, note)
	default:
		was, a.OptionNotes = a.OptionNotes[m.Cursor()], noted(a.OptionNotes, m.Cursor(), note)
	}
	if i, _ := m.place(); was != m.s.Held {
		m.s.keep(i, was)
	}
	m.s.Held = note
	word := map[form.Remarks]string{form.Notes: "Note", form.Comments: "Comment"}[m.form.Remarks]
	switch {
	case note != "":
		m.notice = word + " saved."
	case was != "":
		m.notice = word + " removed."
	}
}

// noted returns a copy of notes with one changed; an empty one goes.
func noted(notes map[int]string, i int, note string) map[int]string {
	if notes = with(notes, i, note); note == "" {
		delete(notes, i)
	}
	return notes
}

// Dangerous reports whether question i wants its danger confirmed by typing.
func (m *Machine) Dangerous(i int) bool { return m.danger && m.form.Questions[i].Dangerous }

// SetDangerCheck follows a change of the setting.
func (m *Machine) SetDangerCheck(on bool) {
	m.danger = on
	m.distrust()
}

// distrust takes back what was chosen, not typed, while the danger check was off.
func (m *Machine) distrust() {
	for i := range m.s.Answers {
		if m.Dangerous(i) && len(m.s.Answers[i].Choices) > 0 {
			m.say(i, form.Answer{})
			m.change()
		}
	}
}

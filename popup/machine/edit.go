package machine

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// Buffer is what the open entry holds; empty where none is open.
func (m *Machine) Buffer() string {
	switch m.Mode() {
	case Entry, Text, Danger:
		return m.entries[m.step]
	case Note:
		return m.note
	case Filter:
		return m.filter
	case Reason:
		return m.reason
	default:
		return ""
	}
}

// Typing reports whether a text entry is open.
func (m *Machine) Typing() bool {
	switch m.Mode() {
	case Entry, Text, Danger, Note, Reason, Filter:
		return true
	}
	return false
}

// SeveralLines reports whether the open entry may hold more than one line.
func (m *Machine) SeveralLines() bool {
	switch m.Mode() {
	case Danger, Filter:
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

func (m *Machine) setBuffer(mode Mode, typed string) {
	if q := m.Question(); q == nil || !q.Secret { // nobody sees a secret
		typed = text.Entered(typed)
	}
	switch mode {
	case Entry, Text, Danger:
		if typed != m.entries[m.step] {
			m.entries[m.step] = typed
			m.retype()
		}
	case Note:
		m.note = typed
	case Filter:
		m.filter = typed
		if rows := m.Shown(); len(rows) > 0 {
			m.cursors[m.step] = rows[0]
		}
	case Reason:
		m.reason = typed
	}
}

// retype takes back a typed answer whose text is being changed to nothing: what
// is on view and what would be sent must not differ. Any other text counts
// when it is accepted; but what confirmed a danger holds only as it was typed.
func (m *Machine) retype() {
	a := m.answers[m.step]
	if m.Dangerous(m.step) && a.Given() {
		m.say(m.step, form.Answer{})
		return
	}
	if m.Question().Kind == form.Text && a.Text != nil && strings.TrimSpace(m.entries[m.step]) == "" {
		m.say(m.step, form.Answer{})
	}
}

// edit is every event while an entry is open.
func (m *Machine) edit(mode Mode, e Event) {
	switch e.Action {
	case Type:
		m.setBuffer(mode, e.Text)
	case Accept:
		m.accept(mode)
	case Back, Leave:
		m.leave(mode, e.Action == Leave)
	case Up, Down:
		if m.Question() != nil && m.Question().Kind == form.Number && mode == Entry {
			m.nudge(e.Action)
		}
	case Next, Prev, GoTo:
		if mode == Text || mode == Danger || mode == Entry {
			m.anywhere(e, func(Event) {})
		}
	default:
		if mode == Text || mode == Danger {
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
		if !keep {
			m.filter = ""
		}
	}
	m.over = ""
}

func (m *Machine) accept(mode Mode) {
	switch mode {
	case Note:
		m.saveNote()
		if m.form.Remarks == form.Comments {
			m.over = ""
		}
	case Filter:
		m.over = ""
	case Reason:
		m.refuse(m.reason)
	default:
		m.acceptEntry()
	}
}

// acceptEntry makes the typed text, or the number it says, the answer.
func (m *Machine) acceptEntry() {
	q, typed := m.Question(), m.entries[m.step]
	a := form.Type(typed)
	if blank := strings.TrimSpace(typed) == ""; blank {
		if q.Kind != form.Text || q.Dangerous || !m.mayStayOpen() {
			m.notice = "Nothing is typed yet."
			return
		}
		a = form.Answer{Empty: q.Optional}
	} else if q.Kind == form.Number {
		n, err := strconv.ParseFloat(strings.TrimSpace(typed), 64)
		if err != nil {
			m.notice = fmt.Sprintf("%q is not a number.", text.OneLine(typed, 30))
			return
		}
		a = form.Count(n)
	}
	if a.Given() {
		if q.Kind == form.Many && !m.Dangerous(m.step) {
			a.Choices = m.checked[m.step]
		}
		if err := q.Check(a); err != nil {
			m.notice = "The answer " + err.Error() + "."
			return
		}
	}
	m.over = ""
	if q.Kind == form.Many && !m.Dangerous(m.step) {
		m.ticked[m.step] = true
		m.follow()
		return // there may be more to tick
	}
	m.say(m.step, a)
	m.advance()
}

// value is every event on a number, or on a text entry or a dropdown that is
// not open.
func (m *Machine) value(e Event) {
	switch e.Action {
	case Up, Down:
		switch q := m.Question(); {
		case q.Kind == form.Number:
			m.nudge(e.Action)
		case q.Style == form.Dropdown:
			m.unfolded = true
		}
	case Open, Choose, Accept:
		if m.Question().Style == form.Dropdown {
			m.unfolded = true
			return
		}
		m.over = Entry
	}
}

// nudge moves a number by 1, within its bounds. From nothing it starts at the
// bound nearest to 0, or at 0.
func (m *Machine) nudge(a Action) {
	q := m.Question()
	n, err := strconv.ParseFloat(strings.TrimSpace(m.entries[m.step]), 64)
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
	m.entries[m.step] = number(n)
}

// number is n as a person writes it.
func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// openNote opens the entry of a remark that the form's dialect has.
func (m *Machine) openNote(a Action) {
	q := m.Question()
	switch {
	case m.form.Remarks == form.NoRemarks:
		return
	case a == NoteForm:
		if m.form.Remarks != form.Comments {
			return
		}
		m.remark, m.note = onForm, m.comment
	case q == nil:
		return
	case a == NoteOption:
		if m.form.Remarks != form.Comments || m.cursors[m.step] >= len(q.Options) {
			return
		}
		m.remark, m.note = onOption, m.answers[m.step].OptionNotes[m.cursors[m.step]]
	default:
		m.remark, m.note = onQuestion, m.answers[m.step].Note
	}
	m.over = Note
}

// Remark says what the open remark is about, in words.
func (m *Machine) Remark() string {
	switch m.remark {
	case onForm:
		return "on the whole form"
	case onOption:
		return "on “" + text.OneLine(m.Question().Options[m.cursors[m.step]].Label, 40) + "”"
	default:
		return "on this question"
	}
}

func (m *Machine) saveNote() {
	text := strings.TrimSpace(m.note)
	switch m.remark {
	case onForm:
		m.comment = text
	case onQuestion:
		m.answers[m.step].Note = text
	case onOption:
		notes := maps.Clone(m.answers[m.step].OptionNotes)
		if notes == nil {
			notes = map[int]string{}
		}
		notes[m.cursors[m.step]] = text
		if text == "" {
			delete(notes, m.cursors[m.step])
		}
		m.answers[m.step].OptionNotes = notes
	}
}

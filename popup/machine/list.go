package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// FilterFrom is how many options a question has when they can be filtered.
const FilterFrom = 10

// Choices is how many rows question i has to choose from: its options, its
// Other and its select row.
func (m *Machine) Choices(i int) int {
	q := &m.form.Questions[i]
	n := len(q.Options)
	if q.Other != "" {
		n++
	}
	if q.SelectRow {
		n++
	}
	return n
}

// Kind of row c of the question on view.
func (m *Machine) isOther(c int) bool {
	q := m.Question()
	return q.Other != "" && c == len(q.Options)
}

func (m *Machine) isSelect(c int) bool {
	return m.Question().SelectRow && c == m.Choices(m.step)-1
}

// Shown are the rows of the question on view that the filter leaves: of the
// options those that hold its text, and what is no option always.
func (m *Machine) Shown() []int {
	var rows []int
	want := strings.ToLower(m.filter)
	for c := range m.Choices(m.step) {
		if q := m.Question(); c < len(q.Options) && want != "" {
			o := q.Options[c]
			if !strings.Contains(strings.ToLower(o.Label+"\n"+o.Description), want) {
				continue
			}
		}
		rows = append(rows, c)
	}
	return rows
}

// FilterText is what the filter holds.
func (m *Machine) FilterText() string { return m.filter }

func (m *Machine) list(e Event) {
	cursor := &m.cursors[m.step]
	if (e.Action == Choose || e.Action == Toggle || e.Action == Commit) && !slices.Contains(m.Shown(), *cursor) {
		m.notice = "No choice has “" + text.OneLine(m.filter, 24) + "” in it."
		return // nobody chooses what is not on view
	}
	switch e.Action {
	case Up, Down, First, Last:
		*cursor = move(m.Shown(), *cursor, e.Action)
	case Choose:
		m.choose(*cursor)
	case Toggle:
		m.toggle(*cursor)
	case Commit:
		if m.Question().Kind == form.One || m.isOther(*cursor) && !m.ticked[m.step] {
			m.choose(*cursor)
		} else {
			m.commit()
		}
	case Pick:
		m.pick(e.N)
	case Find:
		if len(m.Question().Options) >= FilterFrom {
			m.over = Filter
		}
	}
}

// move is the row that an arrow leads to from one of rows.
func move(rows []int, from int, a Action) int {
	if len(rows) == 0 {
		return from
	}
	at, found := slices.BinarySearch(rows, from)
	switch {
	case a == First:
		at = 0
	case a == Last:
		at = len(rows) - 1
	case a == Up:
		at--
	case found:
		at++
	}
	return rows[max(0, min(at, len(rows)-1))]
}

// pick is choosing by number: of the options, and the Other after them.
func (m *Machine) pick(n int) {
	count := m.Choices(m.step)
	if m.Question().SelectRow {
		count--
	}
	if n < 1 || n > count {
		m.notice = fmt.Sprintf("There is no choice %d; there are %d.", n, count)
		return
	}
	if !slices.Contains(m.Shown(), n-1) {
		m.notice = fmt.Sprintf("Choice %d is hidden by the filter.", n)
		return
	}
	m.cursors[m.step] = n - 1
	m.choose(n - 1)
}

// choose is Enter on row c, or its digit.
func (m *Machine) choose(c int) {
	q := m.Question()
	switch {
	case c >= m.Choices(m.step):
	case m.isSelect(c):
		m.commit()
	case m.isOther(c) && (q.Kind == form.One || !m.ticked[m.step]):
		m.over = Entry
	case q.Kind == form.Many:
		m.toggle(c)
	default:
		m.say(m.step, form.Choose(c))
		m.advance()
	}
}

// toggle is Space on row c: a Many's option on or off, a One's option chosen
// without going on.
func (m *Machine) toggle(c int) {
	q, i := m.Question(), m.step
	switch {
	case c >= m.Choices(i):
	case m.isSelect(c):
		m.commit()
	case m.isOther(c) && (q.Kind == form.One || !m.ticked[i]):
		m.over = Entry
	case q.Kind == form.One:
		m.say(i, form.Choose(c))
	case m.isOther(c):
		m.ticked[i] = false // its text stays in the entry
		m.follow()
	default:
		if at, on := slices.BinarySearch(m.checked[i], c); on {
			m.checked[i] = slices.Delete(slices.Clone(m.checked[i]), at, at+1)
		} else {
			m.checked[i] = slices.Insert(slices.Clone(m.checked[i]), at, c)
		}
		m.follow()
	}
}

// follow lets the answer to a Many follow what is ticked. A select row has to
// say so first; once it has, later changes count as they are made.
func (m *Machine) follow() {
	if m.Question().SelectRow && !m.answers[m.step].Given() {
		return
	}
	m.say(m.step, m.Ticks())
}

// Ticks is the answer that what is ticked of the Many on view makes up; empty
// where nothing is.
func (m *Machine) Ticks() form.Answer {
	a := form.Choose(m.checked[m.step]...)
	if m.ticked[m.step] {
		text := m.entries[m.step]
		a.Text = &text
	}
	return a
}

// commit makes what is ticked the answer and goes on.
func (m *Machine) commit() {
	a := m.Ticks()
	if !a.Given() && !m.mayStayOpen() {
		m.notice = "Nothing is chosen yet."
		return
	}
	if !a.Given() && m.Question().Optional {
		a = form.Answer{Empty: true}
	}
	m.say(m.step, a)
	m.advance()
}

func (m *Machine) mayStayOpen() bool { return m.form.Partial || m.Question().Optional }

// say answers question i and keeps its remarks.
func (m *Machine) say(i int, a form.Answer) {
	a.Note, a.OptionNotes = m.answers[i].Note, m.answers[i].OptionNotes
	m.answers[i] = a
}

func (m *Machine) unanswer() {
	if m.Question() == nil {
		return
	}
	m.say(m.step, form.Answer{})
	m.checked[m.step], m.ticked[m.step] = nil, false
}

// CanRecommend reports whether the agent recommends an answer to question i
// that may be taken with one key: never a dangerous one's.
func (m *Machine) CanRecommend(i int) bool {
	q := &m.form.Questions[i]
	return !q.Dangerous && m.recommended(i).Given() && q.Check(m.recommended(i)) == nil
}

func (m *Machine) recommended(i int) form.Answer {
	q := &m.form.Questions[i]
	if len(q.Recommended) > 0 {
		return form.Choose(q.Recommended...)
	}
	return m.initial(i)
}

func (m *Machine) recommend() {
	switch {
	case m.Question() == nil || !m.CanRecommend(m.step):
		m.notice = "Nothing is recommended here."
	case m.typedOver(m.step):
		m.notice = "What you typed stays; empty it first."
	default:
		m.take(m.step)
		m.advance()
	}
}

// typedOver reports whether taking what is recommended for question i would
// replace a text of the person's own.
func (m *Machine) typedOver(i int) bool {
	typed := m.entries[i]
	return asTyped(m.recommended(i)) != "" && strings.TrimSpace(typed) != "" && typed != asTyped(m.recommended(i))
}

// asTyped is a text or a number as the person would have typed it; empty for a choice.
func asTyped(a form.Answer) string {
	switch {
	case a.Text != nil:
		return *a.Text
	case a.Number != nil:
		return number(*a.Number)
	}
	return ""
}

// take answers question i with what is recommended.
func (m *Machine) take(i int) {
	a := m.recommended(i)
	m.say(i, a)
	if len(a.Choices) > 0 {
		m.cursors[i] = a.Choices[0]
	}
	if m.form.Questions[i].Kind == form.Many {
		m.checked[i], m.ticked[i] = slices.Clone(a.Choices), a.Text != nil
	}
	if text := asTyped(a); text != "" {
		m.entries[i] = text
	}
}

// recommendAll takes what is recommended wherever the person has not typed a
// text of their own.
func (m *Machine) recommendAll() {
	any := false
	for i := range m.form.Questions {
		if m.CanRecommend(i) {
			if !m.typedOver(i) {
				m.take(i)
			}
			any = true
		}
	}
	switch {
	case !any:
		m.notice = "Nothing is recommended here."
	case m.form.Review:
		m.goTo(len(m.form.Questions))
	default:
		m.advance()
	}
}

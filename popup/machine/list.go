package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// A question's options can be filtered where there are so many.
const FilterFrom = 10

// Choices counts the rows that question i has to choose from: its options, its
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

// Shown returns the rows of the question on view that the filter leaves: of the
// options those whose label, as it is shown, holds its text, and what is no option always.
func (m *Machine) Shown() []int {
	var rows []int
	want := strings.ToLower(m.s.Filter)
	for c := range m.Choices(m.s.Step) {
		if q := m.Question(); want != "" && c < len(q.Options) && !strings.Contains(strings.ToLower(text.OneLine(q.Options[c].Label, 0)), want) {
			continue
		}
		rows = append(rows, c)
	}
	return rows
}

func (m *Machine) list(e Event) {
	if m.doc != nil && m.read(e) {
		return
	}
	cursor := &m.s.Cursors[m.s.Step]
	switch e.Action {
	case Up, Down, First, Last:
		*cursor = move(m.Shown(), *cursor, e.Action)
	case Focus:
		*cursor = move(m.Shown(), max(0, min(e.N, m.Choices(m.s.Step)-1)), e.Action)
	case Choose, Toggle:
		m.choose(*cursor, e.Action == Choose)
	case Commit:
		if m.Question().Kind == form.One || !m.Question().SelectRow && *cursor == len(m.Question().Options) && !m.Ticked(m.s.Step, *cursor) {
			m.choose(*cursor, true)
		} else {
			m.commit()
		}
	case TypeOther:
		*cursor = len(m.Question().Options)
		m.openOther()
	case Pick:
		m.pick(e.N)
	case Find:
		m.s.Over = Filter
	}
}

// found chooses what the filter has led to, and ends it.
func (m *Machine) found() {
	c := m.s.Cursors[m.s.Step]
	if !slices.Contains(m.Shown(), c) {
		m.notice = "No choice has “" + text.OneLine(m.s.Filter, 24) + "” in it."
		return // nobody chooses what is not on view
	}
	m.s.Over, m.s.Filter = "", ""
	m.choose(c, true)
}

// move returns the row that an arrow leads to from one of rows.
func move(rows []int, from int, a Action) int {
	if len(rows) == 0 {
		return from
	}
	at, _ := slices.BinarySearch(rows, from) // where a filter hides it, the next; no arrow begins there
	return rows[stepped(at, len(rows)-1, a)]
}

// stepped returns where an arrow leads to from one of the rows up to last.
func stepped(from, last int, a Action) int {
	switch a {
	case Up:
		from--
	case Down:
		from++
	case First:
		from = 0
	case Last:
		from = last
	}
	return max(0, min(from, last))
}

// Picks counts what can be picked by number: the options and the Other after
// them, the questions on the review, or the reasons for declining.
func (m *Machine) Picks() int {
	q := m.Question()
	switch {
	case m.s.Over == Decline:
		return len(Reasons) + 1
	case q == nil:
		return len(m.form.Questions)
	case q.SelectRow:
		return m.Choices(m.s.Step) - 1
	default:
		return m.Choices(m.s.Step)
	}
}

// YesNo returns the numbers of the choices that say yes and no, each the only one whose
// value is the word or whose label begins with it; 0 where the question on view has not both.
func (m *Machine) YesNo() (yes, no int) {
	q := m.Question()
	only := func(word string) (n int) {
		for i, o := range q.Options {
			first, _, _ := strings.Cut(strings.TrimSpace(o.Label), " ")
			switch says := strings.EqualFold(o.Value, word) || strings.EqualFold(strings.TrimRight(first, ",.!:;"), word); {
			case says && n > 0:
				return 0
			case says:
				n = i + 1
			}
		}
		return n
	}
	if yes, no = only("yes"), only("no"); q.Kind != form.One || yes*no == 0 || yes == no {
		return 0, 0
	}
	return yes, no
}

// pick chooses by number.
func (m *Machine) pick(n int) {
	if count := m.Picks(); n < 1 || n > count {
		m.notice = fmt.Sprintf("There is no choice %d; there are %d.", n, count)
		return
	}
	m.s.Cursors[m.s.Step] = n - 1
	m.choose(n-1, true)
}

// choose handles Enter on row c, or its digit, which go on to the next question, or Space,
// which does not.
func (m *Machine) choose(c int, goOn bool) {
	q, i := m.Question(), m.s.Step
	switch {
	case c >= m.Choices(i):
	case c < len(q.Options) && q.Options[c].Allows && m.unseen():
	case q.SelectRow && c == m.Choices(i)-1:
		m.commit()
	case c == len(q.Options) && !m.Ticked(i, c):
		m.openOther()
	case c < len(q.Options) && q.Options[c].Remarks:
		m.askRemarks(c)
	case q.Kind == form.Many:
		m.tick(c)
	default:
		m.say(i, form.Choose(c))
		if goOn {
			m.advance()
		}
	}
}

// tick turns row c of a Many on or off. The text of an Other stays in its entry.
func (m *Machine) tick(c int) {
	checked := slices.Clone(m.s.Checked[m.s.Step])
	switch at, on := slices.BinarySearch(checked, c); {
	case !on:
		checked = slices.Insert(checked, at, c)
	case len(checked) == 1:
		checked = nil
	default:
		checked = slices.Delete(checked, at, at+1)
	}
	m.s.Checked[m.s.Step] = checked
	m.follow()
}

// follow lets the answer to a Many follow what is ticked. A select row has to
// say so first; once it has, later changes count as they are made.
func (m *Machine) follow() {
	if m.Question().SelectRow && !m.s.Answers[m.s.Step].Given() {
		return
	}
	a := m.ticks(m.s.Step)
	if m.Question().Check(a) != nil { // too few yet, or too many
		a = form.Answer{}
	}
	m.say(m.s.Step, a)
}

// answerTicked takes what the person has ticked of the Many on view for its answer as they
// move on, also where a select row has not said so. What the agent would have ticked
// is nobody's answer.
func (m *Machine) answerTicked() {
	q, i := m.Question(), m.s.Step
	if m.reading || q == nil || q.Kind != form.Many || m.Dangerous(i) || m.s.Answers[i].Given() {
		return
	}
	ticks, first := m.ticks(i), m.initial(i)
	if ticks.Given() && q.Check(ticks) == nil && (ticks.Text != nil || !slices.Equal(ticks.Choices, first.Choices)) {
		m.say(i, ticks)
	}
}

// ticks returns what is ticked of question i, a Many, as an answer; empty where nothing is.
func (m *Machine) ticks(i int) form.Answer {
	checked := m.s.Checked[i]
	at, other := slices.BinarySearch(checked, len(m.form.Questions[i].Options))
	a := form.Choose(checked[:at]...)
	if other { // what was edited since it was accepted is not meant
		a.Text = cmp.Or(m.s.Answers[i].Text, new(m.s.Entries[i]))
	}
	return a
}

// commit makes what is ticked the answer and goes on.
func (m *Machine) commit() {
	a := m.ticks(m.s.Step)
	switch err := m.Question().Check(a); {
	case !a.Given() && !m.mayStayOpen():
		m.notice = "Nothing is chosen yet."
		return
	case !a.Given() && m.Question().Optional:
		a = form.Answer{Empty: true}
	case a.Given() && err != nil:
		m.notice = "The answer " + err.Error() + "."
		return
	}
	m.say(m.s.Step, a)
	m.advance()
}

func (m *Machine) mayStayOpen() bool { return m.form.Partial || m.Question().Optional }

// say answers question i and keeps its remarks.
func (m *Machine) say(i int, a form.Answer) {
	m.s.Answers[i] = a.Remarked(m.s.Answers[i])
}

func (m *Machine) unanswer() {
	m.say(m.s.Step, form.Answer{})
	m.s.Checked[m.s.Step] = nil
}

// CanRecommend reports whether the agent recommends an answer to question i
// that may be taken with one key: never a dangerous one's.
func (m *Machine) CanRecommend(i int) bool {
	q := &m.form.Questions[i]
	return !q.Dangerous && m.recommended(i).Given() && q.Check(m.recommended(i)) == nil
}

// AnyRecommended reports whether there is such a question.
func (m *Machine) AnyRecommended() bool {
	for i := range m.form.Questions {
		if m.CanRecommend(i) {
			return true
		}
	}
	return false
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
	case m.Question() == nil || !m.CanRecommend(m.s.Step):
		m.notice = "Nothing is recommended here."
	case m.typedOver(m.s.Step):
		m.notice = "What you typed stays; empty it first."
	default:
		m.takeRecommended(m.s.Step)
		m.advance()
	}
}

// typedOver reports whether taking what is recommended for question i would
// replace a text of the person's own.
func (m *Machine) typedOver(i int) bool {
	typed := m.s.Entries[i]
	return asTyped(m.recommended(i)) != "" && strings.TrimSpace(typed) != "" && typed != asTyped(m.recommended(i))
}

// asTyped writes a text or a number as the person would have typed it; empty for a choice.
func asTyped(a form.Answer) string {
	switch {
	case a.Text != nil:
		return *a.Text
	case a.Number != nil:
		return number(*a.Number)
	}
	return ""
}

// takeRecommended answers question i with what is recommended.
func (m *Machine) takeRecommended(i int) {
	a := m.recommended(i)
	m.say(i, a)
	m.adopt(i, a)
}

// recommendAll takes what is recommended wherever the person has not typed a
// text of their own.
func (m *Machine) recommendAll() {
	for i := range m.form.Questions {
		if m.CanRecommend(i) && !m.typedOver(i) {
			m.takeRecommended(i)
		}
	}
	switch {
	case !m.AnyRecommended():
		m.notice = "Nothing is recommended here."
	case m.form.Review:
		m.goTo(len(m.form.Questions))
	default:
		m.advance()
	}
}

// Package machine is the form's state machine: events in, state out. It knows
// no terminal, no clock and no file.
//
// The rule that must hold here: whatever events come in whatever order, the
// machine never panics, never yields an answer that the form would not take,
// and never forgets a text.
package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// Mode says what keys mean now.
type Mode string

const (
	List   Mode = "list"   // the choices of a question
	Entry  Mode = "entry"  // the text entry under a question's last choice
	Review Mode = "review" // the list of all answers
	Over   Mode = "over"   // the form has ended; nothing changes any more
)

// Action is what an event does.
type Action int

const (
	Up Action = iota
	Down
	First
	Last
	Choose // the choice under the cursor
	Pick   // choice N, counted from 1
	Next   // the following question, or the review
	Prev
	GoTo   // step N, counted from 0; the review is the one after the last question
	Type   // the entry now holds Text
	Accept // the entry's text is the answer
	Back   // from the entry to the choices
	Cancel // the whole form
	End    // the form has ended elsewhere; nothing can be said here any more
)

// Event is one thing the person did.
type Event struct {
	Action Action
	N      int
	Text   string
}

// Machine is a form being answered.
type Machine struct {
	form    *form.Form
	answers []form.Answer
	entries []string // what is typed under each question's last choice
	cursors []int    // the choice under the cursor, each question
	step    int      // the question on view, or len(questions) for the review
	row     int      // the cursor on the review: a question, or the submit row
	typing  bool
	visit   bool // opened from the review, and going back there
	notice  string
	outcome form.Outcome
}

// New starts f from the beginning, or where draft left it. A draft that does
// not fit the form is used as far as it does.
func New(f *form.Form, draft *Draft) *Machine {
	n := len(f.Questions)
	m := &Machine{form: f, answers: make([]form.Answer, n), entries: make([]string, n), cursors: make([]int, n), row: n}
	if draft != nil {
		m.restore(*draft)
	}
	return m
}

// Mode says what keys mean now.
func (m *Machine) Mode() Mode {
	switch {
	case m.outcome != "":
		return Over
	case m.step == len(m.form.Questions):
		return Review
	case m.typing:
		return Entry
	default:
		return List
	}
}

// Form is the form being answered.
func (m *Machine) Form() *form.Form { return m.form }

// Step is the index of the question on view; len(Questions) is the review.
func (m *Machine) Step() int { return m.step }

// Question is the one on view; nil on the review.
func (m *Machine) Question() *form.Question {
	if m.step >= len(m.form.Questions) {
		return nil
	}
	return &m.form.Questions[m.step]
}

// Cursor is the 0-based choice, or review row, under the cursor. The choice
// after the options is the question's Other; the row after the questions submits.
func (m *Machine) Cursor() int {
	if m.step == len(m.form.Questions) {
		return m.row
	}
	return m.cursors[m.step]
}

// Answer is what question i has been answered with so far.
func (m *Machine) Answer(i int) form.Answer { return m.answers[i] }

// EntryText is what is typed under the last choice of question i.
func (m *Machine) EntryText(i int) string { return m.entries[i] }

// Notice is what the person should know about what they just did; often empty.
func (m *Machine) Notice() string { return m.notice }

// Result is how the form ended; ok is false while it has not.
func (m *Machine) Result() (r form.Result, ok bool) {
	if m.outcome == "" {
		return r, false
	}
	r = form.Result{Outcome: m.outcome}
	if m.outcome == form.Answered {
		r.Answers = slices.Clone(m.answers)
	}
	return r, true
}

// choices is how many the question on view has, its Other included.
func (m *Machine) choices() int {
	q := m.Question()
	if q.Other != "" {
		return len(q.Options) + 1
	}
	return len(q.Options)
}

// Handle does what an event says. Events that mean nothing in the present mode
// change nothing.
func (m *Machine) Handle(e Event) {
	mode := m.Mode()
	if mode == Over {
		return
	}
	m.notice = ""
	switch e.Action {
	case Next:
		m.goTo(m.step + 1)
		return
	case Prev:
		m.goTo(m.step - 1)
		return
	case GoTo:
		m.goTo(e.N)
		return
	case End:
		m.outcome = form.Aborted
		return
	case Cancel:
		if mode != Entry { // there, Esc goes back to the choices
			m.outcome = form.Cancelled
		}
		return
	}
	switch mode {
	case List:
		m.list(e)
	case Entry:
		m.entry(e)
	case Review:
		m.review(e)
	}
}

func (m *Machine) list(e Event) {
	cursor, count := &m.cursors[m.step], m.choices()
	switch e.Action {
	case Up:
		*cursor = max(0, *cursor-1)
	case Down:
		*cursor = max(0, min(count-1, *cursor+1))
	case First:
		*cursor = 0
	case Last:
		*cursor = max(0, count-1)
	case Choose:
		m.choose(*cursor)
	case Pick:
		if e.N < 1 || e.N > count {
			m.notice = fmt.Sprintf("There is no choice %d; there are %d.", e.N, count)
			return
		}
		*cursor = e.N - 1
		m.choose(*cursor)
	}
}

func (m *Machine) choose(i int) {
	if i < len(m.Question().Options) {
		m.answers[m.step] = form.Choose(i)
		m.advance()
		return
	}
	m.typing = true
}

func (m *Machine) entry(e Event) {
	switch e.Action {
	case Type:
		m.entries[m.step] = e.Text
	case Back:
		m.typing = false
	case Accept:
		text := m.entries[m.step]
		if strings.TrimSpace(text) == "" {
			m.notice = "Nothing is typed yet. Type an answer, or Esc to go back."
			return
		}
		m.answers[m.step] = form.Type(text)
		m.typing = false
		m.advance()
	}
}

func (m *Machine) review(e Event) {
	submit := len(m.form.Questions)
	switch e.Action {
	case Up:
		m.row = max(0, m.row-1)
	case Down:
		m.row = min(submit, m.row+1)
	case First:
		m.row = 0
	case Last:
		m.row = submit
	case Pick:
		if e.N >= 1 && e.N <= submit {
			m.open(e.N - 1)
		}
	case Choose:
		if m.row < submit {
			m.open(m.row)
			return
		}
		m.submit()
	}
}

// open shows question i from the review, to come back there once it is answered.
func (m *Machine) open(i int) {
	m.goTo(i)
	m.visit = true
}

// goTo shows a step; what is out of range changes nothing. An entry that was
// open keeps its text and closes.
func (m *Machine) goTo(step int) {
	last := len(m.form.Questions) - 1
	if m.form.Review {
		last++
	}
	if step < 0 || step > last || step == m.step {
		return
	}
	m.step, m.typing, m.visit = step, false, false
	if m.Mode() == Review {
		m.row = len(m.form.Questions)
	}
}

// advance goes on after an answer: back to the review it was opened from, to
// the next question, or, in a form without a review, to the end.
func (m *Machine) advance() {
	switch {
	case m.visit:
		m.goTo(len(m.form.Questions))
	case m.form.Review:
		m.goTo(m.step + 1)
	case m.step == len(m.form.Questions)-1:
		m.submit()
	default:
		m.goTo(m.step + 1)
	}
}

func (m *Machine) submit() {
	open := m.form.Missing(m.answers)
	if len(open) == 0 {
		m.outcome = form.Answered
		return
	}
	var labels []string
	for _, i := range open {
		labels = append(labels, form.Line(m.form.Questions[i].Label, 24))
	}
	m.notice = "Not answered yet: " + strings.Join(labels, ", ")
	if m.Mode() == Review {
		m.row = open[0]
	} else {
		m.goTo(open[0])
	}
}

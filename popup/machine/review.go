package machine

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

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
			m.revisit(e.N - 1)
		}
	case Choose:
		if m.row < submit {
			m.revisit(m.row)
			return
		}
		m.submit()
	}
}

// revisit shows question i from the review, to come back there once it is answered.
func (m *Machine) revisit(i int) {
	m.goTo(i)
	m.visit = true
}

// goTo shows a step; what is out of range changes nothing. An entry that was
// open keeps its text and closes. The review is out of reach while a danger
// waits to be confirmed (docs/contracts.md, Danger).
func (m *Machine) goTo(step int) {
	last := len(m.form.Questions) - 1
	if m.form.Review && !m.ReviewHidden() {
		last++
	}
	if step < 0 || step > last || step == m.step {
		return
	}
	m.step, m.over, m.visit, m.filter, m.unfolded = step, "", false, "", false
	if m.Question() == nil {
		m.row = len(m.form.Questions)
	}
}

// ReviewHidden reports whether a danger that is not confirmed hides the review.
func (m *Machine) ReviewHidden() bool {
	return m.Question() != nil && m.Dangerous(m.step) && !m.answers[m.step].Given()
}

// advance goes on after an answer: back to the review it was opened from, to
// the next question, or, in a form without a review, to the end.
func (m *Machine) advance() {
	switch {
	case m.visit:
		m.goTo(len(m.form.Questions))
	case m.form.Review || m.step < len(m.form.Questions)-1:
		m.goTo(m.step + 1)
	default:
		m.submit()
	}
}

func (m *Machine) submit() {
	open := m.form.Missing(m.answers)
	switch {
	case len(open) == 0:
		m.outcome = form.Answered
		return
	case m.form.Partial:
		m.outcome = form.NeedsDiscussion
		return
	}
	var labels []string
	for _, i := range open {
		labels = append(labels, text.OneLine(m.form.Questions[i].Label, 24))
	}
	m.notice = "Not answered yet: " + strings.Join(labels, ", ")
	if m.Question() == nil {
		m.row = open[0]
	} else {
		m.goTo(open[0])
	}
}

// Reasons are the reasons for declining that can be picked; after them comes
// one of the person's own.
var Reasons = []string{"explain more first", "rephrase the question", "none of these fits"}

// Refusal is the row under the cursor of the reasons.
func (m *Machine) Refusal() int { return m.refusal }

func (m *Machine) decline(e Event) {
	switch e.Action {
	case Up:
		m.refusal = max(0, m.refusal-1)
	case Down:
		m.refusal = min(len(Reasons), m.refusal+1)
	case Back, Cancel:
		m.over = ""
	case Pick:
		if e.N >= 1 && e.N <= len(Reasons)+1 {
			m.refusal = e.N - 1
			m.pickReason()
		}
	case Choose:
		m.pickReason()
	}
}

func (m *Machine) pickReason() {
	if m.refusal < len(Reasons) {
		m.refuse(Reasons[m.refusal])
		return
	}
	m.over = Reason
}

// refuse ends the form with a reason.
func (m *Machine) refuse(reason string) {
	if reason = strings.TrimSpace(reason); reason == "" {
		m.notice = "Nothing is typed yet."
		return
	}
	m.outcome, m.refused = form.Cancelled, reason
}

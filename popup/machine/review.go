package machine

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

func (m *Machine) review(e Event) {
	submit := len(m.form.Questions)
	switch e.Action {
	case Up, Down, First, Last:
		last := submit
		if m.reading { // there is no row that submits
			last--
		}
		m.s.Row = stepped(m.s.Row, last, e.Action)
	case Pick:
		if e.N >= 1 && e.N <= m.Picks() {
			m.revisit(e.N - 1)
		}
	case Choose:
		if m.s.Row < submit {
			m.revisit(m.s.Row)
			return
		}
		m.submit()
	}
}

// revisit shows question i from the review, to come back there once it is answered.
func (m *Machine) revisit(i int) {
	m.goTo(i)
	m.s.Visit = true
}

// goTo shows a step; what is out of range changes nothing. An entry that was
// open keeps its text and closes. The review is out of reach while a danger
// waits to be confirmed (docs/contracts.md, Danger).
func (m *Machine) goTo(step int) {
	if !m.reaches(step) || step == m.s.Step {
		return
	}
	m.answerTicked()
	m.s.Step, m.s.Over, m.s.Visit = step, "", false
	if m.s.Row = len(m.form.Questions); m.reading {
		m.s.Row = 0
	}
}

// reaches reports whether there is such a step, and a way to it.
func (m *Machine) reaches(step int) bool {
	last := len(m.form.Questions) - 1
	if m.form.Review && !m.ReviewHidden() {
		last++
	}
	return step >= 0 && step <= last
}

// DeadEnd reports whether an action would go where nothing is: back from the first step,
// or on from the last. Its key stays bound; a button for it would do nothing.
func (m *Machine) DeadEnd(a Action) bool {
	return a == Next && !m.reaches(m.s.Step+1) || a == Prev && !m.reaches(m.s.Step-1)
}

// ReviewHidden reports whether a danger that is not confirmed hides the review.
func (m *Machine) ReviewHidden() bool {
	return m.Question() != nil && m.Dangerous(m.s.Step) && !m.s.Answers[m.s.Step].Given()
}

// advance goes on after an answer: back to the review it was opened from, to
// the next question, or, in a form without a review, to the end.
func (m *Machine) advance() {
	switch {
	case m.s.Visit:
		m.goTo(len(m.form.Questions))
	case m.form.Review || m.s.Step < len(m.form.Questions)-1:
		m.goTo(m.s.Step + 1)
	default:
		m.submit()
	}
}

func (m *Machine) submit() {
	open := m.form.Missing(m.s.Answers)
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
		m.s.Row = open[0]
	} else {
		m.goTo(open[0])
	}
}

// Reasons lists the reasons for declining that can be picked; after them comes
// one of the person's own.
var Reasons = []string{"explain more first", "rephrase the question", "none of these fits"}

// Reasons returns those of the form; of a permission the reason is the person's own.
func (m *Machine) Reasons() []string {
	if m.form.Subject() != nil {
		return nil
	}
	return Reasons
}

// Refusal returns the row under the cursor of the reasons.
func (m *Machine) Refusal() int { return m.s.Refusal }

func (m *Machine) decline(e Event) {
	switch e.Action {
	case Up, Down:
		m.s.Refusal = stepped(m.s.Refusal, len(Reasons), e.Action)
	case Back, Cancel:
		m.s.Over = ""
	case Pick:
		if e.N >= 1 && e.N <= m.Picks() {
			m.pickReason(e.N - 1)
		}
	case Choose:
		m.pickReason(m.s.Refusal)
	case Write:
		m.pickReason(len(Reasons))
	}
}

func (m *Machine) pickReason(n int) {
	m.s.Refusal = n
	if reasons := m.Reasons(); n < len(reasons) {
		m.refuse(reasons[n])
		return
	}
	m.s.Over = Reason
}

// refuse ends the form with a reason.
func (m *Machine) refuse(reason string) {
	if reason = strings.TrimSpace(reason); reason == "" {
		m.notice = "Nothing is typed yet."
		return
	}
	m.outcome, m.refused = form.Cancelled, reason
}

// openDecline asks why.
func (m *Machine) openDecline() {
	m.s.Over, m.s.Refusal = Decline, 0
	if m.Reasons() == nil {
		m.pickReason(0)
	}
}

// Leaving reports whether a cancel waits to be confirmed by another. Any other event takes
// it back and does nothing else.
func (m *Machine) Leaving() bool { return m.leaving }

func (m *Machine) cancel() {
	if m.Confirms && m.s.Begun(m.form) {
		m.leaving = true
		return
	}
	m.outcome = form.Cancelled
}

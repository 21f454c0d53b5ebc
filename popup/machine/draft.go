package machine

import (
	"slices"

	"github.com/askpane/askpane/bridge/form"
)

// Draft is everything that a form needs to come back as it was.
type Draft struct {
	Version int           `json:"version"`
	Answers []form.Answer `json:"answers"`
	Entries []string      `json:"entries"`
	Cursors []int         `json:"cursors"`
	Step    int           `json:"step"`
	Row     int           `json:"row"`
	Typing  bool          `json:"typing"`
	Visit   bool          `json:"visit,omitempty"`
}

// Draft is the machine's state as it is now.
func (m *Machine) Draft() Draft {
	return Draft{
		Version: form.Version,
		Answers: slices.Clone(m.answers),
		Entries: slices.Clone(m.entries),
		Cursors: slices.Clone(m.cursors),
		Step:    m.step, Row: m.row, Typing: m.typing, Visit: m.visit,
	}
}

// restore takes over what of d fits the form.
func (m *Machine) restore(d Draft) {
	for i := range m.form.Questions {
		m.step = i
		if i < len(d.Answers) && m.form.Questions[i].Check(d.Answers[i]) == nil {
			m.answers[i] = d.Answers[i]
		}
		if i < len(d.Entries) {
			m.entries[i] = d.Entries[i]
		}
		if i < len(d.Cursors) {
			m.cursors[i] = max(0, min(d.Cursors[i], m.choices()-1))
		}
	}
	m.step = 0
	m.goTo(d.Step)
	m.row = max(0, min(d.Row, len(m.form.Questions)))
	if q := m.Question(); q != nil {
		m.typing = d.Typing && q.Other != ""
		m.visit = d.Visit && m.form.Review
	}
}

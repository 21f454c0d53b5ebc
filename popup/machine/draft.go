package machine

import (
	"maps"
	"slices"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// Draft is everything that a form needs to come back as it was.
type Draft struct {
	Version int           `json:"version"`
	Answers []form.Answer `json:"answers"`
	Entries []string      `json:"entries"`
	Checked [][]int       `json:"checked,omitempty"`
	Ticked  []bool        `json:"ticked,omitempty"`
	Cursors []int         `json:"cursors"`
	Step    int           `json:"step"`
	Row     int           `json:"row"`
	Visit   bool          `json:"visit,omitempty"`
	Comment string        `json:"comment,omitempty"`
	// What was open over the question or the review, and what it held.
	Over   Mode   `json:"over,omitempty"`
	Remark target `json:"remark,omitempty"`
	Note   string `json:"note,omitempty"`
	// Unfolded: the dropdown on view is open.
	Unfolded bool   `json:"unfolded,omitempty"`
	Filter   string `json:"filter,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// Draft is the machine's state as it is now.
func (m *Machine) Draft() Draft {
	d := Draft{
		Version: form.Version,
		Answers: copyAnswers(m.answers),
		Entries: slices.Clone(m.entries),
		Checked: slices.Clone(m.checked),
		Ticked:  slices.Clone(m.ticked),
		Cursors: slices.Clone(m.cursors),
		Step:    m.step, Row: m.row, Visit: m.visit, Comment: m.comment,
		Over: m.over, Filter: m.filter, Reason: m.reason, Unfolded: m.unfolded,
	}
	for i, q := range m.form.Questions {
		if q.Secret { // a draft is kept for a long time, and in clear
			d.Entries[i], d.Answers[i].Text = "", nil
		}
	}
	switch d.Over {
	case Help:
		d.Over = ""
	case Note: // one that is closed is in the answers, or was discarded
		d.Remark, d.Note = m.remark, m.note
	}
	return d
}

// restore takes over what of d fits the form.
func (m *Machine) restore(d Draft) {
	for i := range m.form.Questions {
		m.step = i
		m.restoreAnswer(i, d)
	}
	m.step, m.comment = 0, d.Comment
	if last := len(m.form.Questions); d.Step >= 0 && (d.Step < last || d.Step == last && m.form.Review) {
		m.step = d.Step
	}
	m.row = max(0, min(d.Row, len(m.form.Questions)))
	m.reason = d.Reason
	m.unfolded = d.Unfolded && m.Question() != nil && m.Question().Style == form.Dropdown
	if m.Question() != nil {
		m.visit = d.Visit && m.form.Review
		if len(m.Question().Options) >= FilterFrom {
			m.filter = d.Filter
			if rows := m.Shown(); len(rows) > 0 && !slices.Contains(rows, m.cursors[m.step]) {
				m.cursors[m.step] = rows[0]
			}
		}
	}
	m.restoreOver(d)
}

func (m *Machine) restoreAnswer(i int, d Draft) {
	q := &m.form.Questions[i]
	if i < len(d.Answers) {
		a := d.Answers[i]
		if !a.Given() || q.Check(a) == nil {
			m.answers[i] = copyAnswers(d.Answers[i : i+1])[0]
			maps.DeleteFunc(m.answers[i].OptionNotes, func(o int, _ string) bool { return o < 0 || o >= len(q.Options) })
		}
	}
	if i < len(d.Entries) {
		m.entries[i] = text.Entered(d.Entries[i])
	}
	if i < len(d.Checked) && i < len(d.Ticked) && q.Kind == form.Many {
		text := ""
		if d.Ticked[i] {
			text = m.entries[i]
		}
		a := form.Answer{Choices: d.Checked[i]}
		if d.Ticked[i] {
			a.Text = &text
		}
		if !a.Given() || q.Check(a) == nil {
			m.checked[i], m.ticked[i] = slices.Clone(d.Checked[i]), d.Ticked[i]
		}
	}
	if i < len(d.Cursors) {
		m.cursors[i] = max(0, min(d.Cursors[i], m.Choices(i)-1))
	}
}

// restoreOver opens again what lay over the question, if it can.
func (m *Machine) restoreOver(d Draft) {
	base := m.base()
	q := m.Question()
	switch d.Over {
	case Entry:
		if base == Number || base == Closed || base == List && q.Other != "" {
			m.over = Entry
		}
	case Note:
		remarkable := map[target]Action{onQuestion: NoteQuestion, onOption: NoteOption, onForm: NoteForm}
		if a, known := remarkable[d.Remark]; known {
			if m.openNote(a); m.over == Note {
				m.note = d.Note
			}
		}
	case Filter:
		if base == List && len(q.Options) >= FilterFrom {
			m.over = Filter
		}
	case Decline, Reason:
		m.over = d.Over
	}
}

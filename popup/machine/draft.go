package machine

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// Draft holds everything that a form needs to come back as it was, and to be answered on
// several surfaces at once (sync.go). What its slices and maps hold is never changed,
// only replaced: a draft shares it with the machine.
type Draft struct {
	Version int `json:"version"`
	// Revision grows with all that is said, and Writer is the surface that said the last.
	// Seen has the newest revision of each surface that it was made from.
	Revision int            `json:"revision,omitempty"`
	Writer   string         `json:"writer,omitempty"`
	Seen     map[string]int `json:"seen,omitempty"`
	Answers  []form.Answer  `json:"answers"`
	Entries  []string       `json:"entries"`
	Checked  [][]int        `json:"checked,omitempty"` // what is ticked of each Many; its Other comes after the options
	Comment  string         `json:"comment,omitempty"`
	// Beside has what else was typed to a question, and behind the last to the form:
	// somebody who had not seen it typed at the same time, and theirs stands.
	Beside map[int][]string `json:"beside,omitempty"`
	View
	// Views has those in which another surface has typed what it has not saved yet.
	Views map[string]View `json:"views,omitempty"`
}

// View says where somebody is in a form. Each surface has its own.
type View struct {
	By      string `json:"by,omitempty"` // the surface
	Cursors []int  `json:"cursors"`
	Step    int    `json:"step"`
	Row     int    `json:"row"`
	Visit   bool   `json:"visit,omitempty"`
	// What was open over the question or the review, and what it held.
	Over    Mode   `json:"over,omitempty"`
	Remark  target `json:"remark,omitempty"`
	Note    string `json:"note,omitempty"`
	Held    string `json:"held,omitempty"` // what was saved of the remark when it was opened
	Filter  string `json:"filter,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Refusal int    `json:"refusal,omitempty"` // the cursor on the reasons for declining
	// Line is where the cursor stands in a document, Search what was looked for there.
	// Choosing: the choices have the keys. Sends: accepting the remark answers.
	Line     int    `json:"line,omitempty"`
	Search   string `json:"search,omitempty"`
	Choosing bool   `json:"choosing,omitempty"`
	Sends    bool   `json:"sends,omitempty"`
}

// UnmarshalJSON reads a draft, also an old one: that has stamps for its parts in place of
// a revision, and beside an entry one text for each surface.
func (d *Draft) UnmarshalJSON(data []byte) error {
	type draft Draft
	var was struct{ Stamps map[string]any }
	if json.Unmarshal(data, &was) != nil || len(was.Stamps) == 0 {
		return json.Unmarshal(data, (*draft)(d))
	}
	old := struct {
		*draft
		Beside map[int]map[string]string `json:"beside"`
	}{draft: (*draft)(d)}
	err := json.Unmarshal(data, &old)
	d.Revision, d.Writer, d.Seen, d.Beside = 1, d.By, map[string]int{d.By: 1}, map[int][]string{}
	for i, texts := range old.Beside {
		d.Beside[i] = slices.Sorted(maps.Values(texts))
	}
	return err
}

// Draft returns the machine's state as it is now, with what others have typed to an entry
// that is kept from it.
func (m *Machine) Draft() Draft {
	d := m.kept()
	if m.offer != nil {
		d.replace(d.Step, *m.offer)
	}
	if d.Over == Help {
		d.Over = m.under
	}
	return d
}

// kept returns the machine's state without what is secret: a draft is kept for a long time,
// and in clear.
func (m *Machine) kept() Draft {
	d := m.s.clone()
	for i, q := range m.form.Questions {
		if a := d.Answers[i]; q.Secret {
			d.Entries[i], d.Answers[i] = "", form.Answer{}.Remarked(a)
		}
	}
	return d
}

func (d Draft) clone() Draft {
	d.Answers, d.Entries = slices.Clone(d.Answers), slices.Clone(d.Entries)
	d.Checked, d.Cursors = slices.Clone(d.Checked), slices.Clone(d.Cursors)
	return d
}

// restore takes over what of d fits the form.
func (m *Machine) restore(d Draft) {
	m.s.Revision, m.s.Writer, m.s.Seen, m.s.Views = d.Revision, d.Writer, d.Seen, d.Views
	for i := range m.form.Questions {
		m.restoreAnswer(i, d)
	}
	m.s.Comment = d.Comment
	for i := range len(m.form.Questions) + 1 {
		m.s.keep(i, d.Beside[i]...)
	}
	m.restoreView(d.View)
}

// As puts m on the surface that is named so, in whose name it changes a draft. No two
// that show a form at the same time may have one name.
func (m *Machine) As(by string) *Machine {
	if v, own := m.s.Views[by]; own {
		m.restoreView(v)
	}
	m.s.By = by
	return m
}

// restoreView goes to where v is, as far as the form has such a place.
func (m *Machine) restoreView(v View) {
	last := len(m.form.Questions)
	m.s.View = View{By: m.s.By, Cursors: m.s.Cursors, Row: max(0, min(v.Row, last)), Reason: v.Reason, Refusal: max(0, min(v.Refusal, len(Reasons))), Line: v.Line, Search: v.Search, Choosing: v.Choosing}
	if v.Step >= 0 && (v.Step < last || v.Step == last && m.form.Review) {
		m.s.Step = v.Step
	}
	for i := range min(len(m.s.Cursors), len(v.Cursors)) {
		m.s.Cursors[i] = max(0, min(v.Cursors[i], m.Choices(i)-1))
	}
	m.s.Visit = v.Visit && m.form.Review && m.Question() != nil
	m.restoreOver(v)
}

// restoreAnswer takes over what d has of question i, as far as it fits.
func (m *Machine) restoreAnswer(i int, d Draft) {
	q := m.form.Questions[i]
	q.Rules = nil // what has been begun may still break them
	if i < len(d.Answers) {
		a := d.Answers[i]
		if !a.Given() || q.Check(a) == nil {
			a.OptionNotes = maps.Clone(a.OptionNotes)
			maps.DeleteFunc(a.OptionNotes, func(o int, _ string) bool { return o < 0 || o >= len(q.Options) })
			m.s.Answers[i] = a
		}
	}
	if i < len(d.Entries) {
		m.s.Entries[i] = d.Entries[i]
		if !q.Secret { // of which nobody sees any
			m.s.Entries[i] = text.Entered(d.Entries[i])
		}
	}
	if i < len(d.Checked) && q.Kind == form.Many {
		before := m.s.Checked[i]
		m.s.Checked[i] = slices.Compact(slices.Sorted(slices.Values(d.Checked[i])))
		if a := m.ticks(i); a.Given() && q.Check(a) != nil {
			m.s.Checked[i] = before
		}
	}
}

// restoreOver opens again what lay over the question, if it can.
func (m *Machine) restoreOver(v View) {
	base, q := m.base(), m.Question()
	opens := map[Mode]bool{
		Entry:   base == Number || base == Closed || (base == List || base == Document) && q.Other != "",
		Filter:  base == List && len(q.Options) >= FilterFrom,
		Search:  q != nil && q.Document != nil,
		Decline: true, Reason: true,
	}
	switch {
	case opens[v.Over]:
		m.s.Over = v.Over
	case v.Over == Note:
		m.openNote(map[target]Action{onQuestion: NoteQuestion, onOption: NoteOption, onForm: NoteForm, onLine: NoteLine}[v.Remark])
	}
	switch m.s.Over {
	case Note:
		m.s.Note, m.s.Held, m.s.Sends = v.Note, v.Held, v.Sends && m.mayAskRemarks()
	case Filter:
		m.s.Filter = v.Filter
		if rows := m.Shown(); len(rows) > 0 && !slices.Contains(rows, m.s.Cursors[m.s.Step]) {
			m.s.Cursors[m.s.Step] = rows[0]
		}
	}
}

// Finished shows f with the answers of r, on its review, to somebody who reads it.
func Finished(f *form.Form, r form.Result) *Machine {
	m := Reading(f, &Draft{Answers: r.Answers, Comment: r.Comment})
	for i, a := range m.s.Answers {
		m.adopt(i, a)
	}
	return m
}

// Reading shows f as far as d has it, on its review, to somebody who reads it. Also
// a form without a review is read on one.
func Reading(f *form.Form, d *Draft) *Machine {
	read := *f
	read.Review = true
	// What the agent would have it start with is nobody's answer here.
	read.Questions = slices.Clone(f.Questions)
	for i := range read.Questions {
		read.Questions[i].Initial, read.Questions[i].Preset, read.Questions[i].Open = form.Answer{}, false, false
	}
	if d != nil {
		closed := *d
		closed.Over, closed.Filter = "", ""
		d = &closed
	}
	m := New(&read, d, false)
	m.reading, m.s.Step, m.s.Row = true, len(f.Questions), 0
	return m
}

// Begun reports whether d holds anything that the person has said or typed; to
// have looked around in f is not to have begun.
func (d Draft) Begun(f *form.Form) bool {
	return d.said() != New(f, nil, true).Draft().said()
}

// said returns what the person has said and typed, for comparing.
func (d Draft) said() string {
	d.Version, d.Revision, d.Writer, d.Seen, d.View = 0, 0, "", nil, View{Note: d.Note, Filter: d.Filter, Reason: d.Reason}
	said, _ := json.Marshal(d) // what a draft on disk has been
	return string(said)
}

package machine

import (
	"encoding/json"
	"slices"

	"github.com/askpane/askpane/bridge/form"
)

// Finished is f with the answers of r, on its review, for somebody who reads it.
func Finished(f *form.Form, r form.Result) *Machine {
	m := Reading(f, &Draft{Answers: r.Answers, Comment: r.Comment})
	for i, a := range m.s.Answers {
		m.adopt(i, a)
	}
	return m
}

// Reading is f as far as d has it, on its review, for somebody who reads it. Also
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
		closed.Over, closed.Filter, closed.Unfolded = "", "", false
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

// said is what the person has said and typed, for comparing.
func (d Draft) said() string {
	d.Version, d.Cursors, d.Step, d.Row, d.Visit, d.Over, d.Remark, d.Unfolded = 0, nil, 0, 0, false, "", 0, false
	said, _ := json.Marshal(d) // what a draft on disk has been
	return string(said)
}

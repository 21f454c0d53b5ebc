package page

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// What can be done to a question on a list: cancel it, as Esc in its form does, or give it a
// choice.
const (
	dismiss = "dismiss"
	choose  = "answer"
)

// quick is a choice that a list offers.
type quick struct{ Label, Advised, Do string }

const (
	wasOver = "This question was over already. Nothing was changed."
	openIt  = "Open this question to answer it."
)

// So much of a question a list shows whole.
const (
	mostPrompt  = 160 // signs
	mostChoices = 4
	mostLabel   = 40
)

// quicks returns the choices of a question that a list shows whole, where each of them ends the
// form; none where there is more to see or to say.
func quicks(id string, f *form.Form) (all []quick) {
	q := &f.Questions[0]
	if len(f.Questions) > 1 || q.Kind != form.One || q.Document != nil || f.Title+f.Intro+q.Description != "" || len(q.Options) > mostChoices ||
		strings.Contains(q.Prompt, "\n") || utf8.RuneCountInString(q.Prompt) > mostPrompt {
		return nil
	}
	for i, o := range q.Options {
		if _, ends := chosen(f, i+1); !ends || o.Preview != nil || o.Description != "" || utf8.RuneCountInString(o.Label) > mostLabel {
			return nil
		}
		one := quick{Label: scene.Label(scene.Name(q, i), 0), Do: encode(event{Do: choose, Text: id, N: i + 1})}
		if slices.Contains(q.Recommended, i) {
			one.Advised = scene.Advised
		}
		all = append(all, one)
	}
	return all
}

// chosen returns how a form ends by choice n, counted from 1, and whether it does.
func chosen(f *form.Form, n int) (form.Result, bool) {
	m := machine.New(f, nil, true)
	m.Handle(machine.Event{Action: machine.Pick, N: n})
	return m.Result()
}

// onList does to a question what was pressed on a list.
func (s *stream) onList(r request) (problem string) {
	if len(r.Events) != 1 || r.Events[0].Do != dismiss && r.Events[0].Do != choose {
		return "There is nothing to answer here."
	}
	pressed := r.Events[0]
	problem, err := s.settle(pressed, form.ByPage, func(f *form.Form) string { return s.barred(f, r.rights) })
	switch {
	case isOver(err) && pressed.Do == choose && !r.repeats(s.did):
		return wasOver
	case err != nil && !isOver(err):
		return err.Error()
	}
	return problem
}

// isOver reports whether a question could not be settled since it was over.
func isOver(err error) bool {
	return errors.Is(err, spool.ErrNotFound) || errors.Is(err, spool.ErrAnswered)
}

// settle ends a question by what was pressed outside of its page, or says why it does not. What
// barred says of its form keeps it from that.
func (p *Page) settle(pressed event, by string, barred func(*form.Form) string) (problem string, err error) {
	defer p.board.change() // it may have no bridge that moves it
	e, err := p.Spool.Open(pressed.Text)
	if err != nil {
		return "", err
	}
	defer e.Close()
	req, err := e.Request()
	if err != nil {
		return "", err
	}
	if why := barred(&req.Form); why != "" {
		return why, nil
	}
	r := form.Result{Outcome: form.Cancelled}
	if pressed.Do == choose {
		if r, problem = pick(e, &req, pressed.N); problem != "" {
			return problem, nil
		}
	}
	r.By, r.At = by, time.Now()
	return "", e.Settle(r)
}

// pick returns how a question ends by choice n of those that quicks offers, or says why it
// does not end so.
func pick(e *spool.Entry, req *spool.Request, n int) (r form.Result, problem string) {
	var d machine.Draft
	begun, err := e.Draft(&d)
	if quicks(req.ID, &req.Form) == nil || err != nil || begun && d.Begun(&req.Form) {
		return r, openIt
	}
	r, ends := chosen(&req.Form, n)
	if !ends || r.Outcome != form.Answered {
		return r, "This question has no such choice."
	}
	return r, ""
}

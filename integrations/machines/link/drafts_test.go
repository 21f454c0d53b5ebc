package link

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/proxy"
)

// surface is a form that is open on a machine, under the name that all popups have.
type surface struct {
	*desk
	e *spool.Entry
	m *machine.Machine
}

func (d *desk) opens(e *spool.Entry) *surface {
	d.Helper()
	req, err := e.Request()
	must.Do(d, err)
	s := &surface{desk: d, e: e, m: machine.New(&req.Form, nil, true).As(form.ByPopup)}
	s.reads()
	return s
}

// reads is what stands in the entry on this machine's disk, which the form takes over.
func (s *surface) reads() string {
	var d machine.Draft
	found, err := s.e.Draft(&d)
	must.Do(s, err)
	if !found {
		return ""
	}
	if s.m.Meet(d); s.m.Offered() != "" {
		s.m.Handle(machine.Event{Action: machine.TakeOffer})
	}
	return d.Entries[0]
}

func (s *surface) types(text string) {
	s.Helper()
	s.m.Handle(machine.Event{Action: machine.Type, Text: text})
	merged, _, err := sitting.Write(s.e, s.m.Draft())
	must.Do(s, err)
	s.m.Meet(merged)
}

// essay is a form with one question that takes a text, whose entry is open.
func essay() spool.Request {
	req := request()
	req.Form.Questions = []form.Question{{ID: "why", Label: "Why", Prompt: "Why?", Kind: form.Text, Open: true, Multiline: true, Options: []form.Option{}}}
	return req
}

// Begun here, gone on with there, and finished on a third machine.
func TestDraftTravels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	laptop, other, build := w.machine("laptop", true), w.machine("desktop", true), w.machine("build1", false)
	q := build.asks(essay())
	at := []*surface{laptop.opens(laptop.sees(q.id)), build.opens(q.Entry), other.opens(other.sees(q.id))}
	typed := ""
	for i, s := range at {
		w.until(fmt.Sprintf("%s has %q", s.name, typed), func() bool { return s.reads() == typed })
		typed += fmt.Sprintf("word%d ", i)
		s.types(typed)
	}
	for _, s := range at {
		w.until("all have it all", func() bool { return s.reads() == typed })
	}
	must.Do(other, at[2].e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type(typed)}, By: form.ByPopup}))
	if r := q.gets(); r.Machine != "desktop" || *r.Answers[0].Text != typed {
		t.Errorf("%+v", r)
	}
	for _, name := range []string{"laptop", "desktop", "build1"} {
		w.until("no draft is left at the hub", func() bool { return !w.has(Drafts, "build1."+q.id+"."+name) })
	}
}

// What is typed at two places at once, and over cuts, restarts and a hub that forgets:
// all have the same in the end, and what does not stand in the entry is beside it. Of as
// much, that of the asking machine stands.
func TestDraftsMeet(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	p := proxy.New(w, w.server.Addr().String())
	laptop.through(p)
	q := build.asks(essay())
	here, there := laptop.opens(laptop.sees(q.id)), build.opens(q.Entry)
	p.Cut(true)
	here.types("from here")
	there.types("from there")
	p.Cut(false)
	var a, b machine.Draft
	agree := func() bool {
		_, err := here.e.Draft(&a)
		must.Do(w, err)
		_, err = there.e.Draft(&b)
		must.Do(w, err)
		both := fmt.Sprint(a.Entries, a.Beside)
		return both == "[from there] map[0:[from here]]" && both == fmt.Sprint(b.Entries, b.Beside)
	}
	w.until("both have both texts", agree)
	for i := range 12 {
		s := []*surface{here, there}[rand.IntN(2)]
		s.reads()
		switch i {
		case 3:
			laptop.stop()
			laptop.start()
		case 6:
			build.stop()
			build.start()
		case 9:
			w.hubDies() // and with it all that is in memory
			w.hub()
		}
		s.types(fmt.Sprintf("text %d", i))
		last := fmt.Sprintf("text %d", i)
		w.until("both have it", func() bool { return here.reads() == last && there.reads() == last })
	}
}

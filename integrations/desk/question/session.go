// Package question is one question on a surface of the desk: the same machine as in a
// popup, followed in the spool, with its draft and its end.
//
// It reads the entry and writes drafts and the answer into it. The rule that must hold
// here: all that happens to a question on a surface happens in one goroutine, which is
// the surface's own.
package question

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/drafts"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/settings"
)

// Surface is what the question is shown on.
type Surface struct {
	By   string // the one that ends the form, as form.ByPage
	Name string // in which drafts are written; no two on which a form is open have the same
	// Settled is called when the answer given here is on the disk. May be nil.
	Settled func()
	// Happens is what others do. After each of them the surface shows what is so now. Sessions
	// of one goroutine may share it; where it is nil, Open makes one.
	Happens chan func()
}

// Session is a question on one surface. All of it belongs to the goroutine that runs
// what Happens.
type Session struct {
	Surface
	Entry *spool.Entry
	Req   spool.Request
	M     *machine.Machine
	Now   settings.Settings // of the directory that it was asked in

	Asker  spool.Status // as it was last looked at
	First  *form.Result // how the form has ended
	Mine   bool         // and that was said here
	Via    *form.Via    // who does what is done next, where the surface knows
	Notice string
	Leaves time.Time // when it is cancelled, unless that is taken back

	life    context.Context
	end     context.CancelFunc
	rest    sync.WaitGroup
	agent   bool         // it is waited for the agent to go
	popup   bool         // and for the popup
	unsaved *form.Result // the answer that could not be written yet
	lapse   *time.Timer
	drafts  drafts.Drafts
	settled atomic.Bool // the answer from here is on the disk
}

// secondThoughts is how long a cancel may be taken back where it would lose something,
// as in a popup.
const secondThoughts = 5 * time.Second

// Open shows a question that waits, until Close or ctx ends.
func Open(ctx context.Context, entry *spool.Entry, req spool.Request, on Surface) *Session {
	life, end := context.WithCancel(ctx)
	live := settings.Follow(req.Origin.Cwd)
	now, _ := live.Now()
	s := &Session{Surface: on, Entry: entry, Req: req, Asker: entry.Status(), Now: now.Settings, life: life, end: end}
	if s.Happens == nil {
		s.Happens = make(chan func())
	}
	s.lapse = time.AfterFunc(secondThoughts, func() { s.Post(s.left) })
	s.lapse.Stop()
	var saved machine.Draft
	if found, err := entry.Draft(&saved); found {
		s.M = machine.New(&s.Req.Form, &saved, s.Now.DangerCheckEnabled)
	} else {
		s.M = machine.New(&s.Req.Form, nil, s.Now.DangerCheckEnabled)
		if err != nil {
			s.Notice = fmt.Sprintf("The form starts afresh: %v", err)
		}
	}
	s.M.As(on.Name).ConfirmCancel(s.Now.ConfirmCancel)
	s.drafts.Entry, s.drafts.Over = entry, s.settled.Load // a form that has its answer has no more use for one
	s.drafts.Met = func(d machine.Draft) { s.Post(func() { s.M.Meet(d) }) }
	s.drafts.Failed = func(err error) {
		s.Post(func() {
			if s.Notice = ""; err != nil {
				s.Notice = fmt.Sprintf("What you type is not being saved: %v", err)
			}
		})
	}
	s.look()
	s.rest.Go(func() { entry.Watch().Each(life, func() { s.Post(s.look) }) })
	s.rest.Go(func() { live.Each(life, now, func(now *settings.Loaded) { s.Post(func() { s.set(now.Settings) }) }) })
	return s
}

// Close saves what was said and typed.
func (s *Session) Close() {
	s.end()
	s.lapse.Stop()
	s.drafts.Close()
	s.rest.Wait()
}

// Post has do run as something that Happens, unless the session ends before.
func (s *Session) Post(do func()) {
	select {
	case s.Happens <- do:
	case <-s.life.Done():
	}
}

func (s *Session) set(now settings.Settings) {
	s.Now = now
	s.M.SetDangerCheck(now.DangerCheckEnabled)
	s.M.ConfirmCancel(now.ConfirmCancel)
}

// look follows what other surfaces have done to the question, and how it stands.
func (s *Session) look() {
	s.Asker = s.Entry.Status()
	s.await(&s.agent, !s.Asker.AgentGone, s.Entry.AgentGone) // it may have asked again
	s.await(&s.popup, s.Asker.Shown, s.Entry.PopupGone)
	if s.First != nil {
		return
	}
	if r, over, err := s.Entry.Answer(); over {
		s.ended(r)
	} else if err != nil {
		s.Notice = err.Error()
	}
	var draft machine.Draft
	if found, err := s.Entry.Draft(&draft); found && err == nil {
		s.M.Meet(draft)
	}
}

// await looks again when what is there has gone, which a change of the entry tells of a
// moment too soon.
func (s *Session) await(awaits *bool, there bool, left func() <-chan struct{}) {
	if *awaits || !there {
		return
	}
	gone := left()
	if *awaits = gone != nil; !*awaits {
		return
	}
	s.rest.Go(func() {
		select {
		case <-gone:
			s.Post(func() {
				*awaits = false
				s.look()
			})
		case <-s.life.Done():
		}
	})
}

// ended: the form is over, here or elsewhere. What was typed and not sent stays in
// the entry.
func (s *Session) ended(r form.Result) {
	s.rest.Go(s.drafts.Close) // which hands us what it has met
	s.First, s.unsaved, s.Notice = &r, nil, ""
	s.M.Handle(machine.Event{Action: machine.End})
}

// LookAt moves the cursor to choice c of the question on view.
func (s *Session) LookAt(c int) {
	if mode := s.M.Mode(); mode != machine.List && mode != machine.Filter || s.M.Leaving() {
		return
	}
	shown := s.M.Shown()
	for range shown {
		s.Handle(machine.Event{Action: machine.Up})
	}
	for _, row := range shown {
		if row >= c {
			break
		}
		s.Handle(machine.Event{Action: machine.Down})
	}
}

// left: a cancel was not taken back.
func (s *Session) left() {
	if s.M.Leaving() {
		s.Handle(machine.Event{Action: machine.Cancel})
	}
}

// Handle gives the machine an event, and does what follows from it.
func (s *Session) Handle(e machine.Event) {
	if s.unsaved != nil { // whatever it is tries again
		s.settle(*s.unsaved)
		return
	}
	s.Notice = ""
	s.M.Handle(e)
	r, over := s.M.Result()
	switch {
	case s.First != nil:
	case over:
		s.settle(r)
	case s.M.Leaving():
		s.Leaves = time.Now().Add(secondThoughts)
		s.lapse.Reset(secondThoughts)
	default:
		s.Leaves = time.Time{}
		s.drafts.Save(s.M)
	}
}

// settle writes the answer. If it cannot be written the form stays, says why, and
// tries again.
func (s *Session) settle(r form.Result) {
	if r.By, r.At = s.By, time.Now(); s.unsaved == nil { // who has it tried again has not said it
		r.Via = s.Via
	}
	err := s.Entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		if first, ok, err := s.Entry.Answer(); ok && err == nil {
			s.ended(first)
			return
		}
	}
	if err != nil {
		s.unsaved = &r
		s.Notice = fmt.Sprintf("Not saved yet; try again. %v", err)
		return
	}
	s.settled.Store(true)
	s.Mine, s.First, s.unsaved = true, &r, nil
	if s.Settled != nil {
		s.Settled()
	}
}

// Status is what the form shows beside itself.
func (s *Session) Status() layout.Status { return record.Asked(s.Req.Origin, s.Asker) }

// Farewell is in words how a question has ended.
func Farewell(e *spool.Entry, r form.Result) string {
	if late := e.Away().Verdict; late != "" {
		return late
	}
	switch r.Outcome {
	case form.Timeout:
		return "expired: the deadline passed"
	case form.Aborted:
		return "withdrawn: the agent does not wait for it any more"
	}
	return record.EndedAt(r)
}

// Package sitting holds one question on one surface: a popup, a terminal without a screen,
// a page, a chat. It has the question's machine, follows the agent, the answer, drafts and
// settings, and writes the draft and the answer.
//
// It reads the entry and writes into it. The rules that must hold here: all that happens to
// a question on a surface happens in one goroutine, which is the surface's own; and no change
// of the machine's is given up before its draft is written.
package sitting

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/settings"
)

// Surface says how a surface holds its questions.
type Surface struct {
	By   string // names it in the result, as form.ByPage
	Name string // names it in drafts; no two surfaces on which a form is open have the same
	// Post runs do in the surface's goroutine, which was not done by the person here. It may give
	// up when life ends.
	Post func(life context.Context, do func())
	// Settled runs when the answer given here is on the disk. May be nil.
	Settled func()
	Leaves  string // says what leads out while an answer cannot be saved; empty where nothing stands in the way
	// Asks: the surface asks by itself whether a cancel is meant.
	Asks bool
	// Begins has the settings to begin with; nil where they are read.
	Begins *settings.Form
	// Buttons: the surface has buttons, and is told whether a popup shows the question.
	Buttons bool
}

// Into makes a Surface's Post where its goroutine receives from a channel, which several sittings
// may share.
func Into(happens chan<- func()) func(context.Context, func()) {
	return func(life context.Context, do func()) {
		select {
		case happens <- do:
		case <-life.Done():
		}
	}
}

// Sitting holds a question on one surface. All of it belongs to the surface's goroutine but for
// what writes drafts, which runs beside that.
type Sitting struct {
	Surface
	Entry   *spool.Entry
	Req     spool.Request
	M       *machine.Machine
	Now     settings.Form    // of the directory that it was asked in
	Known   *settings.Loaded // as it was last read; nil where a snapshot has been all so far
	Resumed bool             // it goes on where a draft has left it

	Asker    spool.Status // as it was last looked at
	Pictures int          // that go with the answer, as of then
	First    *form.Result // how the form has ended; nil while it waits
	Mine     bool         // and that was said here
	Met      bool         // something was taken over from another surface; who has said so sets it back
	Via      *form.Via    // who does what is done next, where the surface knows
	Notice   string       // about what was done last
	Unsaving string       // why the draft is not saved; empty where it is

	life    context.Context
	end     context.CancelFunc
	rest    sync.WaitGroup
	unsaved *form.Result // the answer that could not be written yet
	lapse   *time.Timer
	asked   string      // what a permission's request shows
	verdict string      // of the question's own machine on the answer
	settled atomic.Bool // the answer from here is on the disk

	newest  atomic.Pointer[machine.Draft] // that is to be saved; nil where all is
	writing sync.Mutex                    // guards the rest
	onDisk  []byte                        // the draft there, as far as is known
	closed  bool                          // a failure is not tried again
}

// A cancel that would lose something waits for so long to be confirmed. After that the question stays.
const secondThoughts = 10 * time.Second

// New holds a question that waits, until Close or ctx ends. It knows nothing of what others
// do before Follow.
func New(ctx context.Context, entry *spool.Entry, req spool.Request, on Surface) *Sitting {
	s := &Sitting{Surface: on, Entry: entry, Req: req}
	if req.Origin.Away != nil { // the rest is time before the first drawing
		s.Asker = entry.Status()
	}
	s.life, s.end = context.WithCancel(ctx)
	if on.Begins != nil {
		s.Now = *on.Begins
	} else {
		s.Known, _ = settings.Follow(req.Origin.Cwd).Now() // the bridge has said what is wrong with them
		s.Now = s.Known.Form()
	}
	s.lapse = time.AfterFunc(secondThoughts, func() { s.Post(s.Lapse) })
	s.lapse.Stop()
	var saved *machine.Draft
	found, err := entry.Draft(&saved)
	if s.Resumed = found; !found {
		saved = nil
	}
	if req.Form.Subject() != nil {
		s.renew()
	}
	s.M = machine.New(&s.Req.Form, saved, s.Now.DangerCheckEnabled)
	if err != nil {
		s.Notice = scene.Afresh + err.Error()
	}
	s.M.As(on.Name).Confirms = s.Now.ConfirmCancel && !s.Asks
	s.M.HandsBack = req.Origin.Native == spool.Serial || req.Origin.Native != "" && req.Form.Subject() != nil
	s.Notice = cmp.Or(s.Notice, scene.Stands(req.Origin))
	return s
}

// Follow follows what others do to the question, and the settings.
func (s *Sitting) Follow() {
	asker, apply := s.read()
	apply()
	s.rest.Go(func() { s.watch(asker) })
	s.rest.Go(func() {
		settings.Each(s.life, s.Req.Origin.Cwd, s.Known, func(now *settings.Loaded) { s.Post(func() { s.set(now) }) })
	})
}

// Close saves what was typed. It waits until that is on the disk.
func (s *Sitting) Close() {
	s.end()
	s.lapse.Stop()
	s.saveNow()
	s.rest.Wait()
}

// Post has do run in the surface's goroutine, unless the sitting ends before.
func (s *Sitting) Post(do func()) { s.Surface.Post(s.life, do) }

// set follows settings that have changed, or that are read for the first time. What is newly wrong with those that
// were read before is said on this machine's terminals alone, since it names its files.
func (s *Sitting) set(now *settings.Loaded) {
	for _, p := range now.Problems {
		if s.Known != nil && !s.Buttons && !slices.Contains(s.Known.Problems, p) {
			s.Notice = text.Tilde(p.Error())
		}
	}
	s.Known, s.Now = now, now.Form()
	s.M.SetDangerCheck(now.DangerCheckEnabled)
	s.M.Confirms = now.ConfirmCancel && !s.Asks
}

// watch looks again at each change of the entry, at the end of its agent, and of its popup.
func (s *Sitting) watch(asker spool.Status) {
	changes := s.Entry.Watch()
	defer changes.Stop()
	var agent, popup <-chan struct{}
	for {
		if agent == nil && !asker.AgentGone { // it may have asked again
			agent = s.Entry.AgentGone()
		}
		if popup == nil && asker.Shown && s.Buttons {
			popup = s.Entry.PopupGone()
		}
		select {
		case <-s.life.Done():
			return
		case <-agent:
			agent = nil
		case <-popup:
			popup = nil
		case <-changes.Changed:
			s.reload()
		}
		var apply func()
		asker, apply = s.read()
		s.Post(apply)
	}
}

// read reads how the question stands; apply takes that over.
func (s *Sitting) read() (asker spool.Status, apply func()) {
	asker = s.Entry.Status()
	r, over, err := s.Entry.Answer() // ours, perhaps, on its way out
	verdict := ""
	if s.Req.Origin.Away != nil {
		verdict = s.Entry.Away().Verdict
	}
	pictures, _ := s.Entry.Attachments() // a page says what is wrong with them
	return asker, func() {
		s.Asker, s.verdict, s.Pictures = asker, verdict, len(pictures)
		switch {
		case s.First != nil:
		case over:
			s.ended(r)
		case err != nil && s.unsaved == nil:
			s.Notice = err.Error()
		}
	}
}

// ended closes the form, which was answered elsewhere or is over. What was typed and not
// sent stays in the entry.
func (s *Sitting) ended(r form.Result) {
	s.rest.Go(s.saveNow) // which hands us what it has met
	s.First, s.unsaved, s.Notice = &r, nil, ""
	s.M.Handle(machine.Event{Action: machine.End})
}

// Lapse keeps a question whose cancel was not confirmed in time.
func (s *Sitting) Lapse() {
	if s.M.Leaving() {
		s.Handle(machine.Event{Action: machine.Back})
	}
}

// Handle gives the machine an event, and does what follows from it. While an answer could
// not be saved, any event tries that again.
func (s *Sitting) Handle(e machine.Event) {
	if s.unsaved != nil {
		s.writeAnswer(*s.unsaved)
		return
	}
	s.Notice = ""
	s.M.Handle(e)
	r, over := s.M.Result()
	switch {
	case s.First != nil:
	case over && s.Req.Form.Subject() != nil && s.undone(r): // it goes on
	case over:
		s.writeAnswer(r)
	case s.M.Leaving():
		s.lapse.Reset(secondThoughts)
	default:
		s.save()
	}
}

// Unsaved reports whether there is an answer that could not be written yet.
func (s *Sitting) Unsaved() bool { return s.unsaved != nil }

// writeAnswer writes the answer. If it cannot be written the form stays, says why, and
// tries again.
func (s *Sitting) writeAnswer(r form.Result) {
	if subject := s.Req.Form.Subject(); subject != nil && subject.Shown.Content != s.asked {
		r.Shown = subject.Shown.Content
	}
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
		s.Notice = scene.NotSaved + s.Leaves + scene.Why(err)
		return
	}
	s.settled.Store(true)
	s.Mine, s.First, s.unsaved = true, &r, nil
	if s.Settled != nil {
		s.Settled()
	}
}

// Scene returns what is to be said of the question now.
func (s *Sitting) Scene() scene.Scene { return scene.Of(s.M, s.Status()) }

// Place names what is on view.
func (s *Sitting) Place() string { return scene.Place(s.M) }

// Status returns how it stands with the question.
func (s *Sitting) Status() scene.Status {
	st := scene.StatusOf(s.Req.Origin, s.Asker)
	st.Deadline, st.Buttons, st.Notice = s.Req.Deadline, s.Buttons, cmp.Or(s.Notice, s.Unsaving)
	st.Ended, st.Mine, st.Verdict, st.Pictures = s.First, s.Mine, s.verdict, s.Pictures
	return st
}

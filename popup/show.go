package popup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/machine"
)

// show is one form on the screen. Its fields belong to tview's event loop;
// everything else reaches them through post.
type show struct {
	Config // Entry is the form's own
	Settings
	t    *sitting
	req  spool.Request
	m    *machine.Machine
	view *formView

	opened      time.Time
	lastKey     time.Time
	open        bool // the guard has opened
	agentIsGone bool
	notice      string
	failed      bool // the answer could not be written; a key tries again
	expired     bool // the deadline has passed
	closing     bool // the form ended elsewhere and says so
	away        bool // another form is on view

	// gone is closed when another form is on view.
	gone chan struct{}
	// onView is closed when the form has been painted.
	onView chan struct{}
	// ending is closed when the person has answered.
	ending chan struct{}
	ended  sync.Once

	draft  chan machine.Draft // the newest state to save
	drafts chan struct{}      // closed when the last draft is saved
	// settled: the answer is on the disk.
	settled atomic.Bool
}

func newShow(t *sitting, entry *spool.Entry, in Settings, req spool.Request, m *machine.Machine) *show {
	s := &show{Config: t.Config, Settings: in, t: t, req: req, m: m, gone: make(chan struct{}),
		onView: make(chan struct{}), ending: make(chan struct{}), draft: make(chan machine.Draft, 1), drafts: make(chan struct{})}
	s.Entry = entry
	s.view = newFormView(m, display.ThemeOf(in.Theme).Accented(req.Form.Accent))
	s.view.status, s.view.changed, s.view.held, s.view.final = s.status, s.changed, s.held, s.final
	s.view.suspend, s.view.turn = t.app.Suspend, t.turn
	s.view.viewer, s.view.putAside, s.view.background = s.Viewer, s.putAside, s.background
	s.view.back, s.view.kept, s.view.grown = s.Back, s.Kept, s.guard
	if s.Pane != nil {
		s.view.pane = s.Pane(req.Origin)
	}
	return s
}

// begin is when the form comes on view: the guard counts from here.
func (s *show) begin() {
	s.guard()
	s.opened = s.lastKey
	go s.saveDrafts()
	go s.listen(s.t.ctx, s.t.agentGone(s.Entry))
}

// end saves what was typed.
func (s *show) end() {
	if _, over := s.m.Result(); !over && !s.closing {
		s.draft <- s.latest()
	}
	close(s.draft)
	<-s.drafts
}

// painted tells the bridge that the form is on the screen.
func (s *show) painted() {
	close(s.onView)
	go func() {
		if err := s.Entry.Painted(s.Viewer); err != nil {
			s.post(func() { s.notice = err.Error() })
		}
	}()
}

// listen turns what happens outside the terminal into changes on it.
//
// While a bridge waits, the end of its waiting is the sign that the form has
// ended elsewhere: every end passes through the bridge. Only without one does
// the popup watch the entry itself (a watch costs up to 15 ms at its end); one
// that is stopped (Ctrl+Z) does not end, so that there is a look every second.
func (s *show) listen(ctx context.Context, agentGone <-chan struct{}) {
	var changed <-chan struct{}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	settings, quiet := context.WithCancel(ctx)
	defer quiet()
	ending := s.ending
	onView := s.onView
	var changes <-chan Settings
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.gone:
			return
		case <-agentGone:
			agentGone = nil
			if r, ok, _ := s.Entry.Answer(); ok { // ours, perhaps, on its way out
				s.post(func() { s.endedElsewhere(r) })
				continue
			}
			if changed == nil {
				watch := s.Entry.Watch() // looks once at once
				defer watch.Stop()
				changed = watch.Changed
			}
			s.post(s.agentGone)
		case <-changed:
			if r, ok, _ := s.Entry.Answer(); ok {
				s.post(func() { s.endedElsewhere(r) })
			} else if agentGone == nil && !s.Entry.Status().AgentGone { // it asked again
				agentGone = s.Entry.AgentGone()
				s.post(func() { s.agentIsGone = false })
			}
		case <-ending: // a watch that ends with the process makes its end slow
			ending = nil
			quiet()
		case <-onView:
			onView, changes = nil, s.Changes(settings, s.req.Origin)
		case to := <-changes:
			s.post(func() { s.follow(to) })
		case <-second.C:
			r, over, _ := s.Entry.Answer()
			s.post(func() {
				if over {
					s.endedElsewhere(r)
				}
			})
		}
	}
}

// follow takes over settings that have changed. A form that is over has no use
// for them.
func (s *show) follow(to Settings) {
	s.Settings = to
	s.view.setTheme(display.ThemeOf(to.Theme).Accented(s.req.Form.Accent))
	if _, over := s.m.Result(); over {
		return
	}
	s.m.SetDangerCheck(to.DangerCheck)
	s.saveSoon()
}

// post runs f in the event loop and draws, unless another form is on view.
func (s *show) post(f func()) {
	s.t.post(func() {
		if !s.away {
			f()
		}
	})
}

// background runs f beside the event loop, and what it returns in it.
func (s *show) background(f func() func()) {
	go func() { s.post(f()) }()
}

// putAside closes the form and leaves it waiting, until the person opens it.
func (s *show) putAside() {
	if err := s.Entry.PutAside(s.Viewer); err != nil {
		s.notice = err.Error()
		return
	}
	s.t.stop()
}

// done: there is nothing more to do on this form.
func (s *show) done() { s.t.proceed(s) }

// status is what the page shows beside the form.
func (s *show) status() status {
	st := status{origin: s.req.Origin, waited: time.Since(s.req.Origin.Start), gone: s.agentIsGone, others: len(s.t.others()), expired: s.expired,
		guarded: !s.open && s.lastKey.After(s.opened), notice: s.notice}
	if s.req.Deadline != nil {
		st.left = max(time.Second, time.Until(*s.req.Deadline))
	}
	return st
}

// held swallows input until no key has come for a while: what a person types
// when a popup opens under their hands was meant for something else.
func (s *show) held() bool {
	if s.tryOpen() {
		return s.retry()
	}
	s.lastKey = time.Now()
	return true
}

// guard holds keys back: what was typed so far was not meant for what is on view now.
func (s *show) guard() {
	s.lastKey, s.open = time.Now(), s.Guard <= 0
	s.openGuard()
}

// openGuard opens the guard when no key has come for as long as that takes.
func (s *show) openGuard() {
	if !s.tryOpen() {
		time.AfterFunc(time.Until(s.lastKey.Add(s.Guard)), func() { s.post(s.openGuard) })
	}
}

func (s *show) tryOpen() bool {
	s.open = s.open || time.Since(s.lastKey) >= s.Guard
	return s.open
}

// changed follows every event that reached the machine.
func (s *show) changed() {
	if r, over := s.m.Result(); over {
		s.settle(r)
		return
	}
	s.saveSoon()
}

// settle writes the answer and closes. If it cannot be written the form stays,
// says why, and tries again on the next key.
func (s *show) settle(r form.Result) {
	s.ended.Do(func() { close(s.ending) })
	s.t.lastAnswer(s)
	r.By, r.At = cmp.Or(s.By, form.ByPopup), time.Now()
	err := s.Entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		if first, ok, err := s.Entry.Answer(); ok && err == nil {
			s.endedElsewhere(first)
			return
		}
	}
	if err != nil {
		s.failed = true
		s.notice = fmt.Sprintf("Not saved yet; any key tries again. %v", err)
		return
	}
	s.closing = true
	s.settled.Store(true)
	s.done()
}

// retry writes the answer again after a failure; it reports whether it did.
func (s *show) retry() bool {
	if !s.failed {
		return false
	}
	s.failed, s.notice = false, ""
	if r, over := s.m.Result(); over {
		s.settle(r)
	}
	return true
}

// final is a key while the form is over.
func (s *show) final() {
	if s.failed {
		s.retry()
		return
	}
	s.done()
}

// endedElsewhere: somebody else was first. It says who, and closes on a key or
// after a while; a question that was withdrawn just closes.
func (s *show) endedElsewhere(r form.Result) {
	if s.closing {
		return
	}
	s.closing, s.failed = true, false
	s.saveSoon() // what was typed here stays in the entry
	s.m.Handle(machine.Event{Action: machine.End})
	switch {
	case r.Outcome == form.Aborted || s.Borrowed:
		s.done()
		return
	case r.Outcome == form.Timeout:
		s.expired = true
		s.notice = "Expired: the deadline passed. Any key closes this."
	default:
		s.notice = fmt.Sprintf("Already %s by %s. Any key closes this.", r.Outcome, by(r))
	}
	time.AfterFunc(farewell, func() { s.post(s.done) })
}

func (s *show) agentGone() {
	s.agentIsGone = true
	if s.Borrowed {
		s.t.stop()
	}
}

// saveSoon hands the newest state to saveDrafts.
func (s *show) saveSoon() {
	if s.away {
		return
	}
	s.draft <- s.latest() // there is room: nobody else fills it
}

// latest is the newest state; an older one that nobody has taken yet is dropped.
func (s *show) latest() machine.Draft {
	select {
	case <-s.draft:
	default:
	}
	return s.m.Draft()
}

// saveDrafts writes drafts, each at most draftDelay after the change it holds,
// and the last one when the channel is closed. A form that has its answer has
// no more use for one.
func (s *show) saveDrafts() {
	defer close(s.drafts)
	for d := range s.draft {
		delay := time.NewTimer(draftDelay)
		for due := false; !due; {
			select {
			case newer, open := <-s.draft:
				if open {
					d = newer
				}
				due = !open
			case <-delay.C:
				due = true
			}
		}
		delay.Stop()
		if s.settled.Load() {
			continue
		}
		if err := s.Entry.SaveDraft(d); err != nil {
			s.warn(err)
		}
	}
}

func (s *show) warn(err error) {
	go s.post(func() { s.notice = fmt.Sprintf("What you type is not being saved: %v", err) })
}

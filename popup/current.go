package popup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/drafts"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/settings"
)

// current is the form on view.
type current struct {
	entry    *spool.Entry
	req      spool.Request
	live     *settings.Live
	known    *settings.Loaded // when it was made
	settings settings.Settings
	m        *machine.Machine
	view     *view
	previews *preview.Renderer
	drafts   drafts.Drafts
	guard    machine.Guard

	asker    spool.Status // as it was last looked at
	unsaved  bool         // the answer could not be written; a key tries again
	expired  bool         // the deadline has passed
	closing  bool         // it has ended, and says so
	leaves   time.Time    // when it is cancelled, unless a key takes that back; zero is that nobody has cancelled it
	clock    *time.Timer  // when it shows another time; nil before it is on view
	notice   string
	unsaving string // why the draft is not saved; empty where it is

	settled atomic.Bool        // the answer is on the disk
	gone    context.CancelFunc // it is not on view any more
}

// newCurrent is an entry as it will be on view.
func (s *session) newCurrent(t Taken) *current {
	c := &current{entry: t.Entry, req: t.Request, live: settings.Follow(t.Request.Origin.Cwd)}
	if c.req.Origin.Away != nil {
		c.asker = c.entry.Status()
	}
	c.known, _ = c.live.Now() // the bridge has said what is wrong with them
	c.settings = c.known.Settings
	c.m = machine.New(&c.req.Form, t.Draft, c.settings.DangerCheckEnabled).As(form.ByPopup)
	c.m.ConfirmCancel(c.settings.ConfirmCancel)
	c.view = newView(c.m, c.theme())
	c.view.status, c.view.send, c.view.notice = s.status, s.handle, t.Notice
	c.view.padding, c.view.boxed = layout.Padding, s.Boxed
	c.view.back, c.view.kept = s.By == form.ByInbox, s.Keeps
	c.previews = preview.New(s.Preview, func(take func()) { s.app.Post(take) })
	c.view.previews = c.previews
	c.view.opens = s.Page != nil && c.settings.BrowserEnabled
	if s.Pane != nil {
		c.view.pane = s.Pane(c.req)
	}
	return c
}

func (c *current) theme() display.Theme {
	return display.ThemeOf(c.settings.Theme).Accented(c.req.Form.Accent)
}

// begin is when the form comes on view: the guard counts from here.
func (s *session) begin() {
	ctx, gone := context.WithCancel(s.ctx)
	s.gone = gone
	c := s.current
	c.drafts.Entry, c.drafts.Over = c.entry, c.settled.Load // a form that has its answer has no more use for one
	c.drafts.Met = func(d machine.Draft) { s.post(c, func() { c.met(d) }) }
	c.drafts.Failed = func(err error) {
		s.post(c, func() {
			if s.unsaving = ""; err != nil {
				s.unsaving = fmt.Sprintf("What you type is not being saved: %v", err)
			}
		})
	}
	s.guard.Pause = time.Duration(s.settings.GuardMs) * time.Millisecond
	s.beginGuard(s.Typed)
	s.tick()
	s.post(c, func() { s.onView(ctx) }) // and so once it is drawn
}

// onView tells the bridge that the form is on the screen, and begins what need not
// have begun before that. ctx ends when it is not on view any more.
func (s *session) onView(ctx context.Context) {
	c := s.current
	go func() {
		if err := c.entry.Painted(s.Viewer, s.ViewerName); err != nil {
			s.warn(c, err.Error())
		}
	}()
	s.fit()
	go s.watch(ctx, c)
	go s.live.Each(ctx, c.known, func(now *settings.Loaded) { s.post(c, func() { s.follow(now.Settings) }) })
	if s.queue != nil && !s.counting {
		s.counting = true
		go s.watchQueue(s.ctx)
	}
}

// follow takes over settings that have changed. A form that is over has no use
// for them.
func (s *session) follow(now settings.Settings) {
	s.settings, s.guard.Pause = now, time.Duration(now.GuardMs)*time.Millisecond
	s.view.setTheme(s.theme())
	if _, over := s.m.Result(); over {
		return
	}
	s.m.SetDangerCheck(now.DangerCheckEnabled)
	s.m.ConfirmCancel(now.ConfirmCancel)
	s.drafts.Save(s.m)
}

// end saves what was typed.
func (c *current) end() {
	if _, over := c.m.Result(); !over && !c.closing {
		c.drafts.Save(c.m)
	}
	c.drafts.Close()
	c.previews.Close()
	c.clock.Stop()
}

// met is what is on the disk now. The entry on the screen follows at once: a key that
// comes before the next drawing would be typed to what stood there.
func (c *current) met(d machine.Draft) {
	if c.m.Meet(d) {
		c.view.syncEntry()
	}
}

// others are the questions that wait beside the one on view, oldest first.
func (s *session) others() []string {
	ids := slices.Concat(s.waiting, s.left)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return id == s.entry.ID })
}

// proceed follows a form that is over: the oldest that waits comes up, or the
// popup closes.
func (s *session) proceed() {
	ids := s.others()
	switch {
	case s.moving:
	case !s.settings.Chain || len(ids) == 0:
		s.app.Stop()
	default:
		s.find(ids)
	}
}

// goToOther goes to the next question that waits (1) or the previous one (-1), in
// the order in which they were asked, around the end.
func (s *session) goToOther(step int) {
	ids := s.others()
	i, _ := slices.BinarySearch(ids, s.entry.ID)
	ids = slices.Concat(ids[i:], ids[:i])
	if step < 0 {
		slices.Reverse(ids)
	}
	if !s.moving {
		s.find(ids)
	}
}

// find looks for the first of the questions that can be shown, beside the event
// loop. Where there is none and the form on view is over by then, the popup closes.
func (s *session) find(ids []string) {
	s.moving = true
	left := slices.Clone(s.left)
	go func() {
		for _, id := range ids {
			if t, ok := s.takeOther(id, slices.Contains(left, id)); ok {
				other := s.newCurrent(t)
				s.post(nil, func() { s.change(other) })
				return
			}
		}
		s.post(nil, func() {
			if s.moving = false; s.closing {
				s.app.Stop()
			} else {
				s.left = nil // they are over, or open elsewhere
				s.view.say("No other question waits.")
			}
		})
	}()
}

// takeOther takes another question for this popup. One that nobody waits for is
// left to askpane next, unless it was on view here.
func (s *session) takeOther(id string, left bool) (t Taken, ok bool) {
	entry, err := s.Spool.Open(id)
	if errors.Is(err, spool.ErrNotFound) {
		_ = s.queue.Leave(id)
	}
	if err != nil {
		return t, false
	}
	if !left && !entry.Waits() {
		_ = s.queue.Leave(id)
		entry.Close()
		return t, false
	}
	if t, err = Take(entry); err != nil { // somebody else shows it, or it has its answer
		entry.Close()
	}
	return t, err == nil
}

// change puts another form on view. What was typed in the one before is saved, and
// its bridge told, beside that.
func (s *session) change(to *current) {
	s.moving = false
	old := s.current
	old.gone()
	if _, over := old.m.Result(); !over && !old.closing && old.asker.AgentGone && !slices.Contains(s.left, old.entry.ID) {
		s.left = append(s.left, old.entry.ID)
	}
	s.current = to
	s.app.SetRoot(s.view, true)
	s.begin()
	s.saving.Go(func() {
		old.end()
		if _, settled, _ := old.entry.Answer(); !settled && old.entry.Waits() {
			// Before the lock is let go of: then its bridge knows that the popup
			// has not died. If it cannot be told, it opens one by itself later.
			_ = s.queue.Back(old.entry.ID)
		}
		old.entry.Close()
	})
}

// watch posts what happens outside the terminal to a form, until ctx ends: to its entry, and
// when the bridge that waits for it has ended.
func (s *session) watch(ctx context.Context, c *current) {
	agentGone, changes := c.entry.AgentGone(), c.entry.Watch()
	defer changes.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-agentGone:
			agentGone = nil
		case <-changes.Changed:
			c.drafts.Look()
		}
		asker := c.entry.Status()
		if agentGone == nil && !asker.AgentGone { // it has asked again
			agentGone = c.entry.AgentGone()
		}
		r, over, _ := c.entry.Answer() // ours, perhaps, on its way out
		s.post(c, func() {
			if over {
				s.endedElsewhere(r)
			} else if s.asker = asker; asker.AgentGone && s.Borrowed {
				s.app.Stop()
			}
		})
	}
}

// watchQueue keeps count of who waits, until ctx ends.
func (s *session) watchQueue(ctx context.Context) {
	s.queue.Watch().Each(ctx, func() {
		waiting := s.queue.Waiting()
		s.post(nil, func() { s.waiting = waiting })
	})
}

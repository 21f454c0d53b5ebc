package popup

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/sitting"
)

// current holds the form on view.
type current struct {
	*sitting.Sitting
	view     *view
	previews *preview.Renderer
	guard    machine.Guard
	anew     int         // how often what is on view was shown anew (machine.Anews)
	closing  bool        // it has ended, and says so
	told     bool        // and that is on the screen: a key closes it
	clock    *time.Timer // when it shows another time; nil before it is on view
}

// newCurrent makes a form of an entry, ready to come on view.
func (s *session) newCurrent(entry *spool.Entry, req spool.Request) *current {
	c := &current{}
	happens := func(_ context.Context, do func()) { s.post(c, func() { do(); s.happened() }) }
	c.Sitting = sitting.New(context.Background(), entry, req, sitting.Surface{By: cmp.Or(s.By, form.ByPopup), Name: form.ByPopup, Post: happens, Begins: s.Begins, Leaves: "Esc closes this unsaved. "})
	c.view = newView(c.M, display.ThemeOf(c.Now.Theme, c.Now.Colours).Accented(c.Req.Form.Accent))
	c.view.owner = owner{status: s.status, take: s.take, counts: s.counts, fit: s.fit, roomAgain: s.roomAgain,
		suspend: func(run func()) bool { return s.app.Suspend(run) }, lookThere: s.lookThere, goThere: s.goThere, openPage: s.openPage, putAside: s.putAside, goToOther: s.goToOther}
	c.view.padding, c.view.boxed = layout.Padding, s.Boxed
	c.view.back, c.view.kept = s.By == form.ByInbox, s.Keeps
	c.view.previews = func(p form.Preview, width int) []styled.Row {
		if c.previews == nil { // as for most questions
			c.previews = preview.New(s.Preview, func(take func()) { s.app.Post(take) })
		}
		return c.previews.Rows(p, width)
	}
	c.view.opens, c.view.serves = s.Page != nil && c.Now.BrowserEnabled, s.Serves
	if s.Pane != nil {
		c.view.pane = s.Pane(c.Req)
	}
	return c
}

// present brings the form on view: the guard counts from here.
func (s *session) present() {
	c := s.current
	s.guard.Pause = s.Guard()
	s.beginGuard(s.Typed)
	s.tick()
	s.post(c, s.onView) // and so once it is drawn
}

// onView tells the bridge that the form is on the screen, and begins what need not
// have begun before that.
func (s *session) onView() {
	c := s.current
	go func() {
		if err := c.Entry.Painted(s.Viewer, s.ViewerName); err != nil {
			s.post(c, func() { c.Notice = cmp.Or(c.Notice, err.Error()) }) // not over why an answer is not saved
		}
	}()
	s.fit()
	s.Follow()
	s.happened()
	if s.queue != nil && !s.counting {
		s.counting = true
		go s.queue.Watch().Each(s.ctx, func() {
			waiting := s.queue.Waiting()
			s.post(nil, func() { s.waiting = waiting })
		})
	}
}

// happened follows what others have done to the form on view, and the settings. What was
// typed elsewhere is in the entry on the screen at once: a key that comes before the next
// drawing would be typed to what stood there.
func (s *session) happened() {
	s.guard.Pause = s.Guard()
	s.view.setTheme(display.ThemeOf(s.Now.Theme, s.Now.Colours).Accented(s.Req.Form.Accent))
	s.view.entry.sync()
	switch {
	case s.First != nil:
		s.over()
	case s.Asker.AgentGone && s.Borrowed:
		s.app.Stop()
	}
}

// end saves what was typed.
func (c *current) end() {
	c.Close()
	if c.previews != nil {
		c.previews.Close()
	}
	c.clock.Stop()
}

// others returns the questions that wait beside the one on view, oldest first.
func (s *session) others() []string {
	ids := slices.Concat(s.waiting, s.left)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return id == s.current.Entry.ID })
}

// proceed follows a form that is over: the oldest that waits comes up, or the
// popup closes.
func (s *session) proceed() {
	ids := s.others()
	switch {
	case s.moving:
	case !s.Now.Chain || len(ids) == 0:
		s.app.Stop()
	default:
		s.find(ids)
	}
}

// goToOther goes to the next question that waits (1) or the previous one (-1), in
// the order in which they were asked, around the end.
func (s *session) goToOther(step int) {
	ids := s.others()
	i, _ := slices.BinarySearch(ids, s.current.Entry.ID)
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
	left, over, danger := slices.Clone(s.left), s.closing, s.Now.DangerCheckEnabled
	_, _, width, height := s.view.GetRect()
	go func() {
		for _, id := range ids {
			left := slices.Contains(left, id)
			entry, req, ok := s.takeOther(id, left)
			switch {
			case !ok:
				continue
			case s.Floats && over && !left && crowded(&s.opened, &req.Form, danger, width, height):
				entry.Close() // its bridge opens a popup for it when this one has closed
				s.post(nil, s.app.Stop)
			default:
				other := s.newCurrent(entry, req)
				s.post(nil, func() { s.change(other) })
			}
			return
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

// crowded reports whether a form needs more than a popup of that size inside, which was opened
// for another one and cannot be resized, and gave that all it needed: so there is more.
func crowded(opened, next *form.Form, danger bool, width, height int) bool {
	needs := func(f *form.Form) (columns, most int) {
		columns, rows := layout.Size(f, "", danger, true, width, math.MaxInt)
		return columns, slices.Max(rows)
	}
	hadColumns, hadRows := needs(opened)
	columns, rows := needs(next)
	return columns > width && hadColumns <= width || rows > height && hadRows <= height
}

// takeOther takes another question for this popup. One that nobody waits for is
// left to askpane next, unless it was on view here.
func (s *session) takeOther(id string, left bool) (entry *spool.Entry, req spool.Request, ok bool) {
	entry, err := s.Spool.Open(id)
	if errors.Is(err, spool.ErrNotFound) {
		_ = s.queue.Leave(id)
	}
	if err != nil {
		return nil, req, false
	}
	if !left && !entry.Waits() {
		_ = s.queue.Leave(id)
		entry.Close()
		return nil, req, false
	}
	if req, err = Take(entry); err != nil { // somebody else shows it, or it has its answer
		entry.Close()
	}
	return entry, req, err == nil
}

// change puts another form on view. What was typed in the one before is saved, and
// its bridge told, beside that.
func (s *session) change(to *current) {
	s.moving = false
	old := s.current
	if _, over := old.M.Result(); !over && !old.closing && old.Asker.AgentGone && !slices.Contains(s.left, old.Entry.ID) {
		s.left = append(s.left, old.Entry.ID)
	}
	s.current = to
	s.app.SetRoot(s.view, true)
	s.present()
	s.saving.Go(func() {
		old.end()
		if _, settled, _ := old.Entry.Answer(); !settled && old.Entry.Waits() {
			// Before the lock is let go of: then its bridge knows that the popup
			// has not died. If it cannot be told, it opens one by itself later.
			_ = s.queue.Rejoin(old.Entry.ID)
		}
		old.Entry.Close()
	})
}

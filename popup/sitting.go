package popup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/machine"
)

// sitting is one popup in front of a person: its screen, and the form on it.
// Where other questions wait for the same viewer, one form follows the other
// and the popup stays (setting chain); the person may also go to another and
// come back.
type sitting struct {
	Config
	app    *tview.Application
	screen display.Screen
	line   *spool.Queue // nil where no other form can follow

	ctx    context.Context
	away   sync.WaitGroup // forms that are being put away
	ending chan struct{}  // closed when the last answer is on its way
	ended  sync.Once

	// These belong to tview's event loop.
	now     *show
	waiting []string // the questions in line, oldest first
	left    []string // those that the person has left without an answer, and nobody waits for
	moving  bool     // another form is on its way

	mu     sync.Mutex
	todo   []func() // for the event loop, see post
	agents map[string]<-chan struct{}
}

func newSitting(c Config, screen display.Screen) *sitting {
	t := &sitting{Config: c, app: tview.NewApplication(), screen: screen, ending: make(chan struct{}), agents: map[string]<-chan struct{}{}}
	t.app.SetScreen(screen).EnableMouse(!c.NoMouse).EnablePaste(true)
	// tview would stop the application on Ctrl+C; the view says what it does.
	t.app.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey {
		switch e.Key() {
		case wake:
			t.work()
		case tcell.KeyCtrlC:
			t.now.view.key(e)
		default:
			return e
		}
		return nil
	})
	return t
}

// wake is a key of no keyboard, with which the event loop is told of something
// to do; busyLoop is how much may wait before it is not told any more. It is
// below the length of tview's queue (100), where telling would block.
const (
	wake     = tcell.KeyF64
	busyLoop = 50
)

// post runs f in the event loop, then draws. Not by app.QueueUpdateDraw: that
// waits for ever for an application that has just stopped.
func (t *sitting) post(f func()) {
	t.mu.Lock()
	t.todo = append(t.todo, f)
	n := len(t.todo)
	t.mu.Unlock()
	if n <= busyLoop { // a paste swallows keys, so one alone could be lost
		t.app.QueueEvent(tcell.NewEventKey(wake, 0, 0))
	}
}

func (t *sitting) work() {
	t.mu.Lock()
	todo := t.todo
	t.todo = nil
	t.mu.Unlock()
	for _, f := range todo {
		f()
	}
}

// open puts the first form on the screen.
func (t *sitting) open(in Settings, req spool.Request, m *machine.Machine) *show {
	t.now = newShow(t, t.Entry, in, req, m)
	t.app.SetRoot(t.now.view, true)
	return t.now
}

func (t *sitting) run(ctx context.Context) error {
	// An error gets through a paste, which swallows keys, and is queued without
	// waiting: app.QueueUpdate never returns where the application has just ended.
	stopped := tcell.NewEventError(context.Canceled)
	defer context.AfterFunc(ctx, func() {
		t.screen.BeforeStop()
		t.app.QueueEvent(stopped)
	})()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.ctx = ctx
	t.now.begin()
	t.post(t.now.painted) // and so once it is drawn
	if t.line != nil {
		go t.follow(ctx, t.now.onView)
	}
	err := t.app.Run()
	t.now.end()
	t.away.Wait()
	if err != nil && err != error(stopped) {
		return fmt.Errorf("draw on the terminal: %w", err)
	}
	return nil
}

// stop ends the application; the rest follows in run.
func (t *sitting) stop() {
	t.screen.BeforeStop()
	t.app.Stop()
}

// glance is how long the line is left alone after a look at it: a thousand who
// join at once are counted a few times, and not a thousand times.
const glance = 100 * time.Millisecond

// follow keeps count of who waits, once the form is on view.
func (t *sitting) follow(ctx context.Context, onView <-chan struct{}) {
	select {
	case <-onView:
	case <-ctx.Done():
		return
	}
	w, err := t.line.Watch()
	if err != nil {
		t.post(func() { t.now.notice = err.Error() })
		return
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.ending:
			return
		case <-w.Changed:
		}
		ids := t.line.Waiting()
		t.post(func() { t.waiting = ids })
		select {
		case <-ctx.Done():
			return
		case <-t.ending:
			return
		case <-time.After(glance):
		}
	}
}

// others are the questions that wait beside the one on view, oldest first.
func (t *sitting) others() []string {
	ids := slices.Concat(t.waiting, t.left)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return id == t.now.Entry.ID })
}

// lastAnswer: an answer is about to be written after which nothing follows. A
// watch that ends with the process makes its end slow.
func (t *sitting) lastAnswer(s *show) {
	if !s.Chain || len(t.others()) == 0 {
		t.ended.Do(func() { close(t.ending) })
	}
}

// proceed follows a form that is over: the oldest that waits comes up, or the
// popup closes.
func (t *sitting) proceed(s *show) {
	if s != t.now || t.moving {
		return
	}
	ids := t.others()
	if !s.Chain || len(ids) == 0 {
		t.stop()
		return
	}
	t.bring(ids, t.stop)
}

// turn goes to the next question that waits (1) or the previous one (-1), in
// the order in which they were asked, around the end.
func (t *sitting) turn(step int) {
	ids := t.others()
	i, _ := slices.BinarySearch(ids, t.now.Entry.ID)
	ids = slices.Concat(ids[i:], ids[:i])
	if step < 0 {
		slices.Reverse(ids)
	}
	none := func() { t.now.view.say("No other question waits.") }
	if len(ids) == 0 {
		none()
		return
	}
	t.bring(ids, none)
}

// bring puts the first of the questions on view that can be shown; none is for
// when there is none.
func (t *sitting) bring(ids []string, none func()) {
	if t.moving {
		return
	}
	t.moving = true
	left := slices.Clone(t.left)
	go func() {
		for _, id := range ids {
			if s := t.take(id, slices.Contains(left, id)); s != nil {
				put := make(chan struct{})
				t.post(func() {
					t.put(s)
					close(put)
				})
				select {
				case <-put:
					t.post(s.painted) // and so once it is drawn
				case <-t.ctx.Done():
				}
				return
			}
		}
		t.post(func() {
			t.moving = false
			none()
		})
	}()
}

// take takes another question for this popup; nil where that cannot be. One
// that nobody waits for is left to askpane next, unless it was on view here.
func (t *sitting) take(id string, left bool) *show {
	entry, err := t.Spool.Open(id)
	if errors.Is(err, spool.ErrNotFound) {
		_ = t.line.Leave(id)
	}
	if err != nil {
		return nil
	}
	if !left && entry.Status().AgentGone {
		_ = t.line.Leave(id)
		entry.Close()
		return nil
	}
	req, draft, notice, err := Take(entry)
	if err != nil { // somebody else shows it, or it has its answer
		entry.Close()
		return nil
	}
	in := t.Load(req.Origin)
	s := newShow(t, entry, in, req, machine.New(&req.Form, draft, in.DangerCheck))
	s.view.notice = notice
	return s
}

// put changes the form on view. What was typed in the one before is saved, and
// its bridge told, beside that.
func (t *sitting) put(s *show) {
	old := t.now
	old.away = true
	close(old.gone)
	if _, over := old.m.Result(); !over && !old.closing && old.agentIsGone && !slices.Contains(t.left, old.Entry.ID) {
		t.left = append(t.left, old.Entry.ID)
	}
	t.now, t.moving = s, false
	t.app.SetRoot(s.view, true)
	s.begin()
	t.away.Go(func() {
		old.end()
		if _, settled, _ := old.Entry.Answer(); !settled && !old.Entry.Status().AgentGone {
			// Before the lock is let go of: then its bridge knows that the popup
			// has not died. If it cannot be told, it opens one by itself later.
			_ = t.line.Back(old.Entry.ID)
		}
		old.Entry.Close()
	})
}

// agentGone is spool's, once for each form however often it is shown.
func (t *sitting) agentGone(e *spool.Entry) <-chan struct{} {
	select {
	case <-t.agents[e.ID]: // an agent may ask again
		delete(t.agents, e.ID)
	default:
	}
	if t.agents[e.ID] == nil {
		t.agents[e.ID] = e.AgentGone()
	}
	return t.agents[e.ID]
}

// by is who gave an answer, in words for a person.
func by(r form.Result) string { return text.OneLine(r.By, 60) }

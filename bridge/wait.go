package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
)

// closing bounds the time in which a popup closes by itself, unless a test sets another.
const closing = time.Second

// waiting runs the wait of one question. Its machine decides; one goroutine carries out
// what that says. What takes time runs elsewhere and reports through a channel.
type waiting struct {
	*call
	*machine.Machine
	host host.Host

	timer   *time.Timer
	replies chan reply      // of openPopup
	opening host.Opening    // the host's side of our popup; nil once that has ended
	redraw  chan<- struct{} // tells the host that the popup which is up may look different
	release func()          // ends what the host does for that one
	gone    <-chan struct{} // closed when that popup has let go of the entry
	woken   <-chan struct{} // closed when what is awaited beside the clock has come
	queue   *spool.Queue    // in which it has a place; nil while in none
	lookout *lookout
	came    time.Time // since when the person is at the asking pane, as far as handBack knows
	unwatch func()    // ends the watch for a viewer; nil where there is none

	warned map[string]bool
	answer form.Result
	end    *machine.End
	clear  func() // takes the alerts back; nil before they are raised
	stop   func() // ends the entry's watch

	background context.Context // of what goes on beside the wait
	cancel     context.CancelFunc
	rest       sync.WaitGroup // of the same
}

// wait sees the question through: popups come and go, and one answer ends it, which is
// then locked for handing it over. finish waits for all that the answer need not wait
// for.
func (c *call) wait(ctx context.Context, h host.Host) (r form.Result, finish func(), err error) {
	w := &waiting{call: c, host: h, lookout: c.Lookout.of(h, c.Spool),
		release: func() {}, replies: make(chan reply, 1), timer: time.NewTimer(0), warned: map[string]bool{}}
	w.Machine = machine.New(time.Now(), c.config(h))
	w.background, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w.run(ctx)
	r, err = w.result()
	if e := c.entry.StopWaiting(); e != nil {
		c.Warn(e)
	}
	if w.clear != nil {
		w.rest.Go(w.clear)
	}
	if w.end.GiveBack {
		w.close()
	} else {
		w.rest.Go(w.close)
	}
	return r, w.rest.Wait, err
}

// config sets the wait's limits. A question of another machine does not end because
// nobody is at this one.
func (c *call) config(h host.Host) machine.Config {
	s, _ := c.Settings()
	config := machine.Config{Asked: c.req.Origin.Start, Deadline: c.req.Deadline, Serial: c.req.Origin.Native == spool.Serial,
		HostWait: time.Duration(s.HostWaitSeconds) * time.Second, Borrowed: h.Kind().Borrows}
	if c.req.Origin.Away != nil {
		config.HostWait = 0
	}
	return config
}

// run passes events to the machine until the wait is over.
func (w *waiting) run(ctx context.Context) {
	w.step(machine.Tick{}) // the first popup is asked for before anything else
	watch := w.entry.Watch()
	w.stop = watch.Stop
	if watch.Polls != nil {
		w.warnOnce(fmt.Errorf("looking for the answer once a second, since the system cannot tell of changes: %w", watch.Polls))
	}
	for w.State() != machine.Over {
		select {
		case <-watch.Changed:
			w.step(machine.Changed{})
		case <-w.timer.C:
			w.step(machine.Tick{})
		case <-ctx.Done():
			w.step(machine.Interrupted{Keep: w.hold == nil && w.question.keeps(), Elsewhere: context.Cause(ctx) == ErrElsewhere})
		case r := <-w.replies:
			w.replied(r)
		case <-w.hostEnded():
			w.step(w.ended())
		case <-w.gone:
			w.gone = nil
			w.step(machine.PopupGone{})
		case <-w.woken:
			w.woken = nil
			w.step(machine.Woken{Died: w.died()})
		}
	}
}

// step tells the machine of an event and carries out its effects.
func (w *waiting) step(e machine.Event) {
	for e != nil {
		facts := w.facts(e) // before the clock: what they tell had happened by then
		effects := w.Step(time.Now(), facts, e)
		e = nil
		for _, effect := range effects {
			if reply := w.apply(effect); reply != nil {
				e = reply
			}
		}
	}
	w.timer.Stop()
	if next := w.Next(); !next.IsZero() {
		w.timer.Reset(time.Until(next))
	}
	w.watchForViewer()
}

// watchForViewer has the host watched as long as it has no viewer.
func (w *waiting) watchForViewer() {
	switch alone := w.State() == machine.Unattended; {
	case alone && w.unwatch == nil:
		w.woken, w.unwatch = w.lookout.watch()
	case !alone && w.unwatch != nil:
		w.unwatch()
		w.unwatch = nil
	}
}

// facts reads the entry. Beside an answer nothing else counts; without one it is read
// once more, since a popup that has gone may have left it.
func (w *waiting) facts(e machine.Event) (f machine.Facts) {
	if w.end != nil || w.answered(&f) {
		return f
	}
	status := w.entry.Status()
	f.Shown, f.Viewer, f.Aside = status.Painted, status.Viewer, status.Aside
	if _, gone := e.(machine.PopupGone); gone && f.Viewer != "" {
		f.Queued = slices.Contains(w.queueOf(f.Viewer).Waiting(), w.entry.ID)
	}
	if !w.answered(&f) && status.Removed {
		f.Err = fmt.Errorf("the question %s was removed from the spool while it waited", w.entry.ID)
	}
	return f
}

// answered reports whether there is an answer, or can be none that is valid.
func (w *waiting) answered(f *machine.Facts) bool {
	w.answer, f.Answered, f.Err = w.entry.Answer()
	if f.Answered {
		f.Err = w.check(w.answer)
	}
	return f.Answered || f.Err != nil
}

// apply carries out one effect. It returns the event that the machine awaits of that, if
// any.
func (w *waiting) apply(effect machine.Effect) (reply machine.Event) {
	switch effect := effect.(type) {
	case machine.Open:
		w.woken = nil
		go func() { w.replies <- w.openPopup(w.background) }()
	case machine.Abandon:
		w.opening.Abandon()
		w.opening = nil
	case machine.Present:
		w.present(effect.Viewer)
	case machine.Redraw:
		select {
		case w.redraw <- struct{}{}:
		default: // it has been told
		}
	case machine.Release:
		w.release()
	case machine.Queue:
		return w.joinQueue(effect.Viewer)
	case machine.Leave:
		w.leaveQueue()
	case machine.Attend:
		w.attend()
	case machine.Warn:
		w.warnOnce(effect.Err)
	case machine.End:
		w.end = &effect
	}
	return nil
}

// replied handles the reply of openPopup.
func (w *waiting) replied(r reply) {
	w.opening = r.opening
	if w.State() == machine.Opening { // otherwise it waits for something else by now
		w.woken = r.woken
		w.warnOnce(w.entry.SetUnattended(r.alone))
	}
	w.step(r.event)
}

// hostEnded returns a channel that is closed when the host's side of our popup has ended.
func (w *waiting) hostEnded() <-chan struct{} {
	if w.opening == nil {
		return nil
	}
	return w.opening.Ended()
}

func (w *waiting) ended() machine.HostEnded {
	err := w.opening.Err()
	w.opening = nil
	return machine.HostEnded{Err: err, Busy: errors.Is(err, host.ErrBusy)}
}

// present lets the host see to it that the popup is painted.
func (w *waiting) present(viewer string) {
	w.warnOnce(w.entry.SetUnattended(false))
	w.gone = w.entry.PopupGone()
	if tender, can := cmp.Or[any](w.opening, host.At(w.host, viewer)).(host.Tender); can && viewer != "" {
		ctx, release := context.WithCancel(w.background)
		changed := make(chan struct{}, 1)
		w.redraw, w.release = changed, release
		w.rest.Go(func() { tender.Tend(ctx, viewer, changed) })
	}
}

func (w *waiting) queueOf(viewer string) *spool.Queue {
	return w.Spool.Queue(host.At(w.host, viewer).Kind().Name, viewer)
}

func (w *waiting) joinQueue(viewer string) (p machine.Position) {
	queue := cmp.Or(w.queue, w.queueOf(viewer))
	if p.Ahead, p.Taken, w.woken, p.Err = queue.Join(w.entry.ID); p.Err == nil {
		w.queue = queue
	}
	p.Held = time.Since(w.Spool.Queue(host.At(w.host, viewer).Kind().Name, "").LastLeft()).Abs() < machine.HoldBack
	return p
}

func (w *waiting) leaveQueue() {
	if w.queue == nil {
		return
	}
	w.warnOnce(w.queue.Leave(w.entry.ID))
	w.queue = nil
}

// died reports whether the popup that had the viewer was killed.
func (w *waiting) died() bool {
	if w.queue == nil {
		return false
	}
	pid, taken := w.queue.Seat()
	return pid != 0 && !taken
}

// attend starts what would have held up the first paint.
func (w *waiting) attend() {
	if w.clear = func() {}; w.req.Origin.Away == nil || w.entry.FirstAlert() {
		w.clear = w.Raise(w.host, w.entry.ID, w.req)
	}
	w.rest.Go(func() { Prune(w.background, w.Spool, w.Warn) }) // thousands may be too old, and the answer waits for none
	w.rest.Go(func() {
		if err := w.entry.Sync(); err != nil {
			w.Warn(fmt.Errorf("this question would not survive a crash of the machine: %w", err))
		}
	})
}

// warnOnce warns of what went wrong, if anything did.
func (w *waiting) warnOnce(err error) {
	normal := w.req.Origin.Away != nil && errors.Is(err, host.ErrNoViewer) // its person is at another machine, or on the phone
	if err != nil && !normal && !w.warned[err.Error()] {
		w.warned[err.Error()] = true
		w.Warn(err)
	}
}

// result returns the answer, or why there is none.
func (w *waiting) result() (form.Result, error) {
	switch w.end.How {
	case machine.Kept:
		return form.Result{}, fmt.Errorf("%w: %s", ErrKept, w.entry.ID)
	case machine.Settled:
		return w.settle(w.end.Result)
	}
	return w.answer, w.end.Err
}

// settle ends the question from our side, unless an answer was first: one given in the
// last instant is not lost.
func (c *call) settle(r form.Result) (form.Result, error) {
	err := c.entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		theirs, _, err := c.entry.Answer()
		if err == nil {
			err = c.check(theirs)
		}
		return theirs, err
	}
	if err != nil {
		c.Warn(err) // the caller is told all the same; the popup sees that nobody waits
	}
	return r, nil
}

// close gives up what the host has in hand. It waits for a popup that has given the
// answer, or has the asker's own terminal, to close by itself, so that its viewer is free
// again when the call is over; but not for one that goes on with another form.
func (w *waiting) close() {
	w.cancel()
	w.stop()
	if w.opening != nil && (w.end.GiveBack || w.answer.By == form.ByPopup) {
		if w.end.GiveBack {
			w.gone = nil
		} else if w.gone == nil { // it was answered before it was seen, or has just gone
			w.gone = w.entry.PopupGone()
		}
		select {
		case <-w.gone:
		case <-w.opening.Ended():
		case <-time.After(cmp.Or(w.closing, closing)):
		}
	}
	w.step(machine.Tick{})
	for w.Asking() {
		w.replied(<-w.replies)
	}
}

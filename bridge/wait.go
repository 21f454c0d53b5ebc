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

// closing limits how long a popup may take to close by itself, unless a test sets another limit.
const closing = time.Second

// waiting is one question that waits. Its machine decides; everything here
// happens in one goroutine, which asks the machine what to do and does it. What
// takes time runs elsewhere and reports through a channel.
type waiting struct {
	*call
	*machine.Machine
	host host.Host

	timer   *time.Timer
	replies chan reply      // of an open
	opening host.Opening    // the host's side of our popup; nil once that has ended
	shown   host.Opening    // the same for the popup that is up, whoever opened it
	gone    <-chan struct{} // that popup has let go of the entry
	woken   <-chan struct{} // what is waited for beside the clock
	queue   *spool.Queue    // in which it has a place; nil while in none
	lookout *lookout
	unwatch func() // ends the watch for a viewer; nil where there is none

	warned map[string]bool
	answer form.Result
	end    *machine.End
	clear  func() // takes the alerts back; nil before they are raised
	stop   func() // ends the entry's watch

	beside context.Context // of what goes on beside the wait
	cancel context.CancelFunc
	rest   sync.WaitGroup // that
}

// wait sees the question through: popups come and go, one answer ends it, which
// is claimed for handing it over. finish waits for all that the answer need not
// wait for.
func (c *call) wait(ctx context.Context, h host.Host) (r form.Result, finish func(), err error) {
	w := &waiting{call: c, host: h, lookout: c.Lookout.of(h, c.Spool),
		replies: make(chan reply, 1), timer: time.NewTimer(0), warned: map[string]bool{}}
	w.Machine = machine.New(time.Now(), c.config(h))
	w.beside, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
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

// config returns what the question brings along for the wait. A question of another
// machine does not end because nobody is at this one.
func (c *call) config(h host.Host) machine.Config {
	s, _ := c.Settings.Now()
	config := machine.Config{Asked: c.req.Origin.Start, Deadline: c.req.Deadline,
		HostWait: time.Duration(s.HostWaitSeconds) * time.Second, Borrowed: h.Kind().Borrows}
	if c.req.Origin.Away != nil {
		config.HostWait = 0
	}
	return config
}

// run is the wait: events go to the machine until it is over.
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
			w.step(machine.Interrupted{Keep: w.question.keeps()})
		case r := <-w.replies:
			w.replied(r)
		case <-w.hostEnded():
			w.step(w.ended())
		case <-w.gone:
			w.popupGone()
		case <-w.woken:
			w.woken = nil
			w.step(machine.Woken{Died: w.died()})
		}
	}
}

func (w *waiting) popupGone() {
	gone := w.gone
	w.gone = nil
	w.step(machine.PopupGone{})
	if w.State() == machine.Over { // it matters to close
		w.gone = gone
	}
}

// step tells the machine of an event and does what it says.
func (w *waiting) step(e machine.Event) {
	for e != nil {
		facts := w.facts(e) // before the clock: what they tell had happened by then
		effects := w.Step(time.Now(), facts, e)
		e = nil
		for _, effect := range effects {
			if reply := w.do(effect); reply != nil {
				e = reply
			}
		}
	}
	w.timer.Stop()
	if next := w.Next(); !next.IsZero() {
		w.timer.Reset(time.Until(next))
	}
	w.lookForViewer()
}

// lookForViewer has the host watched as long as it has no viewer.
func (w *waiting) lookForViewer() {
	switch alone := w.State() == machine.Unattended; {
	case alone && w.unwatch == nil:
		w.woken, w.unwatch = w.lookout.watch()
	case !alone && w.unwatch != nil:
		w.unwatch()
		w.unwatch = nil
	}
}

// facts is what the entry says now. An answer is all there is to know; without
// one it is looked for once more, since a popup that has gone may have left it.
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

// answered reports whether there is an answer, or can be none that would do.
func (w *waiting) answered(f *machine.Facts) bool {
	w.answer, f.Answered, f.Err = w.entry.Answer()
	if f.Answered {
		f.Err = w.req.Form.Check(w.answer)
	}
	return f.Answered || f.Err != nil
}

// do does one thing. Where the machine waits for what comes of it, that is the reply.
func (w *waiting) do(effect machine.Effect) (reply machine.Event) {
	switch effect := effect.(type) {
	case machine.Open:
		w.woken = nil
		go func() { w.replies <- w.open(w.beside) }()
	case machine.Abandon:
		w.opening.Abandon()
		w.opening = nil
	case machine.Present:
		w.present(effect.Viewer)
	case machine.Redraw:
		if w.shown != nil {
			w.shown.Changed(w.beside)
		}
	case machine.Release:
		if w.shown != nil && w.shown != w.opening {
			w.shown.Abandon()
		}
		w.shown = nil
	case machine.Queue:
		return w.stand(effect.Viewer)
	case machine.Leave:
		w.leave()
	case machine.Attend:
		w.attend()
	case machine.Warn:
		w.warnOnce(effect.Err)
	case machine.End:
		w.end = &effect
	}
	return nil
}

// replied takes what has come of an open.
func (w *waiting) replied(r reply) {
	w.opening = r.opening
	if w.State() == machine.Opening { // otherwise it waits for something else by now
		w.woken = r.woken
		w.attended(!r.alone)
	}
	w.step(r.event)
}

// attended says in the entry whether somebody is there.
func (w *waiting) attended(yes bool) {
	if err := w.entry.SetUnattended(!yes); err != nil {
		w.warnOnce(err)
	}
}

// hostEnded is closed when the host's side of our popup has ended.
func (w *waiting) hostEnded() <-chan struct{} {
	if w.opening == nil {
		return nil
	}
	return w.opening.Ended()
}

func (w *waiting) ended() machine.HostEnded {
	err := w.opening.Err()
	w.opening = nil
	var inTheWay interface{ Busy() bool }
	return machine.HostEnded{Err: err, Busy: errors.As(err, &inTheWay) && inTheWay.Busy()}
}

// present lets the host see to it that what the popup draws is on view.
func (w *waiting) present(viewer string) {
	w.attended(true)
	w.gone = w.entry.PopupGone()
	w.shown = w.opening
	if adopter, ok := host.At(w.host, viewer).(host.Adopter); ok && w.shown == nil && viewer != "" {
		w.shown = adopter.Adopt(viewer)
	}
	if popup := w.shown; popup != nil {
		w.rest.Go(func() { popup.Shown(w.beside) })
	}
}

// queueOf is the queue of a viewer.
func (w *waiting) queueOf(viewer string) *spool.Queue {
	return w.Spool.Queue(host.At(w.host, viewer).Kind().Name, viewer)
}

// went is when the person last left a form for an asking pane of the host that the
// viewer is on.
func (w *waiting) went(viewer string) time.Time {
	return w.Spool.Queue(host.At(w.host, viewer).Kind().Name, "").Went()
}

// stand takes a place in the viewer's queue.
func (w *waiting) stand(viewer string) (p machine.Position) {
	queue := w.queue
	if queue == nil {
		queue = w.queueOf(viewer)
	}
	if p.Ahead, p.Taken, w.woken, p.Err = queue.Stand(w.entry.ID); p.Err == nil {
		w.queue = queue
	}
	p.Held = time.Since(w.went(viewer)) < machine.HoldBack
	return p
}

func (w *waiting) leave() {
	if w.queue == nil {
		return
	}
	if err := w.queue.Leave(w.entry.ID); err != nil {
		w.warnOnce(err)
	}
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

// attend does what would take its time from the first paint.
func (w *waiting) attend() {
	if w.clear = func() {}; w.req.Origin.Away == nil || w.entry.FirstAlert() {
		w.clear = w.Alerts.Raise(w.host, w.entry.ID, w.req)
	}
	w.rest.Go(func() { Prune(w.Spool, w.Warn) })
	w.rest.Go(func() {
		if err := w.entry.Sync(); err != nil {
			w.Warn(fmt.Errorf("this question would not survive a crash of the machine: %w", err))
		}
	})
}

func (w *waiting) warnOnce(err error) {
	normal := w.req.Origin.Away != nil && errors.Is(err, host.ErrNoViewer) // its person is at another machine, or on the phone
	if !normal && !w.warned[err.Error()] {
		w.warned[err.Error()] = true
		w.Warn(err)
	}
}

// result is how the wait has ended.
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
			err = c.req.Form.Check(theirs)
		}
		return theirs, err
	}
	if err != nil {
		c.Warn(err) // the caller is told all the same; the popup sees that nobody waits
	}
	return r, nil
}

// close gives up what the host has in hand. A popup that has given the answer closes by
// itself, and has let go of its viewer when the call is over: the next question may come at
// once. One that has the asker's own terminal is waited for until the host has seen its end.
func (w *waiting) close() {
	w.cancel()
	w.stop()
	if w.opening != nil && (w.end.GiveBack || w.answer.By == form.ByPopup) {
		if w.gone == nil { // it was answered before it was seen
			w.gone = w.entry.PopupGone()
		}
		if w.end.GiveBack {
			w.gone = nil
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

package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

const (
	// signOfLife is how long an opened popup has to say that it is up. After
	// that the viewer was busy with something else: tmux reports success where a
	// popup or a menu is open and it has shown nothing.
	signOfLife = time.Second
	// painting is how long a host is left alone to put a new form on view. zellij
	// painted it 20 ms later while a command of an alert's ran.
	painting = 100 * time.Millisecond
	// lookAgain is how often a host is asked again while nobody is attached or
	// its viewer is busy. A viewer that is busy more than patient times in a row
	// is asked every lookSlowly: something else is wrong there.
	lookAgain  = time.Second
	patient    = 10
	lookSlowly = 5 * time.Second
	// startsInVain is how many popups may end on a borrowed terminal without
	// having come up before it is taken for one that cannot show a form.
	startsInVain = 3
	// A popup that lived less than shortLived before it went away is opened
	// again ever more slowly, up to slowest, so that one that cannot start
	// does not flicker.
	shortLived = 2 * time.Second
	slowest    = 30 * time.Second
	// mourning is how long the next in line waits where a popup has died on the
	// viewer: the question that it showed gets in line again, and goes first.
	mourning = 200 * time.Millisecond
	// closing is how long a popup that closes itself has for it.
	closing = time.Second
)

// waiting is one question that waits. Everything happens in run's one loop:
// what takes time runs elsewhere and reports through a channel.
type waiting struct {
	*Bridge
	entry    *spool.Entry
	req      spool.Request
	place    Place
	asked    time.Time
	deadline *time.Time  // nil where there is none
	keep     func() bool // whether the question outlives the call; may be nil

	opened    chan attempt // an Open that has returned
	asking    bool         // one is under way
	opening   Opening      // the host's side of the popup; nil where there is none
	painter   Opening      // the same for the popup that is up, whoever opened it
	tried     string       // the viewer it was opened on
	up        time.Time    // since when the popup is up; zero while it is not
	gone      <-chan struct{}
	again     <-chan time.Time // when to try to open next
	wake      <-chan struct{}  // or what to wait for before that
	life      <-chan time.Time
	painted   <-chan time.Time // the popup that has come up is on view
	delay     time.Duration
	notBefore time.Time // when the next may open, after one that died
	vain      int       // popups since the last that came up, which did not
	aside     bool      // the person put the question aside
	lonely    time.Time // since when there is no viewer
	alone     error     // why, as of a popup that waits for one
	tooLong   <-chan time.Time
	warned    map[string]bool
	turn      inLine // on the viewer's line
	clear     func()
	rest      sync.WaitGroup // what goes on beside the answer
}

type attempt struct {
	opening Opening
	err     error
}

// wait sees the question through: popups come and go, one answer ends it. It
// returns when the popup has closed, with the answer claimed for handing it
// over; clear waits for the rest, which the answer need not wait for.
func (b *Bridge) wait(ctx context.Context, entry *spool.Entry, req spool.Request, place Place, keep func() bool) (r form.Result, clear func(), err error) {
	w := &waiting{Bridge: b, entry: entry, req: req, place: place, asked: req.Origin.Start, deadline: req.Deadline, keep: keep,
		opened: make(chan attempt, 1), warned: map[string]bool{}}
	opening, cancel := context.WithCancel(context.WithoutCancel(ctx))
	// One that was taken over may have its popup, or by now its answer; in this
	// order, as in run.
	shows := entry.Status().Painted
	if _, answered, _ := entry.Answer(); shows {
		w.again = time.After(lookAgain) // should it die before the first look
	} else if !answered {
		w.open(opening)
	}
	watch := w.entry.Watch()
	r, err = w.run(ctx, opening, watch)
	watch.Stop()
	if _, e := entry.Claim(); e != nil { // before the lock is let go: nobody else may come between
		b.Warn(e)
	}
	if e := entry.StopWaiting(); e != nil {
		b.Warn(e)
	}
	if w.clear != nil {
		w.rest.Go(w.clear)
	}
	w.close(r, cancel)
	return r, w.rest.Wait, err
}

func (w *waiting) run(ctx, opening context.Context, watch *spool.Watch) (form.Result, error) {
	if watch.Polls != nil {
		w.warnOnce(fmt.Errorf("looking for the answer once a second, since the system cannot tell of changes: %w", watch.Polls))
	}
	var late <-chan time.Time
	if w.deadline != nil {
		t := time.NewTimer(time.Until(*w.deadline))
		defer t.Stop()
		late = t.C
	}
	stop := ctx.Done()
	for {
		select {
		case <-watch.Changed:
			if r, ok, err := w.answer(); ok || err != nil {
				return r, err
			}
			w.look(opening)
		case <-late:
			return w.settle(form.Result{Outcome: form.Timeout, Waited: w.deadline.Sub(w.asked)})
		case <-stop:
			if w.keep != nil && w.keep() {
				if r, ok, err := w.answer(); ok || err != nil {
					return r, err
				}
				return form.Result{}, fmt.Errorf("%w: %s", ErrKept, w.entry.ID)
			}
			return w.settle(form.Result{Outcome: form.Aborted})
		case a := <-w.opened:
			if r, over := w.started(opening, a); over {
				return w.settle(r)
			}
		case err := <-w.seen():
			w.unseen(err)
		case <-w.tooLong:
			// One that somebody has opened by hand elsewhere is seen.
			if v := w.entry.Status().Viewer; !w.up.IsZero() && (w.painter == nil || v != w.painter.Viewer()) {
				w.tooLong = nil
				continue
			}
			return w.settle(form.Result{Outcome: form.Unavailable, Reason: w.alone.Error()})
		case <-w.life:
			w.busy()
		case <-w.painted:
			w.painted = nil
			w.attend()
		case <-w.ended():
			if r, over := w.hostEnded(); over {
				return w.settle(r)
			}
		case <-w.gone:
			// The popup may have gone because it has written the answer.
			if r, ok, err := w.answer(); ok || err != nil {
				return r, err
			}
			w.popupGone()
		case <-w.again:
			// What woke us may have come with the answer, or with a popup. In this
			// order: a popup that ends in between has left its answer.
			shows := w.entry.Status().Painted
			if r, ok, err := w.answer(); ok || err != nil {
				return r, err
			}
			if w.again = nil; w.up.IsZero() && shows {
				if w.look(opening); w.up.IsZero() { // it ended in between; perhaps it has left its answer
					w.again = time.After(0)
				}
				continue
			}
			w.open(opening)
		case <-w.wake:
			pause := time.Until(w.notBefore)
			if w.turn.joined && died(w.turn.line) {
				pause = max(pause, mourning)
			}
			w.wake, w.again = nil, time.After(pause)
		case <-w.turn.ahead:
			w.advance()
		case <-w.turn.moved:
			w.advance()
		}
	}
}

// answer reads the answer, if there is one.
func (w *waiting) answer() (form.Result, bool, error) {
	r, ok, err := w.entry.Answer()
	if err == nil && ok {
		err = w.req.Form.Check(r)
	}
	if !ok && w.entry.Status().Removed {
		err = fmt.Errorf("the question %s was removed from the spool while it waited", w.entry.ID)
	}
	return r, ok, err
}

// settle ends the question from our side, unless somebody was first: then
// theirs is the answer, so that one given in the last instant is not lost.
func (w *waiting) settle(r form.Result) (form.Result, error) {
	r.By, r.At = form.ByBridge, time.Now()
	err := w.entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		r, _, err = w.answer()
		return r, err
	}
	if err != nil {
		w.Warn(err) // the caller is told all the same; the popup sees that nobody waits
	}
	return r, nil
}

// open asks the host for a popup.
func (w *waiting) open(ctx context.Context) {
	w.again, w.wake, w.asking = nil, nil, true
	go func() {
		o, err := w.place.Open(ctx, w.entry.ID)
		w.opened <- attempt{o, err}
	}()
}

// started takes note of what Open said. over means that no popup can be had.
func (w *waiting) started(ctx context.Context, a attempt) (r form.Result, over bool) {
	w.asking = false
	var notNow NotNow
	var occupied Occupied
	if a.err != nil && !errors.As(a.err, &occupied) {
		w.leaveLine()
	}
	switch {
	case a.err == nil:
		w.opening, w.tried, w.lonely, w.alone, w.tooLong = a.opening, a.opening.Viewer(), time.Time{}, nil, nil
		if w.up.IsZero() {
			if !w.place.Borrowed { // there the end of the process says all
				w.life = time.After(signOfLife)
			}
		} else { // the popup was quicker than we are, or somebody opened one by hand
			w.letPaint()
			w.paint(ctx, w.opening)
		}
		return r, false
	case !w.up.IsZero(): // somebody has opened one by hand meanwhile
		return r, false
	case errors.As(a.err, &occupied):
		w.lonely, w.vain = time.Time{}, 0
		w.attend()
		w.lineUp(occupied.Viewer)
		return r, false
	case errors.As(a.err, &notNow):
		w.lonely = time.Time{}
		w.attend()
		w.wake = notNow.Wake
		if notNow.After > 0 {
			w.again = time.After(max(lookAgain, notNow.After))
		}
		return r, false
	case errors.Is(a.err, ErrNoViewer):
		if w.lonely.IsZero() {
			w.lonely = time.Now()
			w.warnOnce(fmt.Errorf("the question waits: %w", a.err))
		}
	default:
		w.warnOnce(a.err)
	}
	w.attend()
	if w.HostWait > 0 && !w.lonely.IsZero() && time.Since(w.lonely) >= w.HostWait {
		return form.Result{Outcome: form.Unavailable, Reason: a.err.Error()}, true
	}
	w.again = time.After(lookAgain)
	return r, false
}

// attend does, once, what can wait until the popup is on view or cannot come up
// yet: on two cores it would take its time from the first paint.
func (w *waiting) attend() {
	if w.clear != nil {
		return
	}
	w.clear = w.place.Alert(w.entry.ID, w.req)
	w.rest.Go(func() {
		if err := w.entry.Sync(); err != nil {
			w.Warn(fmt.Errorf("this question would not survive a crash of the machine: %w", err))
		}
	})
}

func (w *waiting) warnOnce(err error) {
	if !w.warned[err.Error()] {
		w.warned[err.Error()] = true
		w.Warn(err)
	}
}

// close sees to the popup at the end. One that gave the answer closes at once,
// and its viewer is free again when the agent goes on and perhaps asks the next
// question; one that goes on with another form does not hold ours up. One that
// was told may say for a while why it is over; it is not waited for, unless its
// terminal is borrowed; where nobody sees it, it goes.
func (w *waiting) close(r form.Result, cancel context.CancelFunc) {
	w.leaveLine()
	w.letPaint()
	if w.opening != nil && (w.place.Borrowed || r.By == form.ByPopup) {
		late := time.After(closing)
		select {
		case <-w.opening.Ended():
		case <-late:
		case <-w.gone:
			if !w.place.Borrowed && w.sittingGoesOn() {
				w.drop() // the host's command; it would stay as long as the popup
				break
			}
			select {
			case <-w.opening.Ended():
			case <-late:
			}
		}
	}
	if w.up.IsZero() || w.place.Borrowed || w.alone != nil {
		w.drop()
	}
	cancel()
	if w.asking {
		if a := <-w.opened; a.opening != nil {
			a.opening.Abandon()
		}
	}
}

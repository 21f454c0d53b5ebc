package notify

import (
	"context"
	"sync"
	"time"

	"github.com/askpane/askpane/settings"
)

// Start raises the alerts of q that are set, each when it is due, until clear has
// taken all of them back. It returns at once; clear may be called more than once
// and from several sides. What fails goes to failed with the alert's name; it may
// be called from several goroutines, until clear returns.
//
// now is the settings in force, and a channel that is closed when others are. What
// is switched off is taken back. What is switched on is raised as if it had been
// on before, if it stays (title, desktop notification); the bell, speech and the
// command are not made up for.
func Start(q Question, now func() (settings.Settings, <-chan struct{}), r Routes, failed func(alert string, err error)) (clear func()) {
	if q.Asked.IsZero() {
		q.Asked = time.Now()
	}
	waits, end := context.WithCancel(context.Background())
	patient, cancel := context.WithCancel(context.Background())
	f := &follower{job: job{Question: q, Routes: r}, failed: failed, waits: waits, patient: patient}
	s, _ := now()
	for _, one := range all {
		f.items = append(f.items, item{alert: one, on: one.isOn(s), past: beforeAll})
	}
	var running sync.WaitGroup
	running.Go(func() {
		for waits.Err() == nil {
			s, changed := now()
			f.change(s)
			for f.isDue(changed) {
				f.raiseDue()
			}
		}
		f.renew(isUp)
	})
	return func() {
		end()
		enough := time.AfterFunc(grace, cancel)
		defer enough.Stop()
		running.Wait()
		cancel()
	}
}

// follower has the alerts of one question. A thousand may wait in one process, so
// that a question has one goroutine, and more only while something is raised.
type follower struct {
	job
	failed  func(alert string, err error)
	waits   context.Context // ends with the question
	patient context.Context // ends when clear waits no longer for what is being raised
	items   []item
}

type item struct {
	*alert
	on   bool
	past time.Duration // what was due up to then is done with
	back undo          // takes back what is up; nil where there is nothing
}

func isUp(it *item) bool { return it.back != nil }

func (it item) due(s settings.Settings) time.Duration {
	if !it.on {
		return never
	}
	return it.when(s, it.past)
}

// renew takes back what is up of those alerts, and raises those that are on again: all
// at once, so that one that hangs keeps no other waiting.
func (f *follower) renew(which func(*item) bool) {
	var busy sync.WaitGroup
	for i := range f.items {
		if it := &f.items[i]; which(it) {
			busy.Go(func() { f.renewOne(it) })
		}
	}
	busy.Wait()
}

func (f *follower) renewOne(it *item) {
	if isUp(it) { // taking back has a patience of its own
		f.attempt(context.Background(), it, it.back)
		it.back = nil
	}
	if it.on && f.waits.Err() == nil {
		f.attempt(f.patient, it, func(ctx context.Context) (err error) {
			it.back, err = it.raise(ctx, f.job)
			return err
		})
	}
}

// attempt does something that may fail, within patience.
func (f *follower) attempt(ctx context.Context, it *item, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := do(ctx); err != nil {
		f.failed(it.name, err)
	}
}

// change follows the settings, and takes back what is switched off.
func (f *follower) change(s settings.Settings) {
	f.set = s
	f.renew(func(it *item) bool {
		was := it.on
		it.on = it.isOn(s)
		switch {
		case !it.on:
			return isUp(it)
		case !was && it.late:
			it.past = beforeAll
		case !was || it.past != beforeAll:
			it.past = time.Since(f.Asked)
		}
		return false
	})
}

// isDue waits until an alert is due next. It is false when the settings have
// changed or the question is over before.
func (f *follower) isDue(changed <-chan struct{}) bool {
	next := never
	for _, it := range f.items {
		next = min(next, it.due(f.set))
	}
	select {
	case <-f.waits.Done():
		return false
	case <-changed:
		return false
	case <-time.After(next - time.Since(f.Asked)):
		return true
	}
}

// raiseDue raises what is due. A reminder takes the place of what was there.
func (f *follower) raiseDue() {
	f.waited = time.Since(f.Asked)
	quiet := f.set.InQuietHours(time.Now())
	f.renew(func(it *item) bool {
		if it.due(f.set) > f.waited {
			return false
		}
		it.past = f.waited
		return !it.loud || !quiet
	})
}

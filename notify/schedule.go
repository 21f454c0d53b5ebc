package notify

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/settings"
)

// Start raises the alerts of q that are set, each when it is due, until clear has
// taken all of them back. It returns at once; clear may be called more than once
// and from several sides. What fails goes to failed with the alert's name; it may
// be called from several goroutines, until clear returns.
//
// Changed settings count at once. What is switched off is taken back. What is
// switched on is raised as if it had been on before, if it stays (title, desktop
// notification); the bell, speech and the command are not made up for.
func Start(q Question, s Settings, r Routes, failed func(alert string, err error)) (clear func()) {
	now := time.Now()
	q.Asked = now.Add(-max(0, now.Sub(cmp.Or(q.Asked, now)))) // from here on by a clock that nobody sets
	f := &follower{job: job{Question: q, Routes: r, set: s.Now()}, settings: s, failed: failed}
	f.patient, f.cancel = context.WithCancel(context.Background())
	for _, one := range all {
		f.items = append(f.items, item{alert: one, on: one.isOn(*f.set), past: beforeAll})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer = time.AfterFunc(0, f.follow)
	f.unwatch = s.Watch(func() {
		f.stale.Store(true)
		f.timer.Reset(0)
	})
	f.stale.Store(true) // they may have changed before
	return f.clear
}

// follower has the alerts of one question. A thousand may wait in one process, so
// that a question has goroutines only while something is raised or taken back.
type follower struct {
	settings Settings
	failed   func(alert string, err error)
	unwatch  func()
	over     atomic.Bool
	patient  context.Context // ends when clear waits no longer for what is being raised
	cancel   context.CancelFunc
	stale    atomic.Bool // other settings are in force
	timer    *time.Timer // of follow

	mu sync.Mutex // held while something is raised or taken back; guards what follows
	job
	items []item
}

// follow raises what is due by now, and sees to it that it runs again when more is.
func (f *follower) follow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over.Load() {
		return
	}
	if f.stale.Swap(false) {
		f.change()
	}
	f.waited = time.Since(f.Asked)
	quiet := f.set.Quiet()
	f.renew(func(it *item) bool { // a reminder takes the place of what was there
		if it.due(f.set) > f.waited {
			return false
		}
		it.past = f.waited
		return !it.loud || !quiet
	})
	next := never
	for _, it := range f.items {
		next = min(next, it.due(f.set))
	}
	if next != never {
		f.timer.Reset(next - time.Since(f.Asked))
	}
	if f.stale.Load() { // since then, and that is sooner
		f.timer.Reset(0)
	}
}

func (f *follower) clear() {
	f.over.Store(true)
	f.unwatch()
	enough := time.AfterFunc(grace, f.cancel)
	defer enough.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer.Stop()
	f.renew(isUp)
	f.cancel()
}

type item struct {
	*alert
	on   bool
	past time.Duration // what was due up to then is done with
	back undo          // takes back what is up; nil where there is nothing
}

func isUp(it *item) bool { return it.back != nil }

func (it item) due(s *settings.Settings) time.Duration {
	if !it.on {
		return never
	}
	return it.when(*s, it.past)
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
	if it.on && !f.over.Load() {
		f.attempt(f.patient, it, func(ctx context.Context) (err error) {
			it.back, err = it.raise(ctx, f.job)
			return err
		})
	}
}

// attempt bounds an alert's action by patience, and reports that it failed.
func (f *follower) attempt(ctx context.Context, it *item, act func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := act(ctx); err != nil {
		f.failed(it.name, err)
	}
}

// change follows the settings, and takes back what is switched off.
func (f *follower) change() {
	f.set = f.settings.Now()
	f.renew(func(it *item) bool {
		was := it.on
		it.on = it.isOn(*f.set)
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

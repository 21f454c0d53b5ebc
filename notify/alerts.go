package notify

import (
	"context"
	"sync"
	"time"

	"github.com/askpane/askpane/settings"
)

// Alerts are the alerts of one question.
type Alerts struct {
	question Question
	routes   Routes
	failed   func(alert string, err error)
	ctx      context.Context // ends when Clear has no more patience
	cancel   context.CancelFunc
	running  sync.WaitGroup // one for each alert

	mu      sync.Mutex
	set     settings.Settings
	over    bool          // Clear was called
	changed chan struct{} // closed when set or over is another
}

// Start raises the alerts of q that are set, each on its own and each when
// it is due, and returns at once. What fails goes to failed with the alert's
// name; it may be called from several goroutines, until Clear returns.
func Start(q Question, s settings.Settings, r Routes, failed func(alert string, err error)) *Alerts {
	if q.Asked.IsZero() {
		q.Asked = time.Now()
	}
	a := &Alerts{question: q, routes: r, failed: failed, set: s, changed: make(chan struct{})}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	for _, one := range all {
		it := &item{Alerts: a, alert: one, was: one.on(s), past: beforeAll}
		a.running.Go(it.follow)
	}
	return a
}

// Change makes s what counts from now on. What is switched off is taken back.
// What is switched on is raised as if it had been on before, if it stays (title,
// desktop notification); the bell, speech and the command are not made up for.
func (a *Alerts) Change(s settings.Settings) {
	a.change(func() { a.set = s })
}

// Clear takes every alert back and returns when that is done. It may be called
// more than once and from several sides.
func (a *Alerts) Clear() {
	a.change(func() { a.over = true })
	enough := time.AfterFunc(grace, a.cancel)
	defer enough.Stop()
	a.running.Wait()
	a.cancel()
}

func (a *Alerts) change(to func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	to()
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *Alerts) now() (s settings.Settings, over bool, changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.set, a.over, a.changed
}

func (a *Alerts) waited() time.Duration { return time.Since(a.question.Asked) }

// item is one alert of one question.
type item struct {
	*Alerts
	alert
	was  bool          // it was switched on until the last change
	past time.Duration // what was due up to then is done with
	back undo          // takes back what is up; nil where there is nothing
}

// follow raises the alert whenever it is due while it is switched on, and takes
// it back once it is not.
func (it *item) follow() {
	for {
		s, over, changed := it.now()
		on := it.on(s) && !over
		switch {
		case !on:
			it.lower()
		case !it.was && it.late:
			it.past = beforeAll
		case !it.was || it.past != beforeAll:
			it.past = it.waited()
		}
		if over {
			return
		}
		for it.isDue(s, on, changed) {
			if !it.loud || !s.InQuietHours(time.Now()) {
				it.lower() // a reminder takes the place of what was there
				it.raise(s)
			}
		}
		it.was = on
	}
}

// isDue waits until the alert is due next. It is false when the settings have
// changed before.
func (it *item) isDue(s settings.Settings, on bool, changed <-chan struct{}) bool {
	due := never
	if on {
		due = it.when(s, it.past)
	}
	select {
	case <-changed:
		return false
	case <-time.After(due - it.waited()):
		it.past = max(due, it.waited())
		return true
	}
}

func (it *item) raise(s settings.Settings) {
	ctx, cancel := context.WithTimeout(it.ctx, patience)
	defer cancel()
	var err error
	it.back, err = it.alert.raise(ctx, job{it.question, it.routes, s, it.past})
	if err != nil {
		it.failed(it.name, err)
	}
}

// lower takes back what is up. It is not part of it.ctx: what Clear takes back
// has its own patience.
func (it *item) lower() {
	if it.back == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := it.back(ctx); err != nil {
		it.failed(it.name, err)
	}
	it.back = nil
}

package notify

import (
	"context"
	"fmt"
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
	items    []*item
	rest     sync.WaitGroup // raising and taking back, beside Start and Change
	once     sync.Once

	mu   sync.Mutex
	set  settings.Settings
	over bool // Clear was called
}

// item is one alert of one question.
type item struct {
	alert
	timer *time.Timer // to when it is due next; guarded by Alerts.mu
	fired bool        // it was due since it was switched on; guarded by Alerts.mu

	busy sync.Mutex // held while it is raised and while it is taken back
	up   raised     // guarded by busy
}

// Start raises the alerts of q that are set, each on its own and each when
// it is due, and returns at once. What fails goes to failed with the alert's
// name; it may be called from several goroutines, until Clear returns.
func Start(q Question, s settings.Settings, r Routes, failed func(alert string, err error)) *Alerts {
	if q.Asked.IsZero() {
		q.Asked = time.Now()
	}
	a := &Alerts{question: q, routes: r, failed: failed, set: s}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range all {
		it := &item{alert: one}
		a.items = append(a.items, it)
		if it.on(s) {
			a.arm(it, -1)
		}
	}
	return a
}

// Change makes s what counts from now on. What is switched off is taken back.
// What is switched on is raised as if it had been on before, if it stays (title,
// desktop notification); the bell, speech and the command are not made up for.
func (a *Alerts) Change(s settings.Settings) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	old := a.set
	a.set = s
	for _, it := range a.items {
		it.disarm()
		was := it.on(old)
		switch {
		case it.on(s):
			after := a.waited()
			if !it.fired && (was || it.late) {
				after = -1
			}
			a.arm(it, after)
		case was:
			it.fired = false
			a.rest.Go(func() {
				if !a.wants(it) { // it may have been switched on again meanwhile
					a.takeBack(it)
				}
			})
		}
	}
}

// Clear takes every alert back and returns when that is done. It may be called
// more than once and from several sides.
func (a *Alerts) Clear() {
	a.once.Do(func() {
		a.mu.Lock()
		a.over = true
		for _, it := range a.items {
			it.disarm()
		}
		a.mu.Unlock()
		enough := time.AfterFunc(grace, a.cancel)
		a.rest.Wait()
		var cleared sync.WaitGroup
		for _, it := range a.items {
			if it.up.clear != nil { // nobody else is left who would change it
				cleared.Go(func() { a.takeBack(it) })
			}
		}
		cleared.Wait()
		enough.Stop()
		a.cancel()
	})
}

func (a *Alerts) waited() time.Duration { return time.Since(a.question.Asked) }

func (a *Alerts) wants(it *item) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.over && it.on(a.set)
}

// arm sees to it that the alert is raised when it is due next after so long.
func (a *Alerts) arm(it *item, after time.Duration) {
	due, ok := it.when(a.set, after)
	if !ok {
		return
	}
	if wait := due - a.waited(); wait > 0 {
		var timer *time.Timer
		timer = time.AfterFunc(wait, func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			if it.timer == timer { // else it is another's time that counts by now
				a.fire(it, due)
			}
		})
		it.timer = timer
		return
	}
	a.fire(it, due)
}

func (it *item) disarm() {
	if it.timer != nil {
		it.timer.Stop()
		it.timer = nil
	}
}

// fire raises the alert, which is due, beside everything else.
func (a *Alerts) fire(it *item, due time.Duration) {
	it.timer, it.fired = nil, true
	waited := max(due, a.waited())
	a.arm(it, waited)
	if it.loud && a.set.InQuietHours(time.Now()) {
		return
	}
	a.rest.Go(func() { a.raise(it, waited) })
}

func (a *Alerts) raise(it *item, waited time.Duration) {
	it.busy.Lock()
	defer it.busy.Unlock()
	a.mu.Lock()
	j, wanted := job{a.question, a.routes, a.set, waited}, !a.over && it.on(a.set)
	a.mu.Unlock()
	if !wanted {
		return
	}
	a.lower(it) // a reminder takes the place of what was there
	ctx, cancel := context.WithTimeout(a.ctx, patience)
	defer cancel()
	up, err := it.alert.raise(ctx, j)
	it.up = up
	if err != nil {
		a.failed(it.name, err)
	}
}

func (a *Alerts) takeBack(it *item) {
	it.busy.Lock()
	defer it.busy.Unlock()
	a.lower(it)
}

// lower takes back what is up. It is not part of a.ctx: what Clear takes back
// has its own patience.
func (a *Alerts) lower(it *item) {
	clear := it.up.clear
	it.up = raised{}
	if clear == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := clear(ctx); err != nil {
		a.failed(it.name, err)
	}
}

// back is how an alert that stays is taken back; nil where it cannot be.
func back(undo func(context.Context) error) func(context.Context) error {
	if undo == nil {
		return nil
	}
	return func(ctx context.Context) error {
		if err := undo(ctx); err != nil {
			return fmt.Errorf("take it back: %w", err)
		}
		return nil
	}
}

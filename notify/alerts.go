package notify

import (
	"context"
	"sync"
	"time"

	"github.com/askpane/askpane/settings"
)

// Start raises the alerts of q that are set, each on its own and each when it is
// due, until clear has taken all of them back. It returns at once; clear may be
// called more than once and from several sides. What fails goes to failed with
// the alert's name; it may be called from several goroutines, until clear returns.
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
	s, _ := now()
	var running sync.WaitGroup
	for _, one := range all {
		it := &item{alert: one, job: job{Question: q, Routes: r}, now: now, failed: failed, patient: patient, was: one.on(s), past: beforeAll}
		running.Go(func() {
			it.follow(waits)
			it.lower()
		})
	}
	return func() {
		end()
		enough := time.AfterFunc(grace, cancel)
		defer enough.Stop()
		running.Wait()
		cancel()
	}
}

// item is one alert of one question.
type item struct {
	alert
	job
	now     func() (settings.Settings, <-chan struct{})
	failed  func(alert string, err error)
	patient context.Context // ends when clear waits no longer for what is being raised

	was  bool          // it was switched on until the last change
	past time.Duration // what was due up to then is done with
	back undo          // takes back what is up; nil where there is nothing
}

// follow raises the alert whenever it is due while it is switched on, and takes
// it back when it is switched off, as long as the question waits.
func (it *item) follow(waits context.Context) {
	for waits.Err() == nil {
		s, changed := it.now()
		it.set = s
		on := it.on(s)
		switch {
		case !on:
			it.lower()
		case !it.was && it.late:
			it.past = beforeAll
		case !it.was || it.past != beforeAll:
			it.past = it.since()
		}
		it.was = on
		for it.isDue(waits, changed) {
			if !it.loud || !s.InQuietHours(time.Now()) {
				it.lower() // a reminder takes the place of what was there
				it.raiseNow()
			}
		}
	}
}

// isDue waits until the alert is due next. It is false when the settings have
// changed or the question is over before.
func (it *item) isDue(waits context.Context, changed <-chan struct{}) bool {
	due := never
	if it.was {
		due = it.when(it.set, it.past)
	}
	select {
	case <-waits.Done():
		return false
	case <-changed:
		return false
	case <-time.After(due - it.since()):
		it.past = max(due, it.since())
		return true
	}
}

// since is how long ago the question was asked.
func (it *item) since() time.Duration { return time.Since(it.Asked) }

func (it *item) raiseNow() {
	ctx, cancel := context.WithTimeout(it.patient, patience)
	defer cancel()
	it.waited = it.past
	var err error
	if it.back, err = it.raise(ctx, it.job); err != nil {
		it.failed(it.name, err)
	}
}

// lower takes back what is up, with a patience of its own.
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

package spool

import (
	"context"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// slowPoll passes between checks where the system cannot tell of changes: rare enough
// to cost nothing, soon enough for a person.
const slowPoll = time.Second

// Watch tells of changes in an entry, in a queue, or in the spool.
type Watch struct {
	// Changed has a value when something may have changed since it was last
	// received from. Changes are merged.
	Changed <-chan struct{}
	// Polls says why it is polled; nil where the system tells of changes.
	Polls error
	Stop  func()
}

func (e *Entry) Watch() *Watch { return newWatch(watch.Dir, e.path) }

// Watch tells when entries come and go, until Stop.
func (s *Spool) Watch() *Watch { return newWatch(watch.Dir, s.path) }

// newWatch watches a directory by watchDir, which is watch.Dir outside tests.
func newWatch(watchDir func(string, func(string)) (*watch.Watch, error), dir string) *Watch {
	changed, tell := watch.Merged()
	tell() // something may have happened before
	one, err := watchDir(dir, func(name string) {
		if !strings.HasPrefix(name, ".") { // a file that is still being written
			tell()
		}
	})
	if err != nil { // some network file systems, or fs.inotify.max_user_instances reached
		return &Watch{changed, err, poll(tell)}
	}
	return &Watch{changed, nil, one.Stop}
}

// poll calls tell every slowPoll, until stop.
func poll(tell func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(slowPoll):
				tell()
			}
		}
	}()
	return func() { close(done) }
}

// Each calls changed at each change until ctx ends, and with it the watch.
func (w *Watch) Each(ctx context.Context, changed func()) {
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Changed:
			changed()
		}
	}
}

// Package watch tells of what changes on the file system.
//
// It touches nothing. The rule that must hold here: a process has one watcher,
// whatever it watches, and none while it watches nothing. On Linux that is one
// inotify instance, of which a user has 128 for all programs together.
package watch

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Watch tells of changes in one directory.
type Watch struct {
	Polls error // why the directory is polled; nil where the system tells of changes
	key   key
	tell  func(name string)
	over  atomic.Bool // it was stopped
}

// pollEvery passes between looks where the system cannot tell of changes, as some network file
// systems: rare enough to cost nothing, soon enough for a person.
const pollEvery = time.Second

var (
	mu      sync.Mutex // guards what follows
	own     *system    // the process's: the system limits how many a user has
	watches = map[key][]*Watch{}
)

// Dir tells of changes in a directory until Stop: the name of what was made,
// written, renamed or removed in it; an empty one is the directory itself, or
// that anything may have changed, which is told every pollEvery where the system
// cannot tell. tell must return at once.
//
// On Linux it tells too that a file was closed that somebody had open for
// writing, even if that was by being killed; and it does so a moment before the
// locks are free that were held through that descriptor.
func Dir(path string, tell func(name string)) *Watch {
	mu.Lock()
	defer mu.Unlock()
	w := &Watch{tell: tell}
	var err error
	if own == nil {
		if own, err = open(); err == nil {
			go own.read()
		}
	}
	if err == nil {
		w.key, err = own.add(path)
	}
	if err != nil {
		w.Polls = fmt.Errorf("watch files: %w", err) // without the path: of a thousand, each would be another warning
		time.AfterFunc(pollEvery, w.look)
		closeWhenIdle()
		return w
	}
	watches[w.key] = append(watches[w.key], w)
	return w
}

// look tells that anything may have changed, and again in a while, until Stop.
func (w *Watch) look() {
	if !w.over.Load() {
		w.tell("")
		time.AfterFunc(pollEvery, w.look)
	}
}

// Merged returns a channel that has a value once tell was called, however often.
func Merged() (told <-chan struct{}, tell func()) {
	c := make(chan struct{}, 1)
	return c, func() {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Stop ends the watch. It may tell once more if it is just about to.
func (w *Watch) Stop() {
	mu.Lock()
	defer mu.Unlock()
	w.over.Store(true)
	i := slices.Index(watches[w.key], w)
	if i < 0 {
		return // what was watched is gone, it was polled, or it was stopped before
	}
	watches[w.key] = slices.Delete(watches[w.key], i, i+1)
	if len(watches[w.key]) == 0 {
		delete(watches, w.key)
		own.remove(w.key)
		closeWhenIdle()
	}
}

// A watcher that watches nothing stays for idle. Linux takes 15 ms to close an inotify
// descriptor right after its last watch has gone, and next to nothing 2 ms later.
const idle = 50 * time.Millisecond

// closeWhenIdle closes the watcher in a while, if it has nothing to watch then.
func closeWhenIdle() {
	if len(watches) > 0 {
		return
	}
	was := own
	time.AfterFunc(idle, func() {
		mu.Lock()
		defer mu.Unlock()
		if own == was && len(watches) == 0 && was != nil {
			own = nil
			was.close()
		}
	})
}

type event struct {
	key  key
	name string // in the directory; may be empty
	lost bool   // events of whatever key were lost
	gone bool   // nothing more comes with this key
}

// dispatch tells those who watch what e is about.
func dispatch(from *system, e event) {
	mu.Lock()
	if from != own { // closed meanwhile; its keys mean others now
		mu.Unlock()
		return
	}
	told := slices.Clone(watches[e.key])
	if e.lost {
		told = slices.Concat(slices.Collect(maps.Values(watches))...)
	}
	if e.gone {
		delete(watches, e.key)
		closeWhenIdle()
	}
	mu.Unlock()
	for _, w := range told {
		w.tell(e.name)
	}
}

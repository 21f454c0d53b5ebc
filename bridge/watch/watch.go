// Package watch tells of what changes on the file system.
//
// It touches nothing. The rule that must hold here: a process has one watcher,
// whatever it watches, and none while it watches nothing. On Linux that is one
// inotify instance, of which a user has 128 for all programs together.
package watch

import (
	"fmt"
	"sync"
	"time"
)

// Watch is one thing that is watched.
type Watch struct {
	key  key
	tell func(name string)
}

// Dir tells of changes in a directory until Stop: the name of what was made,
// written, renamed or removed in it; an empty one is the directory itself, or
// that anything may have changed. tell must return at once.
func Dir(path string, tell func(name string)) (*Watch, error) { return add(path, false, tell) }

// Closed tells each time that the file may have been closed by somebody who had
// it open for writing, and when it is removed, until Stop. It tells so a moment
// before the locks that were held through that descriptor are free, and when
// the holder was killed, too. tell must return at once. The error wraps
// errors.ErrUnsupported where the system cannot tell (all but Linux).
func Closed(path string, tell func()) (*Watch, error) {
	return add(path, true, func(string) { tell() })
}

var (
	mu      sync.Mutex // guards what follows
	own     *system    // the process's: what the system limits is how many a user has
	watches = map[*Watch]bool{}
)

// add watches a directory, or a file for being closed.
func add(path string, closed bool, tell func(string)) (*Watch, error) {
	mu.Lock()
	defer mu.Unlock()
	if own == nil {
		s, err := open()
		if err != nil {
			return nil, fmt.Errorf("watch files: %w", err)
		}
		own = s
		go s.read(func(e event) { dispatch(s, e) })
	}
	key, err := own.add(path, closed)
	if err != nil {
		rest()
		return nil, fmt.Errorf("watch files: %w", err) // without the path: of a thousand, each would be another warning
	}
	w := &Watch{key, tell}
	watches[w] = true
	return w, nil
}

// Stop ends the watch. It may tell once more if it is just about to.
func (w *Watch) Stop() {
	mu.Lock()
	defer mu.Unlock()
	if !watches[w] {
		return // what was watched is gone, or it was stopped before
	}
	delete(watches, w)
	for other := range watches {
		if other.key == w.key {
			return
		}
	}
	own.remove(w.key)
	rest()
}

// idle is how long a watcher that watches nothing stays. Linux takes 15 ms to
// close an inotify descriptor right after its last watch has gone, and next to
// nothing 2 ms later.
const idle = 50 * time.Millisecond

// rest closes the watcher in a while, if it has nothing to watch.
func rest() {
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

// event is what the system tells.
type event struct {
	key  key
	name string // in the directory; may be empty
	lost bool   // events of whatever key were lost
	gone bool   // nothing more comes with this key
}

// dispatch tells who watches that.
func dispatch(from *system, e event) {
	var tell []func(string)
	mu.Lock()
	for w := range watches {
		if from != own { // closed meanwhile; its keys mean others now
			break
		}
		if w.key == e.key || e.lost {
			tell = append(tell, w.tell)
		}
		if w.key == e.key && e.gone {
			delete(watches, w)
		}
	}
	rest()
	mu.Unlock()
	for _, t := range tell {
		t(e.name)
	}
}

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
	"time"
)

// Watch is one thing that is watched.
type Watch struct {
	on   *watcher
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

// watcher is the system's, and who is to be told of what.
type watcher struct {
	*system
	told map[key]map[*Watch]bool
}

var (
	mu sync.Mutex // guards what follows, and every watcher's told
	// own is the process's watcher: what the system limits is how many a user has.
	own *watcher
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
		own = &watcher{s, map[key]map[*Watch]bool{}}
		go s.read(own.dispatch)
	}
	key, err := own.add(path, closed)
	if err != nil {
		own.rest()
		return nil, fmt.Errorf("watch files: %w", err) // without the path: of a thousand, each would be another warning
	}
	w := &Watch{own, key, tell}
	if own.told[key] == nil {
		own.told[key] = map[*Watch]bool{}
	}
	own.told[key][w] = true
	return w, nil
}

// Stop ends the watch. It may tell once more if it is just about to.
func (w *Watch) Stop() {
	mu.Lock()
	defer mu.Unlock()
	told := w.on.told[w.key]
	if !told[w] {
		return // what was watched is gone, or it was stopped before
	}
	delete(told, w)
	if len(told) == 0 {
		delete(w.on.told, w.key)
		w.on.remove(w.key)
	}
	w.on.rest()
}

// idle is how long a watcher that watches nothing stays. Linux takes 15 ms to
// close an inotify descriptor right after its last watch has gone, and next to
// nothing 2 ms later.
const idle = 50 * time.Millisecond

// rest closes the watcher in a while, if it has nothing to watch.
func (w *watcher) rest() {
	if len(w.told) > 0 {
		return
	}
	time.AfterFunc(idle, func() {
		mu.Lock()
		defer mu.Unlock()
		if own == w && len(w.told) == 0 {
			own = nil
			w.close()
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
func (w *watcher) dispatch(e event) {
	var tell []func(string)
	mu.Lock()
	whose := []map[*Watch]bool{w.told[e.key]}
	if e.lost {
		whose = slices.Collect(maps.Values(w.told))
	}
	for _, told := range whose {
		for one := range told {
			tell = append(tell, one.tell)
		}
	}
	if e.gone && w.told[e.key] != nil {
		delete(w.told, e.key)
		w.rest()
	}
	mu.Unlock()
	for _, t := range tell {
		t(e.name)
	}
}

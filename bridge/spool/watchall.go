package spool

import (
	"path/filepath"
	"sync"

	"github.com/askpane/askpane/bridge/watch"
)

// WatchAll tells which entries come, go and change. Of entries that come and go
// it tells for the whole spool; what happens in one it tells for those given to
// Inside.
type WatchAll struct {
	// Changed has a value when Take has something.
	Changed <-chan struct{}
	// Polls is why the spool is looked at by the clock; nil where the system
	// tells of changes.
	Polls error

	dirs    []string                  // the spool, and the spares that there were
	whole   []*watch.Watch            // of each of them; none where it polls
	inside  map[string][]*watch.Watch // by the entry's id
	changed chan struct{}
	done    chan struct{}
	ended   sync.WaitGroup

	mu  sync.Mutex // guards what follows
	ids map[string]bool
	all bool
}

// WatchAll begins to watch the spool, until Stop. At first everything has changed.
func (s *Spool) WatchAll() *WatchAll {
	w := &WatchAll{dirs: []string{s.dir}, changed: make(chan struct{}, 1), done: make(chan struct{}),
		inside: map[string][]*watch.Watch{}, ids: map[string]bool{}}
	w.Changed = w.changed
	for _, spare := range s.others() {
		w.dirs = append(w.dirs, spare.dir)
	}
	for _, dir := range w.dirs {
		one, err := watchDir(dir, w.news)
		if err != nil { // as in Watch
			w.Polls = wrap(err, "watch %s", s.dir)
			stop(w.whole)
			w.whole = nil
			w.ended.Go(func() { poll(w.done, w.tellAll) })
			break
		}
		w.whole = append(w.whole, one)
	}
	w.tellAll()
	return w
}

// news is of the entry with that name in a spool, or of whatever.
func (w *WatchAll) news(name string) {
	switch {
	case name == "":
		w.tellAll()
	case ValidID(name):
		w.tell(name)
	}
}

func (w *WatchAll) tell(id string) {
	w.mu.Lock()
	w.ids[id] = true
	w.mu.Unlock()
	w.signal()
}

func (w *WatchAll) tellAll() {
	w.mu.Lock()
	w.all = true
	w.mu.Unlock()
	w.signal()
}

func (w *WatchAll) signal() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Take is what has changed since it was called last: these entries, or perhaps
// all of them.
func (w *WatchAll) Take() (ids []string, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.ids {
		ids = append(ids, id)
	}
	all = w.all
	w.ids, w.all = map[string]bool{}, false
	return ids, all
}

// Inside tells of changes in these entries from now on, and of those in no others.
func (w *WatchAll) Inside(ids []string) {
	if w.whole == nil {
		return
	}
	now := make(map[string][]*watch.Watch, len(ids))
	for _, id := range ids {
		now[id] = w.inside[id]
		if now[id] != nil {
			continue
		}
		for _, dir := range w.dirs { // it is in one of them, or has just gone: that is told of too
			if one, err := watchDir(filepath.Join(dir, id), func(string) { w.tell(id) }); err == nil {
				now[id] = append(now[id], one)
			}
		}
	}
	for id, watches := range w.inside {
		if now[id] == nil {
			stop(watches)
		}
	}
	w.inside = now
}

// Stop ends the watch.
func (w *WatchAll) Stop() {
	w.Inside(nil)
	stop(w.whole)
	close(w.done)
	w.ended.Wait()
}

func stop(all []*watch.Watch) {
	for _, w := range all {
		w.Stop()
	}
}

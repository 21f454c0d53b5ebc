package spool

import (
	"cmp"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
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

	dirs    []string          // the spool, and the spares that there were
	fsw     *fsnotify.Watcher // nil where it polls
	changed chan struct{}
	done    chan struct{}
	ended   sync.WaitGroup
	inside  map[string]bool

	mu  sync.Mutex // guards what follows
	ids map[string]bool
	all bool
}

// WatchAll begins to watch the spool, until Stop. At first everything has changed.
func (s *Spool) WatchAll() *WatchAll {
	w := &WatchAll{dirs: []string{s.dir}, changed: make(chan struct{}, 1), done: make(chan struct{}),
		inside: map[string]bool{}, ids: map[string]bool{}}
	w.Changed = w.changed
	for _, spare := range s.others() {
		w.dirs = append(w.dirs, spare.dir)
	}
	fsw, err := newWatcher()
	if err == nil {
		for _, dir := range w.dirs {
			err = cmp.Or(err, fsw.Add(dir))
		}
		if err != nil {
			fsw.Close()
		}
	}
	if err != nil { // as in Watch
		w.Polls = wrap(err, "watch %s", s.dir)
		w.ended.Go(func() { poll(w.done, w.tellAll) })
	} else {
		w.fsw = fsw
		w.ended.Go(w.run)
	}
	w.tellAll()
	return w
}

func (w *WatchAll) run() {
	for {
		select {
		case <-w.done:
			return
		case e := <-w.fsw.Events:
			for _, dir := range w.dirs {
				rest, ok := strings.CutPrefix(e.Name, dir+string(filepath.Separator))
				id, _, _ := strings.Cut(rest, string(filepath.Separator))
				if ok && ValidID(id) {
					w.tell(id)
				}
			}
		case <-w.fsw.Errors: // an overflow: events were lost, so look
			w.tellAll()
		}
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
	if w.fsw == nil {
		return
	}
	now := make(map[string]bool, len(ids))
	for _, id := range ids {
		now[id] = true
		if !w.inside[id] {
			for _, dir := range w.dirs { // it is in one of them, or has just gone: that is told of too
				_ = w.fsw.Add(filepath.Join(dir, id))
			}
		}
	}
	for id := range w.inside {
		if !now[id] {
			for _, dir := range w.dirs { // an entry that is gone is not watched any more
				_ = w.fsw.Remove(filepath.Join(dir, id))
			}
		}
	}
	w.inside = now
}

// Stop ends the watch and its goroutine.
func (w *WatchAll) Stop() {
	if w.fsw != nil {
		for _, name := range w.fsw.WatchList() {
			_ = w.fsw.Remove(name) // see Quiet
		}
		time.Sleep(quietPause)
	}
	close(w.done)
	w.ended.Wait()
	if w.fsw != nil {
		w.fsw.Close()
	}
}

// quietPause is long enough after the last watch for a descriptor to close at
// once (see Quiet).
const quietPause = 5 * time.Millisecond

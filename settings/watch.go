package settings

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

const (
	// leastDebounce is how long a file is left alone at least before it is read.
	leastDebounce = 50 * time.Millisecond
	// mostDelay is by how much a file that is written again and again can put
	// its reading off beyond debounceMs.
	mostDelay = 2 * time.Second
	// retryEvery and retryFor: a file that does not parse is perhaps half
	// written. So long it is read again before it is reported.
	retryEvery = 100 * time.Millisecond
	retryFor   = time.Second
	// slowPoll is how often the files are read where the system cannot tell of
	// changes. It may be a thousand bridges that do so (fs.inotify.max_user_instances
	// is 128 by default), and a person who changes a setting can wait as long.
	slowPoll = 5 * time.Second
)

// Watch calls changed whenever the settings for an agent in dir are not those
// that it was given last, at first was. It returns when ctx ends, and calls
// changed from the goroutine it runs in.
//
// A file that cannot be read keeps the values it had, and is reported only if
// it stays so. A process that is about to exit need not end ctx first: closing
// the watch costs more than leaving it to the system.
func Watch(ctx context.Context, dir string, was Loaded, changed func(Loaded)) {
	w := watcher{dir: dir, last: was, good: map[string]document{}, told: make(chan struct{}, 1)}
	if !w.run(ctx, changed) { // fs.inotify.max_user_instances reached, say
		w.poll(ctx, changed)
	}
	stop(w.watched)
}

// watchDir is watch.Dir; a test makes it fail.
var watchDir = watch.Dir

type watcher struct {
	dir  string
	last Loaded
	// good is what each file held when it could be read last.
	good map[string]document
	// broken is since when a file could not be read; zero while all can.
	broken time.Time
	// watched are directories, by their resolved paths.
	watched map[string]*watch.Watch
	// told has a value when one of names may have changed.
	told chan struct{}

	mu sync.Mutex // guards names
	// names are the paths whose events count.
	names map[string]bool
}

// run is Watch where the system tells of changes; false where it does not.
func (w *watcher) run(ctx context.Context, changed func(Loaded)) bool {
	var first time.Time // of the events that are not looked at yet
	due := time.NewTimer(0)
	defer due.Stop()
	soon := func() {
		now := time.Now()
		if first.IsZero() {
			first = now
		}
		wait := max(leastDebounce, time.Duration(w.last.DebounceMs)*time.Millisecond)
		due.Reset(min(wait, max(0, first.Add(wait+mostDelay).Sub(now))))
	}
	for {
		select {
		case <-ctx.Done():
			return true
		case <-w.told:
			soon()
		case <-due.C:
			first = time.Time{}
			if !w.arm() {
				return false
			}
			if again := w.look(changed); again {
				due.Reset(retryEvery)
			}
		}
	}
}

func (w *watcher) poll(ctx context.Context, changed func(Loaded)) {
	every := time.NewTicker(slowPoll)
	defer every.Stop()
	for {
		for w.look(changed) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(retryEvery):
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// look loads and tells of what is new. again: a file could not be read, and
// should be looked at once more before that is said.
func (w *watcher) look(changed func(Loaded)) (again bool) {
	broken := false
	l := load(w.dir, func(path string) (document, error) {
		doc, err := read(path)
		switch {
		case err == nil:
			w.good[path] = doc
			return doc, nil
		case errors.Is(err, fs.ErrNotExist):
			delete(w.good, path)
			return nil, err
		}
		broken = true
		return w.good[path], err
	})
	switch {
	case !broken:
		w.broken = time.Time{}
	case w.broken.IsZero():
		w.broken = time.Now()
		return true
	case time.Since(w.broken) < retryFor:
		return true
	}
	if !reflect.DeepEqual(l, w.last) {
		w.last = l
		changed(l)
	}
	return false
}

// arm watches the directories where one of the files is or may appear, and
// reports whether it can. Editors replace files, so it is never the files
// themselves. Each is watched anew, which mends the watch of one that was
// replaced.
func (w *watcher) arm() bool {
	for range 3 { // a directory may appear while its parent is being added
		before := w.watched
		w.watched = map[string]*watch.Watch{}
		w.mu.Lock()
		w.names = map[string]bool{}
		w.mu.Unlock()
		for _, path := range places(w.dir) {
			w.follow(path)
		}
		stop(before)
		if len(w.watched) == len(before) {
			break
		}
	}
	return len(w.watched) > 0
}

// tell is told of a name in a directory.
func (w *watcher) tell(dir, name string) {
	w.mu.Lock()
	counts := w.names[filepath.Join(dir, name)]
	w.mu.Unlock()
	if !counts && name != "" {
		return
	}
	select {
	case w.told <- struct{}{}:
	default:
	}
}

// add watches a directory.
func (w *watcher) add(dir string) error {
	if w.watched[dir] != nil {
		return nil
	}
	one, err := watchDir(dir, func(name string) { w.tell(dir, name) })
	if err == nil {
		w.watched[dir] = one
	}
	return err
}

func stop(watched map[string]*watch.Watch) {
	for _, w := range watched {
		w.Stop()
	}
}

// follow watches the directory of path, or the nearest one above that is there,
// and where links lead. Directories go by their resolved paths: one that is
// watched under two names tells of its changes under one of them only.
func (w *watcher) follow(path string) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		if filepath.Dir(path) != path {
			w.follow(filepath.Dir(path))
		}
		return
	}
	name := filepath.Join(dir, filepath.Base(path))
	w.mu.Lock()
	been := w.names[name]
	w.names[name] = true
	w.mu.Unlock()
	if been {
		return // and links may go round in circles
	}
	if w.add(dir) != nil && filepath.Dir(dir) != dir {
		w.follow(dir)
	}
	if to, err := os.Readlink(name); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		w.follow(to)
	}
	if info, err := os.Lstat(filepath.Dir(path)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		w.follow(filepath.Dir(path))
	}
}

// places are all paths that Files looks at for dir, and what decides how far
// it looks.
func places(dir string) []string {
	var paths []string
	for _, f := range Files(dir)[:2] {
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	home, _ := os.UserHomeDir()
	levels, _ := levels(dir, home)
	for _, level := range levels {
		paths = append(paths, filepath.Join(level, ".git"), filepath.Join(level, ".askpane", "settings.json"),
			filepath.Join(level, ".pi", "ask-user-question.json"))
	}
	return paths
}

package settings

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/fsnotify/fsnotify"
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
	// quietPause: Linux takes up to 15 ms to close an inotify descriptor right
	// after its last watch has gone, and next to nothing a little later (see
	// bridge/spool, Watch.Quiet).
	quietPause = 5 * time.Millisecond
)

// Watch calls changed whenever the settings for an agent in dir are not those
// that it was given last, at first was. It returns when ctx ends, and calls
// changed from the goroutine it runs in.
//
// A file that cannot be read keeps the values it had, and is reported only if
// it stays so. A process that is about to exit need not end ctx first: closing
// the watch costs more than leaving it to the system.
func Watch(ctx context.Context, dir string, was Loaded, changed func(Loaded)) {
	w := watcher{dir: dir, last: was, good: map[string]document{}}
	fsw, err := newWatcher()
	if err != nil { // fs.inotify.max_user_instances reached, say
		w.poll(ctx, changed)
		return
	}
	w.fsw = fsw
	w.run(ctx, changed)
	for _, name := range fsw.WatchList() {
		_ = fsw.Remove(name) // it may be gone already
	}
	time.Sleep(quietPause)
	fsw.Close()
}

// newWatcher is fsnotify's; a test makes it fail.
var newWatcher = fsnotify.NewWatcher

type watcher struct {
	dir  string
	fsw  *fsnotify.Watcher
	last Loaded
	// good is what each file held when it could be read last.
	good map[string]document
	// broken is since when a file could not be read; zero while all can.
	broken time.Time
	// names are the paths whose events count.
	names map[string]bool
}

func (w *watcher) run(ctx context.Context, changed func(Loaded)) {
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
			return
		case e := <-w.fsw.Events:
			if w.names[e.Name] {
				soon()
			}
		case <-w.fsw.Errors: // an overflow: events were lost, so look
			soon()
		case <-due.C:
			first = time.Time{}
			w.arm()
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

// arm watches the directories where one of the files is or may appear. Editors
// replace files, so it is never the files themselves. To add a directory that
// is watched already costs nothing, and mends the watch of one that was
// replaced.
func (w *watcher) arm() {
	for range 3 { // a directory may appear while its parent is being added
		before := len(w.fsw.WatchList())
		w.names = map[string]bool{}
		for _, path := range places(w.dir) {
			w.follow(path)
		}
		if len(w.fsw.WatchList()) == before {
			return
		}
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
	if w.names[name] {
		return // been here; and links may go round in circles
	}
	w.names[name], w.names[dir] = true, true // the directory may go away itself
	if w.fsw.Add(dir) != nil && filepath.Dir(dir) != dir {
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

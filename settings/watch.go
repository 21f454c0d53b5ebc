package settings

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
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

// watchDir is watch.Dir; a test makes it fail.
var watchDir = watch.Dir

// watcher notices when the settings for an agent in dir are others than before.
type watcher struct {
	dir  string
	last Loaded
	// good is what each file held when it could be read last: a file that cannot
	// be read keeps the values it had, and is reported only if it stays so.
	good map[string]document
	// broken is since when a file could not be read; zero while all can.
	broken time.Time
	// watched are directories, by their resolved paths.
	watched map[string]*watch.Watch
	// touched has a value when one of the places may have changed.
	touched chan struct{}
}

func newWatcher(dir string, was Loaded) *watcher {
	return &watcher{dir: dir, last: was, good: map[string]document{}, touched: make(chan struct{}, 1)}
}

// run calls changed, from its own goroutine, whenever the settings are not those
// that it was given last. It returns when ctx ends. A process that is about to
// exit need not end ctx first: closing the watch costs more than leaving it to
// the system.
func (w *watcher) run(ctx context.Context, changed func(Loaded)) {
	defer func() { stop(w.watched) }()
	var first time.Time // of the touches since the files were read; zero while there is none
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.touched:
			now := time.Now()
			if first.IsZero() {
				first = now
			}
			wait := max(leastDebounce, time.Duration(w.last.DebounceMs)*time.Millisecond)
			due.Reset(min(wait, max(0, first.Add(wait+mostDelay).Sub(now))))
		case <-due.C:
			first = time.Time{}
			watching := w.arm()
			if !w.reload(changed) {
				due.Reset(retryEvery)
			} else if !watching {
				due.Reset(slowPoll)
			}
		}
	}
}

// reload reads the files and calls changed if they say something new. It reports
// whether all could be read, or have been broken for long enough to say so.
func (w *watcher) reload(changed func(Loaded)) bool {
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
		return false
	case time.Since(w.broken) < retryFor:
		return false
	}
	if !reflect.DeepEqual(l, w.last) {
		w.last = l
		changed(l)
	}
	return true
}

// names are which names count in which directories, by their resolved paths.
type names map[string]map[string]bool

// arm watches the directories where one of the files is or may appear, and
// reports whether it can. Editors replace files, so it is never the files
// themselves. Each is watched anew, which mends the watch of one that was
// replaced.
func (w *watcher) arm() bool {
	before := w.watched
	defer func() { stop(before) }()
	w.watched = map[string]*watch.Watch{}
	for range 3 { // a directory may appear while its parent is being added
		all := w.names()
		for dir, names := range all {
			if w.watched[dir] != nil {
				continue
			}
			one, err := watchDir(dir, func(name string) {
				if name == "" || names[name] {
					w.touch()
				}
			})
			if err != nil { // fs.inotify.max_user_instances reached, say
				return false
			}
			w.watched[dir] = one
		}
		if len(w.names()) == len(all) {
			break
		}
	}
	return true
}

func (w *watcher) touch() {
	select {
	case w.touched <- struct{}{}:
	default:
	}
}

func stop(watched map[string]*watch.Watch) {
	for _, w := range watched {
		w.Stop()
	}
}

// names are the places of the files as they are now.
func (w *watcher) names() names {
	all := names{}
	for _, path := range places(w.dir) {
		all.follow(path)
	}
	return all
}

// follow adds path in its directory, or in the nearest one above that is there,
// and where links lead. Directories go by their resolved paths: one that is
// watched under two names tells of its changes under one of them only.
func (n names) follow(path string) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		if filepath.Dir(path) != path {
			n.follow(filepath.Dir(path))
		}
		return
	}
	name := filepath.Base(path)
	if n[dir][name] {
		return // links may go round in circles
	}
	if n[dir] == nil {
		n[dir] = map[string]bool{}
	}
	n[dir][name] = true
	if to, err := os.Readlink(filepath.Join(dir, name)); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		n.follow(to)
	}
	if info, err := os.Lstat(filepath.Dir(path)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		n.follow(filepath.Dir(path))
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

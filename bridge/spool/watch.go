package spool

import (
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// slowPoll is how often an entry is looked at where the system cannot tell of
// changes: rare enough to cost nothing, soon enough for a person.
const slowPoll = time.Second

// Watch tells of changes in one entry, or in one line.
type Watch struct {
	// Changed has a value when something in the entry may have changed since
	// it was last received from. Changes are merged.
	Changed <-chan struct{}
	// Polls is why the entry is polled; nil where the system tells of changes.
	Polls error
	stop  func()
}

// watchDir is watch.Dir; a test makes it fail.
var watchDir = watch.Dir

// Watch begins to watch the entry, until Stop.
func (e *Entry) Watch() *Watch { return newWatch(e.Path()) }

func newWatch(dir string) *Watch {
	changed := make(chan struct{}, 1)
	changed <- struct{}{} // look once: something may have happened before
	tell := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	told, err := watchDir(dir, func(string) { tell() })
	if err == nil {
		return &Watch{Changed: changed, stop: told.Stop}
	}
	// Some network file systems, or fs.inotify.max_user_instances reached.
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		poll(done, tellOf(dir, tell))
	}()
	return &Watch{Changed: changed, Polls: err, stop: func() { close(done); <-ended }}
}

func poll(done <-chan struct{}, tell func()) {
	t := time.NewTicker(slowPoll)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
			tell()
		}
	}
}

// lookFully is how often, in slow polls, a directory is told of that seems not
// to have changed: times of files are coarse, and clocks jump.
const lookFully = 10

// tellOf is tell for a directory that has changed since it was called last.
// It looks at the times of what is in an entry, which costs less than looking at
// the entry: where a thousand bridges poll, that counts.
func tellOf(dir string, tell func()) func() {
	var last [5]time.Time
	calls := 0
	return func() {
		var now [5]time.Time
		recent := false
		for i, name := range []string{"", popupLock, bridgeLock, answerFile, draftFile} {
			info, err := os.Lstat(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			now[i] = info.ModTime()
			// A change just after a look can bear the same time.
			recent = recent || time.Since(now[i]).Abs() < 2*slowPoll
		}
		if calls++; recent || now != last || calls%lookFully == 0 {
			tell()
		}
		last = now
	}
}

// Stop ends the watch.
func (w *Watch) Stop() { w.stop() }

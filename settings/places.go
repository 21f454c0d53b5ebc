package settings

import (
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// pollEvery is how often the files are looked at where the system cannot tell of
// changes. It may be a thousand bridges that do so, and a person who changes a
// setting can wait as long. A test looks more often.
var pollEvery = 5 * time.Second

// watchDir is watch.Dir; a test makes it fail.
var watchDir = watch.Dir

// places are the directories in which one of the files is or may appear, as they
// are now, and the names that count in each. They go by their resolved paths: one
// that is watched under two names tells of its changes under one of them only.
type places map[string]map[string]bool

func placesOf(dir string) places {
	all := places{}
	for _, f := range append(Files(dir), File{Path: muteFile()}, File{Path: themeFile()}) {
		all.add(f.Path)
		if to, err := filepath.EvalSymlinks(f.Path); err == nil {
			all.add(to)
		}
	}
	home, _ := os.UserHomeDir()
	levels, _ := levels(dir, home)
	for _, level := range levels { // a nearer file may appear, or a repository begin
		all.add(filepath.Join(level, ".git"))
		all.add(filepath.Join(level, ofProject))
		all.add(filepath.Join(level, ofPi))
	}
	return all
}

// add adds path in its directory, or in the nearest one above that is there.
func (p places) add(path string) {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			continue
		}
		if p[dir] == nil {
			p[dir] = map[string]bool{}
		}
		p[dir][filepath.Base(path)] = true
		return
	}
}

// watch gives touched a value when something with one of the names may have changed,
// until stop. Editors replace files, so it is never the files themselves that are
// watched. After atMost they may have changed without that.
func (p places) watch() (_ <-chan struct{}, atMost time.Duration, stop func()) {
	touched, touch := watch.Merged()
	var stops []func()
	atMost = math.MaxInt64
	for dir, names := range p {
		w := watchDir(dir, func(name string) {
			if name == "" || names[name] {
				touch()
			}
		})
		if stops = append(stops, w.Stop); w.Polls != nil { // fs.inotify.max_user_instances reached, say
			w.Stop()
			atMost = pollEvery
			break
		}
	}
	return touched, atMost, func() {
		for _, stop := range stops {
			stop()
		}
	}
}

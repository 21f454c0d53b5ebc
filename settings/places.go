package settings

import (
	"path/filepath"

	"github.com/askpane/askpane/bridge/watch"
)

// watchDir is watch.Dir; a test makes it fail.
var watchDir = watch.Dir

// places are the directories in which one of the files is or may appear, as they
// are now, and the names that count in each. They go by their resolved paths: one
// that is watched under two names tells of its changes under one of them only.
type places map[string]map[string]bool

func placesOf(dir string) places {
	all := places{}
	for _, f := range Files(dir) {
		all.add(f.Path)
		if to, err := filepath.EvalSymlinks(f.Path); err == nil {
			all.add(to)
		}
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

// watch tells touched when something with one of the names may have changed, until
// stop. Editors replace files, so it is never the files themselves that are watched.
func (p places) watch(touched func()) (stop func(), err error) {
	var watches []*watch.Watch
	stop = func() {
		for _, w := range watches {
			w.Stop()
		}
	}
	for dir, names := range p {
		w, err := watchDir(dir, func(name string) {
			if name == "" || names[name] {
				touched()
			}
		})
		if err != nil { // fs.inotify.max_user_instances reached, say
			stop()
			return func() {}, err
		}
		watches = append(watches, w)
	}
	return stop, nil
}

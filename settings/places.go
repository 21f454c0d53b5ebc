package settings

import (
	"path/filepath"

	"github.com/askpane/askpane/bridge/watch"
)

// watchFiles gives touched a value when one of the files for an agent in dir may have changed, until stop. A
// project's file that is nearer than those, or of a repository that begins, counts for the next who looks.
func watchFiles(dir string) (touched <-chan struct{}, stop func()) {
	touched, touch := watch.Merged()
	var all []*watch.Watch
	add := func(path string) {
		if path != "" {
			all = append(all, watchFile(path, touch))
		}
	}
	for _, f := range append(Files(dir), File{Path: muteFile()}, File{Path: themeFile()}) {
		add(f.Path)
		to, _ := filepath.EvalSymlinks(f.Path)
		add(to)
	}
	return touched, func() {
		for _, w := range all {
			w.Stop()
		}
	}
}

// watchFile tells of changes of a file by its name in its directory, since editors replace files;
// where that is not there, of the first directory on the way that comes. The directory goes by its
// resolved path: one that is watched under two names may tell of its changes under one of them only.
func watchFile(path string, touch func()) *watch.Watch {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	for err != nil {
		path = filepath.Dir(path)
		dir, err = filepath.EvalSymlinks(filepath.Dir(path))
	}
	return watch.Dir(dir, func(name string) {
		if name == "" || name == filepath.Base(path) {
			touch()
		}
	})
}

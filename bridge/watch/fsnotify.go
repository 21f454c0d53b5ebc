//go:build !linux

package watch

import (
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

const tellsOfClosing = false

type key string // a path

type system struct{ w *fsnotify.Watcher }

func open() (*system, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &system{w}, nil
}

func (s *system) add(path string) (key, error) {
	path = filepath.Clean(path)
	return key(path), s.w.Add(path)
}

// remove may come after the path is gone, which does no harm.
func (s *system) remove(k key) { _ = s.w.Remove(string(k)) }

func (s *system) close() { _ = s.w.Close() }

// read hands on what fsnotify tells, until close.
func (s *system) read() {
	for {
		select {
		case e, open := <-s.w.Events:
			if !open {
				return
			}
			dispatch(s, event{key: key(filepath.Dir(e.Name)), name: filepath.Base(e.Name)})
			// The directory itself may be meant.
			dispatch(s, event{key: key(e.Name), gone: e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)})
		case _, open := <-s.w.Errors: // an overflow, say
			if !open {
				return
			}
			dispatch(s, event{lost: true})
		}
	}
}

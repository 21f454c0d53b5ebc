package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// copyOf is the copy that is kept beside a file from before it was changed.
func copyOf(path string) string { return path + ".before-askpane" }

// maxFile is how large an agent's file may be. Claude Code keeps its history of
// projects beside its servers, in megabytes.
const maxFile = 64 << 20

// read is a file's content, nil where there is none.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("expected a file of at most %d MiB", maxFile>>20)
	}
	content, err := os.ReadFile(path)
	if err == nil && content == nil {
		content = []byte{}
	}
	return content, err
}

// Step is a change of one file.
type Step struct {
	What, Path string
	// Snippet is what Path gets, for a person to read or to put in themselves.
	Snippet string
	// Changed: there is something to do.
	Changed bool

	before, after []byte // nil: no file
	backup        []byte // what the copy is to hold; nil leaves it
	dropBackup    bool
}

// install plans to put f's parts in; all is everything of ours that may be in
// the same file.
func (f file) install(all kind) (Step, error) {
	before, err := read(f.path)
	if err != nil {
		return Step{}, err
	}
	_, ours, err := all.present(before)
	if err != nil {
		return Step{}, err
	}
	after, err := f.kind.add(before)
	if err != nil {
		return Step{}, err
	}
	s := Step{What: f.what, Path: f.path, Snippet: f.kind.snippet(), before: before, after: after}
	s.Changed = before == nil || !bytes.Equal(before, after)
	if !ours { // else the copy from before we came is there
		s.backup = before
	}
	return s, nil
}

func (f file) uninstall() (Step, error) {
	content, err := read(f.path)
	if err != nil || content == nil {
		return Step{}, err
	}
	if _, ours, err := f.kind.present(content); err != nil || !ours {
		return Step{}, err
	}
	before, err := read(copyOf(f.path))
	if err != nil {
		return Step{}, err
	}
	s := Step{What: f.what, Path: f.path, Snippet: f.kind.snippet(), before: content, Changed: true}
	if s.after, err = f.kind.remove(content, before); err != nil {
		return Step{}, err
	}
	s.dropBackup = before != nil && bytes.Equal(s.after, before)
	return s, nil
}

// Do makes the change, in one step. A file that is a symbolic link stays one.
func (s Step) Do() error {
	if !s.Changed {
		return nil
	}
	path := s.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if now, err := read(path); err != nil {
		return err
	} else if s.before != nil && !bytes.Equal(now, s.before) {
		return fmt.Errorf("%s has changed meanwhile; try again", path)
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if s.backup != nil {
		if err := renameio.WriteFile(copyOf(s.Path), s.backup, mode, renameio.IgnoreUmask()); err != nil {
			return fmt.Errorf("copy %s before it is changed: %w", s.Path, err)
		}
	}
	if s.after == nil {
		if err := os.Remove(path); err != nil {
			return err
		}
	} else if err := renameio.WriteFile(path, s.after, mode, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if s.dropBackup {
		return os.Remove(copyOf(s.Path))
	}
	return nil
}

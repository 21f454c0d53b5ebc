package agents

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/askpane/askpane/bridge/text/hint"
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
	// top is the directory up to which empty folders go with the file.
	top string
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
	if ours {
		return s, nil // the copy from before we came is there
	}
	s.backup = before
	there, err := read(copyOf(f.path))
	if err == nil && there != nil && (before == nil || !bytes.Equal(there, before)) {
		err = errForeignCopy(f.path)
	}
	return s, err
}

func errForeignCopy(path string) error {
	return fmt.Errorf("%s is there already, and is no copy of it; move that away first", copyOf(path))
}

// uninstall plans to take f's parts out. With the file go the folders that are
// empty then, below top.
func (f file) uninstall(top string) (Step, error) {
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
	s := Step{What: f.what, Path: f.path, Snippet: f.kind.snippet(), before: content, Changed: true, dropBackup: before != nil, top: top}
	if s.after, err = f.kind.remove(content, before); err != nil {
		return Step{}, err
	}
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
	} else if (now == nil) != (s.before == nil) || !bytes.Equal(now, s.before) {
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
		if err := s.copy(mode); err != nil {
			return fmt.Errorf("copy %s before it is changed: %w", s.Path, err)
		}
	}
	if s.after == nil {
		if err := os.Remove(path); err != nil {
			return err
		}
		s.tidy()
	} else if err := renameio.WriteFile(path, s.after, mode, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if s.dropBackup {
		return os.Remove(copyOf(s.Path))
	}
	return nil
}

// copy makes the copy, over nothing that is there by now.
func (s Step) copy(mode os.FileMode) error {
	path := copyOf(s.Path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		if there, err := read(path); err != nil || !bytes.Equal(there, s.backup) {
			return cmp.Or(err, errForeignCopy(s.Path))
		}
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(s.backup)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // half of it would pass for somebody else's
	}
	return err
}

// tidy removes the folders around the file that are empty now: we have made them,
// or the agent makes them again. A link to one is the person's own, and stays.
func (s Step) tidy() {
	for dir := filepath.Dir(s.Path); ; dir = filepath.Dir(dir) {
		if below, err := filepath.Rel(s.top, dir); err != nil || below == "." || !filepath.IsLocal(below) {
			return
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || os.Remove(dir) != nil {
			return
		}
	}
}

// within refuses a file for a project that a link leads out of it: which file is
// changed is not for a clone to say.
func (o Options) within(path string) error {
	if o.Project == "" {
		return nil
	}
	root, err := os.OpenRoot(o.Project)
	if err != nil {
		return err
	}
	defer root.Close()
	what := "it"
	for _, name := range []string{path, copyOf(path)} {
		below, err := filepath.Rel(o.Project, name)
		if err != nil {
			return err
		}
		if _, err := root.Stat(below); err == nil || errors.Is(err, fs.ErrNotExist) {
			what = copyOf(path)
			continue
		}
		if _, err := os.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return hint.New("put a file of its own there, or leave --project out", "%s is a link that leads out of the project", what)
	}
	return nil
}

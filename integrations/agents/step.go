package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/askpane/askpane/settings/edit"
)

// copyOf names the copy that is kept beside a file from before it was changed.
func copyOf(path string) string { return path + ".before-askpane" }

// read returns a file's content; nil where there is no file.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("expected a file")
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Step plans the change of a file.
type Step struct {
	What, Path string
	Snippet    string // what Path gets, for a person to read or to put in themselves
	Changed    bool   // whether anything has to be done

	before, after []byte // nil: no file
	backup        []byte // what the copy is to hold; nil leaves it
	dropBackup    bool
	top           string // empty folders below it go with the file
}

// Change plans to replace a file's content; before is nil where there is no file yet.
func Change(what, path string, before, after []byte) Step {
	return Step{What: what, Path: path, Changed: before == nil || !bytes.Equal(before, after), before: before, after: after}
}

// Diff shows the change as diff -u does.
func (s Step) Diff() string {
	_, lines, _ := strings.Cut(string(diff.Diff(s.Path, s.before, s.Path, s.after)), "\n") // after the command
	return lines
}

// Applied says what Apply does with Path, in the past tense.
func (s Step) Applied() string {
	switch {
	case !s.Changed:
		return "nothing to do in"
	case s.before == nil:
		return "wrote"
	case s.after == nil:
		return "removed"
	}
	return "changed"
}

// inspect reads the file, and says what of ours is in it.
func (f file) inspect(kind kind) (content []byte, commands []string, ours bool, err error) {
	if content, err = read(f.path); err == nil {
		commands, ours, err = kind.present(content)
	}
	return content, commands, ours, err
}

// install plans to put f's parts in; all is everything of ours that may be in
// the same file.
func (f file) install(all kind) (Step, error) {
	content, _, ours, err := f.inspect(all)
	s := Step{What: f.what, Path: f.path, Snippet: f.kind.snippet(), before: content}
	if err != nil {
		return s, err
	}
	if s.after, err = f.kind.add(s.before); err != nil {
		return s, err
	}
	s.Changed = s.before == nil || !bytes.Equal(s.before, s.after)
	if ours {
		return s, nil // the copy from before we came is there
	}
	s.backup = s.before
	there, err := read(copyOf(f.path))
	if err == nil && there != nil && (s.before == nil || !bytes.Equal(there, s.before)) {
		err = fmt.Errorf("%s is there already, and is no copy of it; move that away first", copyOf(f.path))
	}
	return s, err
}

// uninstall plans to take f's parts out, and gives back the content from before
// where nothing else has changed. With the file go the folders that are empty
// then, below top.
func (f file) uninstall(top string) (Step, error) {
	content, _, ours, err := f.inspect(f.kind)
	s := Step{What: f.what, Path: f.path, Changed: ours, before: content, top: top}
	if err != nil || !ours {
		return s, err
	}
	before, err := read(copyOf(f.path))
	if err != nil {
		return s, err
	}
	s.dropBackup = before != nil
	s.after, err = f.kind.remove(s.before, before)
	if unlaid(s.after) == unlaid(before) {
		s.after = before
	}
	return s, err
}

// unlaid returns a content without what putting in and taking out does not keep, which is blanks in
// what is empty and at the end. It is empty of a file that says nothing.
func unlaid(content []byte) string {
	said := regexp.MustCompile(`([\[{])\s+([\]}])`).ReplaceAllString(string(content), "$1$2")
	return strings.TrimPrefix(strings.TrimSpace(said), "{}")
}

// Apply makes the change, in one step. A file that is a symbolic link stays one.
func (s Step) Apply() error {
	if !s.Changed {
		return nil
	}
	now, err := read(s.Path)
	if err != nil {
		return err
	}
	if (now == nil) != (s.before == nil) || !bytes.Equal(now, s.before) {
		return fmt.Errorf("%s has changed meanwhile; try again", s.Path)
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o755); err != nil {
		return err
	}
	if s.backup != nil {
		if err := edit.File(copyOf(s.Path), s.backup); err != nil {
			return fmt.Errorf("copy %s before it is changed: %w", s.Path, err)
		}
	}
	if s.after != nil {
		err = edit.File(s.Path, s.after)
	} else {
		err = os.Remove(s.Path)
		// The folders that are empty now we have made, or the agent makes them again.
		// A link to one is the person's own, and stays.
		for dir := filepath.Dir(s.Path); strings.HasPrefix(dir, s.top+"/") && syscall.Rmdir(dir) == nil; {
			dir = filepath.Dir(dir)
		}
	}
	if err == nil && s.dropBackup {
		err = os.Remove(copyOf(s.Path))
	}
	return err
}

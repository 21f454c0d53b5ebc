package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Rank is where a value comes from. A higher one wins.
type Rank int

// The ranks. pi's files are those of its question tool, so that somebody who
// comes from there keeps what they set.
const (
	Default Rank = iota
	PiGlobal
	Global
	PiProject
	Project
	Environment
)

var ranks = [...]string{"default", "pi global", "global", "pi project", "project", "environment"}

// String is a word or two for a column.
func (r Rank) String() string { return ranks[r] }

// File is one place that settings are read from.
type File struct {
	Path  string // absolute; empty if there is no place for such a file
	Rank  Rank
	Root  string // of a project's file: the directory that it speaks for
	Found bool
}

// IsProject reports whether the file comes with a project, perhaps with a
// cloned one, and so may not say what is run.
func (f File) IsProject() bool { return f.Rank == PiProject || f.Rank == Project }

// Where in a directory its own files are.
const (
	ofPi      = ".pi/ask-user-question.json"
	ofProject = ".askpane/settings.json"
)

// Files are the four files for an agent in dir, lowest rank first, there or
// not. A project's file is the nearest one upward from dir, at most to the
// repository's root (the directory with .git) and never above the person's home;
// outside of a repository only dir itself counts. Where there is none yet, its
// path is the one at the root, and empty outside of a repository.
func Files(dir string) []File {
	home, _ := os.UserHomeDir()
	levels, root := levels(dir, home)
	return []File{
		find(PiGlobal, nil, home, ".pi/agent/ask-user-question.json"),
		own("settings.json"),
		find(PiProject, levels, root, ofPi),
		find(Project, levels, root, ofProject),
	}
}

// own returns a file of the person's own, in the directory of the global one.
func own(name string) File {
	config := os.Getenv("XDG_CONFIG_HOME")
	if home, _ := os.UserHomeDir(); !filepath.IsAbs(config) && home != "" { // the XDG specification ignores relative ones
		config = filepath.Join(home, ".config")
	}
	return find(Global, nil, config, "askpane/"+name)
}

// find is the file called name at the first level that has one, and else at root.
func find(rank Rank, levels []string, root, name string) File {
	for _, level := range append(levels, root) {
		if path := filepath.Join(level, name); level != "" && exists(path) {
			return File{path, rank, level, true}
		}
	}
	if root == "" {
		return File{Rank: rank}
	}
	return File{filepath.Join(root, name), rank, root, false}
}

// levels are the directories whose project files count, nearest first, and the
// repository's root; that is empty outside of one.
func levels(dir, home string) (levels []string, root string) {
	dir, err := resolved(dir)
	if err != nil {
		return nil, "" // gone, or never there
	}
	home, _ = resolved(home)
	for level := dir; ; level = filepath.Dir(level) {
		levels = append(levels, level)
		if exists(filepath.Join(level, ".git")) {
			return levels, level
		}
		if level == home || level == filepath.Dir(level) {
			return levels[:1], ""
		}
	}
}

// resolved is a directory's absolute path without symbolic links.
func resolved(dir string) (string, error) {
	whole, err := filepath.Abs(dir)
	if dir == "" || err != nil {
		return "", cmp.Or(err, fs.ErrNotExist)
	}
	return filepath.EvalSymlinks(whole)
}

// exists is also true of a symbolic link to nothing.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// maxBytes is the most that a settings file may be.
const maxBytes = 1 << 20

// read reads a file if it is one that may be believed: an ordinary one, not too
// long, the user's own or root's, and not for everybody to write. The error is
// fs.ErrNotExist or for a person.
func read(path string) ([]byte, error) {
	// O_NONBLOCK: to open a FIFO must not wait for somebody who writes it.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not an ordinary file")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("belongs to user %d, neither to you (%d) nor to root", st.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("may be written by everybody (mode %04o); run chmod o-w on it", info.Mode().Perm())
	}
	if info.Size() > maxBytes {
		return nil, fmt.Errorf("is longer than %d bytes", maxBytes)
	}
	data, err := io.ReadAll(f)
	return bytes.TrimPrefix(data, []byte("\ufeff")), bare(err) // a byte order mark, with which some editors begin a file
}

// bare takes the path off an error: whoever reports it names the file.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// readObject gives the members of a file that may be believed.
func readObject(path string) (map[string]json.RawMessage, error) {
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// parse gives a file's members; of several with one name, the last.
func parse(data []byte) (map[string]json.RawMessage, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("is empty; an object is expected, as in {}")
	}
	var doc map[string]json.RawMessage
	err := json.Unmarshal(data, &doc)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := data[:min(max(int(syntax.Offset)-1, 0), len(data))]
		line := bytes.LastIndexByte(before, '\n') + 1
		return nil, fmt.Errorf("does not parse: line %d, column %d: %w", 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(before[line:]), err)
	}
	if err != nil || doc == nil { // null is no object either
		return nil, errors.New("does not parse: line 1: expected an object, as in {}")
	}
	return doc, nil
}

// trusts reports whether a list of trusted projects has root, which is resolved.
func trusts(list []string, root string) bool {
	for _, dir := range list {
		if rest, ok := strings.CutPrefix(dir, "~"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				continue
			}
			dir = filepath.Join(home, rest)
		}
		if dir, err := resolved(dir); err == nil && dir == root {
			return true
		}
	}
	return false
}

package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/askpane/askpane/settings/jsonc"
)

// ErrNoProject means that a directory belongs to no repository, and has no
// settings file of its own either.
var ErrNoProject = errors.New("not in a repository")

// ErrForbidden means that the file may not set that setting.
var ErrForbidden = errors.New("not in this file")

// Writable is the file that settings for dir are written to: the global one or
// the project's, there or not.
func Writable(dir string, global bool) (File, error) {
	rank := Project
	if global {
		rank = Global
	}
	for _, f := range Files(dir) {
		switch {
		case f.Rank != rank:
		case f.Path != "":
			return f, nil
		case global:
			return f, errors.New("there is no home directory to keep settings in; set HOME or XDG_CONFIG_HOME")
		}
	}
	return File{Rank: rank}, ErrNoProject
}

// Set checks a value, given as text, and writes it to the file. Everything else
// in the file stays as it is, and so does every other file.
func (f File) Set(name, text string) error {
	field, err := Lookup(name)
	if err != nil {
		return err
	}
	if err := f.Allows(field); err != nil {
		return err
	}
	v, err := field.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.edit(func(doc *jsonc.Document) error { return doc.Set(jsonc.Path{name}, asJSON(v)) })
}

// Unset takes a setting out of the file, so that what ranks below it counts
// again. It reports whether the file had it.
func (f File) Unset(name string) (had bool, err error) {
	if _, err := Lookup(name); err != nil {
		return false, err
	}
	if _, err := os.Stat(f.Path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = f.edit(func(doc *jsonc.Document) error {
		had = doc.Remove(jsonc.Path{name})
		return nil
	})
	return had, err
}

// Allows reports whether the file may set a field: nil, or an ErrForbidden
// that says why not and what to do instead.
func (f File) Allows(field Field) error {
	err := f.allows(field, Load(f.Root).TrustedProjects)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w; use --global", ErrForbidden, field.Name, err)
}

// Make creates the file with no settings in it, if it is not there.
func (f File) Make() error {
	if _, err := os.Lstat(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.edit(func(*jsonc.Document) error { return nil })
}

// edit changes the file in one step, or leaves it as it is. Two at once wait
// for each other.
func (f File) edit(change func(*jsonc.Document) error) error {
	path, err := f.target()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), f.dirMode()); err != nil {
		return fmt.Errorf("make the directory of %s: %w", shown(path), bare(err))
	}
	unlock, err := lock(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	data, err := readBytes(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return fmt.Errorf("%s: %w", shown(path), err)
	}
	edited, err := edited(data, change)
	if err != nil {
		return fmt.Errorf("%s: %w; mend it first, with askpane settings edit", shown(path), err)
	}
	if bytes.Equal(edited, data) && !isNew {
		return nil
	}
	if err := renameio.WriteFile(path, edited, 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("write %s: %w", shown(path), bare(err))
	}
	return nil
}

// edited is a file's new content. What load would not take is not edited.
func edited(data []byte, change func(*jsonc.Document) error) ([]byte, error) {
	text, hadBOM := bytes.CutPrefix(data, bom)
	if len(bytes.TrimSpace(text)) > 0 {
		if _, err := parse(text); err != nil { // jsonc takes comments, which a settings file may not have
			return nil, err
		}
	}
	doc, err := jsonc.Parse(text)
	if err == nil {
		err = change(doc)
	}
	if err != nil {
		return nil, fmt.Errorf("does not parse: %w", err) // as with a byte that is no UTF-8, which encoding/json lets pass
	}
	if text = doc.Bytes(); hadBOM {
		text = append(bytes.Clone(bom), text...)
	}
	return text, nil
}

// target is the file itself where f is a symbolic link, as the files of a
// person who keeps them in one place are. A project's file may not lead out of
// the project: somebody else may have made the link.
func (f File) target() (string, error) {
	path := f.Path
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	if !f.IsProject() {
		return path, nil
	}
	dir := filepath.Dir(path)
	for !exists(dir) {
		dir = filepath.Dir(dir)
	}
	dir, err := resolved(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", shown(f.Path), bare(err))
	}
	if dir != f.Root && !strings.HasPrefix(dir, strings.TrimSuffix(f.Root, "/")+"/") {
		return "", fmt.Errorf("%s is a link that leads out of %s; it is not written to", shown(f.Path), shown(f.Root))
	}
	return path, nil
}

func (f File) dirMode() os.FileMode {
	if f.IsProject() {
		return 0o755
	}
	return 0o700
}

// lock holds the directory for one writer of ours.
func lock(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", shown(dir), bare(err))
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX); err != nil {
		d.Close()
		return nil, fmt.Errorf("lock %s: %w", shown(dir), err)
	}
	return func() { d.Close() }, nil
}

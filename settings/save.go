package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/edit"
)

// ErrNoProject means that a directory belongs to no repository, and has no
// settings file of its own either.
var ErrNoProject = errors.New("there is no project: this is not in a repository")

// Writable finds the file that settings for dir are written to: the global one or the
// project's, there or not.
func Writable(dir string, global bool) (File, error) {
	rank, err := Project, ErrNoProject
	if global {
		rank, err = Global, errors.New("there is no home directory to keep settings in; set HOME or XDG_CONFIG_HOME")
	}
	for _, f := range Files(dir) {
		if f.Rank == rank && f.Path != "" {
			return f, nil
		}
	}
	return File{Rank: rank}, err
}

// Check returns a setting's value, given as text, as JSON, or says why the file may not set it
// so.
func (f File) Check(name, text string) (field Field, raw string, err error) {
	if field, err = Lookup(name); err != nil {
		return field, "", err
	}
	v, err := field.Parse(text)
	if err != nil {
		return field, "", fmt.Errorf("%s: %w", name, err)
	}
	below := load(f.Root, f.Rank)
	if err = below.set(f, field, v); err != nil {
		err = fmt.Errorf("not in this file: %s: %w; leave --project out", name, err)
	}
	return field, hint.JSON(v), err
}

// Set checks a value, given as text, and writes it to the file. Everything else
// in the file stays as it is, and so does every other file.
func (f File) Set(name, text string) error {
	_, raw, err := f.Check(name, text)
	if err != nil {
		return err
	}
	return f.edit(func(doc *edit.Document) error { return doc.Set("/"+name, raw) })
}

// Plan returns the file's content, nil where it is not there, and what it would be with those
// values. Nothing is written.
func (f File) Plan(values map[string]string) (before, after []byte, err error) {
	return f.edited(func(doc *edit.Document) error {
		for _, field := range Fields() {
			if text, wanted := values[field.Name]; wanted {
				_, raw, err := f.Check(field.Name, text)
				if err == nil {
					err = doc.Set("/"+field.Name, raw)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Unset takes a setting out of the file, so that what ranks below it counts
// again. It reports whether the file had it.
func (f File) Unset(name string) (had bool, err error) {
	if !exists(f.Path) {
		return false, nil
	}
	err = f.edit(func(doc *edit.Document) error {
		had = doc.Remove("/" + name)
		return nil
	})
	return had, err
}

// Make creates the file with no settings in it, if it is not there.
func (f File) Make() error {
	if exists(f.Path) {
		return nil
	}
	return f.edit(func(*edit.Document) error { return nil })
}

// toEdit says how the file is edited.
func (f File) toEdit() string {
	by := map[Rank]string{Global: "askpane settings edit", Project: "askpane settings edit --project"}
	return cmp.Or(by[f.Rank], "mend "+hint.Word(f.Path))
}

// edit changes the file in one step, or leaves it as it is. Two at once wait
// for each other.
func (f File) edit(change func(*edit.Document) error) error {
	mode := os.FileMode(0o700)
	if f.IsProject() {
		if err := edit.Within(f.Root, f.Path); err != nil {
			return err
		}
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), mode); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(f.Path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", shown(dir.Name()), err)
	}
	_, edited, err := f.edited(change)
	if err != nil {
		return err
	}
	return edit.File(f.Path, edited)
}

// edited returns the file's content, nil where it is not there, and what a change makes of it. It
// refuses what load would not take.
func (f File) edited(change func(*edit.Document) error) (before, after []byte, err error) {
	if before, err = read(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: %w", shown(f.Path), err)
	}
	doc, err := edit.Parse(before)
	if err != nil { // as with a byte that is no UTF-8, which encoding/json lets pass
		err = fmt.Errorf("does not parse: %w", err)
	}
	if len(bytes.TrimSpace(before)) > 0 {
		_, bad := parse(before) // settings files may not have the comments that edit takes
		err = cmp.Or(bad, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w; mend it first, with %s", shown(f.Path), err, f.toEdit())
	}
	err = change(doc)
	return before, doc.Bytes(), err
}

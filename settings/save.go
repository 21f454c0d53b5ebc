package settings

import (
	"bytes"
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
var ErrNoProject = errors.New("not in a repository")

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
	return field, hint.JSON(v), f.Allows(field)
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
	if before, err = read(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: %w", shown(f.Path), err)
	}
	after, err = edited(before, func(doc *edit.Document) error {
		for _, field := range Fields() {
			text, wanted := values[field.Name]
			if !wanted {
				continue
			}
			_, raw, err := f.Check(field.Name, text)
			if err == nil {
				err = doc.Set("/"+field.Name, raw)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return before, after, err
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

// Allows returns nil if the file may set a field, or says why not and what to do instead.
func (f File) Allows(field Field) error {
	err := f.allows(field, Load(f.Root).TrustedProjects)
	if err == nil {
		return nil
	}
	return fmt.Errorf("not in this file: %s: %w; leave --project out", field.Name, err)
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
	switch f.Rank {
	case Project:
		return "askpane settings edit --project"
	case Global:
		return "askpane settings edit"
	}
	return "mend " + hint.Word(f.Path)
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
	data, err := read(f.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", shown(f.Path), err)
	}
	edited, err := edited(data, change)
	if err != nil {
		return fmt.Errorf("%s: %w; mend it first, with %s", shown(f.Path), err, f.toEdit())
	}
	return edit.File(f.Path, edited)
}

// edited returns a file's new content. It refuses what load would not take.
func edited(data []byte, change func(*edit.Document) error) ([]byte, error) {
	if len(bytes.TrimSpace(data)) > 0 {
		if _, err := parse(data); err != nil { // settings files may not have the comments that edit takes
			return nil, err
		}
	}
	doc, err := edit.Parse(data)
	if err != nil { // as with a byte that is no UTF-8, which encoding/json lets pass
		return nil, fmt.Errorf("does not parse: %w", err)
	}
	if err := change(doc); err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

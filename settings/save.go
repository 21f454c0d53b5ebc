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
	"github.com/tailscale/hujson"
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
	raw, err := encode(v)
	if err != nil {
		return err
	}
	if string(raw) == "null" { // an empty list
		raw = []byte("[]")
	}
	return f.edit(func(o *hujson.Object) bool {
		put(o, name, hujson.Literal(raw))
		return true
	})
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
	err = f.edit(func(o *hujson.Object) bool {
		had = remove(o, name)
		return had
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
	return f.edit(func(*hujson.Object) bool { return true })
}

// put sets a member, the last of its name: that is the one that counts. A new
// one goes to the end and is laid out like the one before it.
func put(o *hujson.Object, name string, value hujson.ValueTrimmed) {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if memberName(o.Members[i]) == name {
			o.Members[i].Value.Value = value
			return
		}
	}
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{Value: value}}
	if n := len(o.Members); n > 0 {
		last := o.Members[n-1]
		m.Name.BeforeExtra, m.Value.BeforeExtra = bytes.Clone(last.Name.BeforeExtra), bytes.Clone(last.Value.BeforeExtra)
		if n == 1 && len(m.Name.BeforeExtra) == 0 { // {"a": 1} goes on with a blank, and {"a":1} does not
			m.Name.BeforeExtra = bytes.Clone(last.Value.BeforeExtra)
		}
	} else {
		m.Name.BeforeExtra, m.Value.BeforeExtra = hujson.Extra("\n  "), hujson.Extra(" ")
	}
	if len(bytes.TrimSpace(o.AfterExtra)) == 0 && !bytes.Contains(o.AfterExtra, []byte("\n")) && bytes.Contains(m.Name.BeforeExtra, []byte("\n")) {
		o.AfterExtra = hujson.Extra("\n")
	}
	o.Members = append(o.Members, m)
}

// remove takes out every member of that name.
func remove(o *hujson.Object, name string) (had bool) {
	kept := o.Members[:0]
	for _, m := range o.Members {
		if memberName(m) == name {
			had = true
			continue
		}
		if len(kept) == 0 && had { // it stands where the first one stood
			m.Name.BeforeExtra = o.Members[0].Name.BeforeExtra
		}
		kept = append(kept, m)
	}
	o.Members = kept
	if len(kept) > 0 {
		kept[len(kept)-1].Value.AfterExtra = nil // it would be a comma at the end
	} else {
		o.AfterExtra = nil
	}
	return had
}

func memberName(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// edit changes the file in one step, or leaves it as it is. Two at once wait
// for each other.
func (f File) edit(change func(*hujson.Object) bool) error {
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", shown(path), err)
	}
	edited, err := edited(data, change)
	if err != nil {
		return fmt.Errorf("%s: %w; mend it first, with askpane settings edit", shown(path), err)
	}
	if edited == nil {
		return nil
	}
	if err := renameio.WriteFile(path, edited, 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("write %s: %w", shown(path), bare(err))
	}
	return nil
}

// edited is a file's new content; nil if change says that it stays.
func edited(data []byte, change func(*hujson.Object) bool) ([]byte, error) {
	text, hadBOM := bytes.CutPrefix(data, bom)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if _, err := parse(text); err != nil { // hujson takes comments, which a settings file may not have
		return nil, err
	}
	doc, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("does not parse: %w", err) // as with a byte that is no UTF-8, which encoding/json lets pass
	}
	o, ok := doc.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("does not parse: expected an object, as in {}")
	}
	if !change(o) {
		return nil, nil
	}
	text = doc.Pack()
	if _, err := parse(text); err != nil {
		return nil, fmt.Errorf("would not parse any more (%w)", err)
	}
	if hadBOM {
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

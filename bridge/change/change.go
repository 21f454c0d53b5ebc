// Package change shows a change of a file before it is made: as a diff, with the numbers that
// the lines will have, and those that go have now.
//
// It reads that file and nothing else. The rule that must hold here: a diff is of the file
// that the change is made to; where that cannot be told or read, there are sizes and no diff.
package change

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/document"
)

// MostFile bounds, in bytes, the files of which a diff is shown.
const MostFile = 1 << 20

// Of returns what s shows now: what it has already, where it changes no file.
func Of(s *form.Subject) form.Preview {
	if s.Edits == nil {
		return s.Shown
	}
	shown := form.Preview{Type: "diff"}
	for i := range s.Edits {
		shown.Content += of(s.Dir, &s.Edits[i])
	}
	return shown
}

// of shows the change of one file.
func of(dir string, e *form.Edit) string {
	name, after := "@@ "+single(e.Path)+"\n", ""
	before, why := read(dir, e)
	if why == "" {
		after, why = apply(e, before)
	}
	if why != "" {
		return name + sizes(e, why)
	}
	return name + heading(e, before) + diff(lines(before.content), lines(after))
}

// ErrChanged refuses an answer which allows a change that is not the one that was shown.
var ErrChanged = errors.New("the file has changed since it was shown, and only its form shows it as it is now")

// Holds returns ErrChanged where r allows what f shows, and not what would be done now.
func Holds(f *form.Form, r form.Result) error {
	if s := f.Subject(); f.Decided(r) == form.Allow && Of(s) != s.Shown {
		return ErrChanged
	}
	return nil
}

// Renew has s show the files as they are now.
func Renew(s *form.Subject) { s.Shown = Of(s) }

// Path returns where a file is that is named in a directory.
func Path(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// file holds what the change begins with.
type file struct {
	content string
	there   bool
}

// read reads the file; why says, for a person, that there can be no diff.
func read(dir string, e *form.Edit) (f file, why string) {
	path := filepath.Clean(Path(dir, e.Path)) // agents take .. by its words, and the system does not behind a link
	if leads, out := leadsOut(dir, path); out {
		return f, fmt.Sprintf("It leads out of the directory, to %s.", leads)
	}
	content, err := Contents(path, MostFile)
	_, system := errors.AsType[*fs.PathError](err)
	switch {
	case err == nil:
		return file{content, true}, ""
	case errors.Is(err, fs.ErrNotExist) && e.Content != nil:
		return f, ""
	case errors.Is(err, fs.ErrNotExist):
		return f, "There is no such file."
	case system:
		return f, "It cannot be read."
	}
	return f, "It " + err.Error() + "."
}

// Contents reads a regular file of UTF-8, of at most so many bytes. An error of the system is an
// *fs.PathError; another one says what the file is or has, to follow “it”.
func Contents(path string, most int) (string, error) {
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is no file to wait for
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > most:
		return "", fmt.Errorf("has more than %d bytes", most)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return "", fmt.Errorf("is binary, or not UTF-8, of %d bytes", len(data))
	}
	return string(data), nil
}

// leadsOut reports whether a path that is in dir, as it is written, leads out of it by a link, and where to.
// One elsewhere must not lead out of its own directory.
func leadsOut(dir, path string) (leads string, out bool) {
	if dir = filepath.Clean(dir); !within(dir, path) {
		dir = filepath.Dir(path)
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	// Of a file that is new, its directory is what may lead out.
	for at, rest := path, ""; within(dir, at); at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if target, err := os.Readlink(at); err == nil {
			if _, err := filepath.EvalSymlinks(at); err != nil { // a link to what is not there
				return Path(filepath.Dir(at), target), true
			}
		}
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest), !within(root, real)
		}
	}
	return "", false
}

func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// apply makes the change; missing says, for a person, what it does not find.
func apply(e *form.Edit, f file) (after, missing string) {
	switch {
	case e.Remove:
		return "", ""
	case e.Content != nil:
		return *e.Content, ""
	}
	after = f.content
	for i, r := range e.Replace {
		times := 1
		if r.All {
			times = -1
		}
		stays, rest := split(after, r.Line)
		old, with := r.Old, r.New
		if crlf := strings.ReplaceAll(old, "\n", "\r\n"); !strings.Contains(old+with, "\r") && strings.Contains(f.content, "\r\n") && strings.Contains(rest, crlf) {
			old, with = crlf, strings.ReplaceAll(with, "\n", "\r\n") // agents that read a file without its carriage returns write them again
		}
		moved := r.Line == 0 && !r.All && strings.Count(f.content, old) != strings.Count(after, old) // some agents look for all parts in the file as it is
		if old == "" || moved || !strings.Contains(rest, old) || r.Line > 0 && !strings.HasPrefix(rest, old) {
			return "", fmt.Sprintf("The text that part %d of the change replaces is not in the file, not where it should be, or in another part, too.", i+1)
		}
		after = stays + strings.Replace(rest, old, with, times)
	}
	return after, ""
}

// split cuts a text before a line, from 1; for 0, before the first.
func split(content string, line int) (before, rest string) {
	rest = content
	for ; line > 1 && rest != ""; line-- {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return strings.TrimSuffix(content, rest), rest
}

func heading(e *form.Edit, f file) string {
	switch {
	case !f.there:
		return "@@ a new file\n"
	case e.Remove:
		return "@@ the file is removed\n"
	case e.Content != nil:
		return "@@ all of the file is written anew\n"
	}
	return ""
}

// sizes shows a change without its file: why, the sizes, and what goes and comes.
func sizes(e *form.Edit, why string) string {
	said := "@@ " + single(why) + "\n"
	show := func(sign, what string) {
		for _, line := range lines(what) {
			said += sign + single(line) + "\n"
		}
	}
	if e.Remove {
		said += "@@ the file is removed\n"
	}
	if c := e.Content; c != nil {
		said += fmt.Sprintf("@@ %d bytes are written\n", len(*c))
		show("+ ", *c)
	}
	for _, r := range e.Replace {
		said += fmt.Sprintf("@@ %d bytes in the place of %d\n", len(r.New), len(r.Old))
		show("- ", r.Old)
		show("+ ", r.New)
	}
	return said
}

// lines splits a text; a line break at its end begins no further line.
func lines(content string) []string {
	if content == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(content, "\n"), "\n")
}

// single makes a line visible in one row: no sign in it begins another, which would look like a
// line of the file.
func single(line string) string {
	return strings.ReplaceAll(document.NameTwins(text.Visible(strings.ReplaceAll(line, "\r", "␍"))), "\n", "⏎")
}

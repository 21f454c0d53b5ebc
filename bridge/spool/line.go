package spool

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// viewersDir holds a directory for each viewer: the lock of whoever shows forms
// there, and a ticket for each question that waits for its turn.
const (
	viewersDir = "viewers"
	seatFile   = "seat"
)

// Line is the questions that wait for one viewer, oldest first.
//
// Nobody is told when it is their turn; the kernel tells them, whatever dies.
// The popup holds the seat. The oldest in line waits for the seat to be free,
// and every other for the ticket before its own to be let go of. So one that
// leaves wakes one, however many wait; that one reads the directory once.
type Line struct {
	spool *Spool
	dir   string // in the spool
	free  <-chan struct{}
}

// Line is the line for a viewer of a host, both by the host's own names.
func (s *Spool) Line(host, viewer string) *Line {
	h := fnv.New128a()
	fmt.Fprintf(h, "%s\x00%s", host, viewer)
	return &Line{spool: s, dir: filepath.Join(viewersDir, fmt.Sprintf("%x", h.Sum(nil)))}
}

func (l *Line) path(name string) string { return filepath.Join(l.spool.dir, l.dir, name) }

// ready makes the line's directory, if it is absent.
func (l *Line) ready() error { return l.spool.makeDirs(viewersDir, l.dir) }

// Sit takes the seat until leave: from now on this process shows the forms on
// the viewer. ok is false where another does.
func (l *Line) Sit() (leave func() error, ok bool, err error) {
	if err := l.ready(); err != nil {
		return nil, false, fmt.Errorf("take the seat: %w", err)
	}
	name := filepath.Join(l.dir, seatFile)
	if info, err := l.spool.root.Lstat(name); err == nil && plain(info) != nil {
		_ = l.spool.root.Remove(name) // none of ours; if it stays, it is not taken either
	}
	seat := lockOf(l.path(seatFile), os.O_CREATE)
	ok, err = seat.try()
	if ok && !l.same(seat, seatFile) {
		ok, err = false, errors.Join(errors.New("its file was exchanged"), seat.release())
	}
	if !ok || err != nil {
		return nil, false, wrap(err, "take the seat")
	}
	l.sign(os.Getpid())
	return func() error {
		l.sign(0)
		return seat.release()
	}, true, nil
}

// signLen is the length of what is written on a seat, in bytes: that of the longest
// number of a process.
const signLen = 10

// sign writes on the seat who sits there; 0 is nobody. A disk that is full is no
// obstacle: then it does not say so. It writes in place, since ext4 takes a
// millisecond and more for a file that was truncated.
func (l *Line) sign(pid int) {
	f, err := openPlain(l.spool.root, filepath.Join(l.dir, seatFile), os.O_WRONLY, plain)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintf(f, "%-*d", signLen, pid)
}

// Sitter is the process of the popup that shows forms on the viewer; 0 where
// none does, or it is not known.
func (l *Line) Sitter() int {
	if !l.Seated() {
		return 0
	}
	return l.signed()
}

// Died reports whether the popup that showed forms on the viewer last has died
// there, and not left.
func (l *Line) Died() bool { return l.signed() != 0 && !l.Seated() }

func (l *Line) signed() int {
	f, err := openPlain(l.spool.root, filepath.Join(l.dir, seatFile), os.O_RDONLY, plain)
	if err != nil {
		return 0
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, signLen))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid
}

// Seated reports whether a popup shows forms on the viewer.
func (l *Line) Seated() bool { return l.held(seatFile) }

// Free closes the returned channel when none does. The goroutine behind it ends
// with the popup; there is never more than one.
func (l *Line) Free() <-chan struct{} {
	select {
	case <-l.free:
		l.free = nil
	default:
	}
	if l.free == nil {
		l.free = l.whenFree(seatFile)
	}
	return l.free
}

func (l *Line) whenFree(name string) <-chan struct{} { return whenFree(l.path(name)) }

// held reports whether somebody holds a lock of the line.
func (l *Line) held(name string) bool {
	if _, err := l.spool.root.Lstat(filepath.Join(l.dir, name)); err != nil {
		return false
	}
	return held(l.path(name))
}

// Turn reports whether the question id may be shown on the viewer now: no form
// is, and no older question waits for it.
func (l *Line) Turn(id string) bool {
	if l.Seated() {
		return false
	}
	for _, other := range l.all() {
		if other < id && ValidID(other) && l.held(other) {
			return false
		}
	}
	return true
}

// Waiting lists the questions in line, oldest first. One whose bridge was killed
// is in it until somebody finds out (Drop).
func (l *Line) Waiting() []string {
	ids := l.names()
	slices.Sort(ids)
	return ids
}

// names are those of the tickets; a line that nobody has waited in has none.
func (l *Line) names() []string {
	return slices.DeleteFunc(l.all(), func(name string) bool { return !ValidID(name) })
}

// all is every name in the directory, so that who looks for one checks few.
func (l *Line) all() []string {
	names, err := l.spool.names(l.dir)
	if err != nil {
		return nil // what cannot be read is said where something is written
	}
	return names
}

// Has reports whether the question id is in line.
func (l *Line) Has(id string) bool {
	_, err := l.spool.root.Lstat(filepath.Join(l.dir, id))
	return err == nil
}

// Back puts the question id back in line for its bridge, which joins when it
// sees that nobody shows it any more.
func (l *Line) Back(id string) error {
	err := l.ready()
	if err == nil {
		err = writeNew(l.spool.root, filepath.Join(l.dir, id), nil)
	}
	return wrap(err, "put %s back in line", id)
}

// Drop takes a question out of line for which nobody waits in it any more.
func (l *Line) Drop(id string) { _ = l.spool.root.Remove(filepath.Join(l.dir, id)) }

// Watch tells when somebody joins or leaves, until Stop.
func (l *Line) Watch() (*Watch, error) {
	if err := l.ready(); err != nil {
		return nil, fmt.Errorf("watch the line: %w", err)
	}
	return newWatch(filepath.Join(l.spool.dir, l.dir)), nil
}

// Ticket is a question's place in line.
type Ticket struct {
	ID   string
	line *Line
	lock *lock
}

// Join puts the question id in line until Leave.
func (l *Line) Join(id string) (*Ticket, error) {
	if err := l.ready(); err != nil {
		return nil, fmt.Errorf("wait in line: %w", err)
	}
	for range 8 {
		f := lockOf(l.path(id), os.O_CREATE)
		ok, err := f.try()
		if err != nil {
			return nil, fmt.Errorf("wait in line: %w", err)
		}
		if ok && l.same(f, id) {
			return &Ticket{ID: id, line: l, lock: f}, nil
		}
		_ = f.release() // somebody dropped it just before it was locked
	}
	return nil, fmt.Errorf("wait in line: somebody else holds the ticket of %s", id)
}

// same reports whether the file that is locked is the one with that name.
func (l *Line) same(f *lock, name string) bool {
	mine, err := f.f.Stat()
	if err != nil {
		return false
	}
	there, err := l.spool.root.Lstat(filepath.Join(l.dir, name))
	return err == nil && os.SameFile(mine, there)
}

// Leave gives the place up.
func (t *Ticket) Leave() error {
	t.line.Drop(t.ID)
	return t.lock.release()
}

// Before is the question just before this one, and a channel that is closed when
// it has left or died: then look again. Empty where this one is the first.
//
// settled is false where the one before has not joined yet, though it will: it
// was put back a moment ago. Then look again soon, and not by the channel.
func (t *Ticket) Before() (id string, gone <-chan struct{}, settled bool) {
	for {
		id = ""
		for _, other := range t.line.all() {
			if other < t.ID && other > id && ValidID(other) {
				id = other
			}
		}
		switch {
		case id == "":
			return "", nil, true
		case t.line.held(id):
			return id, t.line.whenFree(id), true
		case t.line.spool.waits(id):
			return id, nil, false
		}
		t.line.Drop(id) // its bridge is gone, and can join no more
	}
}

// waits reports whether a bridge waits for the entry id.
func (s *Spool) waits(id string) bool {
	e, err := s.Open(id)
	if err != nil {
		return false
	}
	defer e.Close()
	return e.Waits()
}

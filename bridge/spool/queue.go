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
// there, and a ticket for each question that waits until it may be shown.
const (
	viewersDir = "viewers"
	seatFile   = "seat"
)

// Queue is the questions that wait for one viewer, oldest first.
//
// Nobody is told when they may go on; the kernel tells them, whatever dies. The
// popup holds the seat. The oldest in the queue waits for the seat to be free, and
// every other for the ticket before its own to be let go of. So one that leaves
// wakes one, however many wait; that one reads the directory once.
type Queue struct {
	spool   *Spool
	dir     string // in the spool
	tickets map[string]*lock
	free    <-chan struct{}
}

// Queue is the queue for a viewer of a host, both by the host's own names.
func (s *Spool) Queue(host, viewer string) *Queue {
	h := fnv.New128a()
	fmt.Fprintf(h, "%s\x00%s", host, viewer)
	return &Queue{spool: s, dir: filepath.Join(viewersDir, fmt.Sprintf("%x", h.Sum(nil))), tickets: map[string]*lock{}}
}

func (q *Queue) path(name string) string { return filepath.Join(q.spool.dir, q.dir, name) }

// ready makes the queue's directory, if it is absent.
func (q *Queue) ready() error { return q.spool.makeDirs(viewersDir, q.dir) }

// Sit takes the seat until leave: from now on this process shows the forms on
// the viewer. ok is false where another does.
func (q *Queue) Sit() (leave func() error, ok bool, err error) {
	if err := q.ready(); err != nil {
		return nil, false, fmt.Errorf("take the seat: %w", err)
	}
	name := filepath.Join(q.dir, seatFile)
	if info, err := q.spool.root.Lstat(name); err == nil && plain(info) != nil {
		_ = q.spool.root.Remove(name) // none of ours; if it stays, it is not taken either
	}
	seat := lockOf(q.path(seatFile), os.O_CREATE)
	ok, err = seat.try()
	if ok && !q.same(seat, seatFile) {
		ok, err = false, errors.Join(errors.New("its file was exchanged"), seat.release())
	}
	if !ok || err != nil {
		return nil, false, wrap(err, "take the seat")
	}
	q.sign(os.Getpid())
	return func() error {
		q.sign(0)
		return seat.release()
	}, true, nil
}

// signLen is the length of what is written on a seat, in bytes: that of the longest
// number of a process.
const signLen = 10

// sign writes on the seat who sits there; 0 is nobody. A disk that is full is no
// obstacle: then it does not say so. It writes in place, since ext4 takes a
// millisecond and more for a file that was truncated.
func (q *Queue) sign(pid int) {
	f, err := openPlain(q.spool.root, filepath.Join(q.dir, seatFile), os.O_WRONLY, plain)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintf(f, "%-*d", signLen, pid)
}

// Seat is who shows forms on the viewer: the process of the popup, where it is
// known, and whether it has the seat. One that has it no more has died there; one
// that left has wiped its number off.
func (q *Queue) Seat() (pid int, taken bool) {
	taken = q.held(seatFile)
	f, err := openPlain(q.spool.root, filepath.Join(q.dir, seatFile), os.O_RDONLY, plain)
	if err != nil {
		return 0, taken
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, signLen))
	pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
	return pid, taken
}

// SeatFree closes the returned channel when no popup shows forms on the viewer.
// The goroutine behind it ends with the popup; there is never more than one.
func (q *Queue) SeatFree() <-chan struct{} {
	select {
	case <-q.free:
		q.free = nil
	default:
	}
	if q.free == nil {
		q.free = q.whenFree(seatFile)
	}
	return q.free
}

func (q *Queue) whenFree(name string) <-chan struct{} { return whenFree(q.path(name)) }

// held reports whether somebody holds a lock of the queue.
func (q *Queue) held(name string) bool {
	if _, err := q.spool.root.Lstat(filepath.Join(q.dir, name)); err != nil {
		return false
	}
	return held(q.path(name))
}

// First reports whether the question id may be shown on the viewer now: no form
// is, and no older question waits for it.
func (q *Queue) First(id string) bool {
	if q.held(seatFile) {
		return false
	}
	return !slices.ContainsFunc(q.names(), func(other string) bool {
		return other < id && ValidID(other) && q.held(other)
	})
}

// Waiting lists the questions in the queue, oldest first. One whose bridge was
// killed is in it until somebody finds out (Leave).
func (q *Queue) Waiting() []string {
	ids := slices.DeleteFunc(q.names(), func(name string) bool { return !ValidID(name) })
	slices.Sort(ids)
	return ids
}

// names is every name in the directory, so that who looks for one checks few.
func (q *Queue) names() []string {
	names, err := q.spool.names(q.dir)
	if err != nil {
		return nil // what cannot be read is said where something is written
	}
	return names
}

// Back puts the question id back into the queue for its bridge, which joins when
// it sees that nobody shows it any more.
func (q *Queue) Back(id string) error {
	err := q.ready()
	if err == nil {
		err = writeNew(q.spool.root, filepath.Join(q.dir, id), nil)
	}
	return wrap(err, "put %s back in line", id)
}

// Watch tells when somebody joins or leaves, until Stop.
func (q *Queue) Watch() (*Watch, error) {
	if err := q.ready(); err != nil {
		return nil, fmt.Errorf("watch the line: %w", err)
	}
	return newWatch(filepath.Join(q.spool.dir, q.dir)), nil
}

// Join puts the question id into the queue until Leave.
func (q *Queue) Join(id string) error {
	if err := q.ready(); err != nil {
		return fmt.Errorf("wait in line: %w", err)
	}
	for range 8 {
		f := lockOf(q.path(id), os.O_CREATE)
		ok, err := f.try()
		if err != nil {
			return fmt.Errorf("wait in line: %w", err)
		}
		if ok && q.same(f, id) {
			q.tickets[id] = f
			return nil
		}
		_ = f.release() // somebody removed it just before it was locked
	}
	return fmt.Errorf("wait in line: somebody else holds the ticket of %s", id)
}

// same reports whether the file that is locked is the one with that name.
func (q *Queue) same(f *lock, name string) bool {
	mine, err := f.f.Stat()
	if err != nil {
		return false
	}
	there, err := q.spool.root.Lstat(filepath.Join(q.dir, name))
	return err == nil && os.SameFile(mine, there)
}

// Leave takes the question id out of the queue: one that has joined through q,
// or one for which nobody waits any more.
func (q *Queue) Leave(id string) error {
	_ = q.spool.root.Remove(filepath.Join(q.dir, id))
	ticket := q.tickets[id]
	if ticket == nil {
		return nil
	}
	delete(q.tickets, id)
	return ticket.release()
}

// Before is the question just before the question id, and a channel that is
// closed when it has left or died: then look again. Empty where this one is the
// first.
//
// settled is false where the one before has not joined yet, though it will: it
// was put back a moment ago. Then look again soon, and not by the channel.
func (q *Queue) Before(id string) (before string, gone <-chan struct{}, settled bool) {
	for {
		before = ""
		for _, other := range q.names() {
			if other < id && other > before && ValidID(other) {
				before = other
			}
		}
		switch {
		case before == "":
			return "", nil, true
		case q.held(before):
			return before, q.whenFree(before), true
		case q.spool.waits(before):
			return before, nil, false
		}
		_ = q.Leave(before) // its bridge is gone, and can join no more
	}
}

// waits reports whether a bridge waits for the entry id.
func (s *Spool) waits(id string) bool {
	e, err := s.Open(id)
	if err != nil {
		return false
	}
	defer e.Close()
	return e.held(bridgeLock)
}

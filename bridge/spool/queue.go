package spool

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// A queue's directory has these, and a ticket for each question that waits.
const (
	seatFile    = "seat"    // locked by the popup that shows forms on the viewer
	leftFile    = "went"    // as old as the last time the person left a form there for the asking pane
	lookoutFile = "lookout" // locked by the one asker that asks the host for all, see LookOut
)

// Queue holds the questions that wait for one viewer, oldest first.
//
// The kernel tells who may go on, whatever dies. The popup holds the seat. The oldest
// in the queue waits for the seat to be free, and every other for the ticket before its
// own to be let go of. So one that leaves wakes one, however many wait; that one reads
// the directory once.
type Queue struct {
	spool   *Spool
	dir     string              // in the spool
	tickets map[string]*os.File // that are ours
	free    <-chan struct{}
}

// Queue returns the queue for a viewer of a host, both by the host's own names.
func (s *Spool) Queue(host, viewer string) *Queue {
	h := fnv.New128a()
	fmt.Fprintf(h, "%s\x00%s", host, viewer)
	q := &Queue{spool: s, dir: filepath.Join(viewersDir, fmt.Sprintf("%x", h.Sum(nil))), tickets: map[string]*os.File{}}
	_ = q.spool.makeDirs(viewersDir, q.dir) // without, whatever is written there fails
	return q
}

// LookOut makes the caller the one who asks a host for all who wait until somebody is
// there, until lock is closed. Where another does, free is closed when that one leaves or
// dies, if that is before ctx ends. With neither, as on a full disk, each asks for itself.
// A host of the same name on another machine, or in another container, is another.
func (s *Spool) LookOut(ctx context.Context, host, name string) (lock *os.File, free <-chan struct{}) {
	machine, _ := os.Hostname()
	q := s.Queue(host, machine+" "+name)
	_ = q.spool.write(q.in(lookoutFile), nil)
	lock, err := q.spool.tryLock(q.in(lookoutFile))
	if err == errHeld {
		free = watch.Freed(ctx, q.spool.in(q.in(lookoutFile)))
	}
	return lock, free
}

func (q *Queue) in(name string) string { return filepath.Join(q.dir, name) }

// TakeSeat takes the seat until leave: from now on this process shows the forms on the
// viewer. ok is false where another does.
func (q *Queue) TakeSeat() (leave func() error, ok bool, err error) {
	if info, err := q.spool.root.Lstat(q.in(seatFile)); err == nil && q.spool.checkFile(seatFile, info) != nil {
		_ = q.spool.root.Remove(q.in(seatFile)) // none of ours; if it stays, it is not taken either
	}
	seat, err := q.spool.lock(q.in(seatFile))
	if err == errHeld {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("take the seat: %w", err)
	}
	writeSeat(seat, os.Getpid())
	return func() error {
		writeSeat(seat, 0)
		return seat.Close()
	}, true, nil
}

const pidWidth = 10 // in bytes: the longest number of a process

// writeSeat writes on the seat who has it; 0 is nobody. It writes in place, since ext4
// takes a millisecond and more for a file that was truncated, and does not report a full
// disk.
func writeSeat(seat *os.File, pid int) {
	_, _ = seat.WriteAt(fmt.Appendf(nil, "%-*d", pidWidth, pid), 0)
}

// Seat returns the process of the popup that shows forms on the viewer, where it is
// known, and whether it has the seat. One that has it no more was killed; one that left
// has wiped its number off.
func (q *Queue) Seat() (pid int, taken bool) {
	taken = q.spool.held(q.in(seatFile))
	f, err := q.spool.open(q.in(seatFile), os.O_RDONLY)
	if err != nil {
		return 0, taken
	}
	defer f.Close()
	data := make([]byte, pidWidth)
	n, _ := f.ReadAt(data, 0)
	pid, _ = strconv.Atoi(strings.TrimSpace(string(data[:n])))
	return pid, taken
}

// seatFree returns a channel that is closed when no popup shows forms on the viewer. It
// makes no second one before that.
func (q *Queue) seatFree() <-chan struct{} {
	select {
	case <-q.free:
		q.free = nil
	default:
	}
	if q.free == nil {
		q.free = q.spool.free(q.in(seatFile))
	}
	return q.free
}

// First reports whether the question id may be shown on the viewer now: no form is, and
// no older question waits for it.
func (q *Queue) First(id string) bool {
	return !q.spool.held(q.in(seatFile)) && !slices.ContainsFunc(q.older(id), func(other string) bool { return q.spool.held(q.in(other)) })
}

// Waiting lists the questions in the queue, oldest first. One whose bridge was killed is
// in it until somebody finds out (Leave). A directory that cannot be read is reported by
// those who write.
func (q *Queue) Waiting() []string {
	names, _ := q.spool.names(q.dir)
	ids := slices.DeleteFunc(names, func(name string) bool { return !ValidID(name) })
	slices.Sort(ids)
	return ids
}

// older lists those that wait before the question id.
func (q *Queue) older(id string) []string {
	ids := q.Waiting()
	i, _ := slices.BinarySearch(ids, id)
	return ids[:i]
}

// NoteLeft notes that the person goes from a form on the viewer to the asking pane now.
func (q *Queue) NoteLeft() error {
	_ = q.spool.root.Remove(q.in(leftFile))
	return wrap(q.spool.write(q.in(leftFile), nil), "note that the form was left for the pane")
}

// LastLeft returns when the person last did; the zero time is never.
func (q *Queue) LastLeft() (at time.Time) {
	if info, err := q.spool.root.Lstat(q.in(leftFile)); err == nil {
		at = info.ModTime()
	}
	return at
}

// Rejoin puts the question id back into the queue for its bridge, which joins when it
// sees that nobody shows it any more.
func (q *Queue) Rejoin(id string) error {
	return wrap(q.spool.write(q.in(id), nil), "put %s back in line", id)
}

// Watch tells when somebody joins or leaves, until Stop.
func (q *Queue) Watch() *Watch { return newWatch(watch.Dir, q.spool.in(q.dir)) }

// Join puts the question id into the queue until Leave, if it is not there yet, and
// says how far it has come: whether another is ahead, or else a form is on the viewer
// (taken). ended is closed when that has left, or died; then join again.
func (q *Queue) Join(id string) (ahead, taken bool, ended <-chan struct{}, err error) {
	if q.tickets[id] == nil {
		ticket, err := q.spool.lock(q.in(id))
		if err != nil {
			return false, false, nil, fmt.Errorf("wait in line: %w", err)
		}
		q.tickets[id] = ticket
	}
	if before := q.before(id); before != "" {
		return true, false, q.spool.free(q.in(before)), nil
	}
	if _, taken = q.Seat(); taken {
		ended = q.seatFree()
	}
	return false, taken, ended, nil
}

// Leave takes the question id out of the queue: one that has joined through q,
// or one for which nobody waits any more.
func (q *Queue) Leave(id string) error {
	_ = q.spool.root.Remove(q.in(id))
	ticket := q.tickets[id]
	if ticket == nil {
		return nil
	}
	delete(q.tickets, id)
	return ticket.Close()
}

// before finds the question just before the question id; empty where that is the first.
// One that was put back a moment ago, and whose bridge has not joined yet, does not
// count: it is in line again before the form that is on view now is over.
func (q *Queue) before(id string) string {
	for _, before := range slices.Backward(q.older(id)) {
		if q.spool.held(q.in(before)) {
			return before
		}
		if !q.spool.waits(before) {
			_ = q.Leave(before) // its bridge is gone, and cannot join any more
		}
	}
	return ""
}

func (s *Spool) waits(id string) bool { return s.held(filepath.Join(id, bridgeLock)) }

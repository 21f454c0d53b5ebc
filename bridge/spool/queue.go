package spool

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A queue's directory has the seat, which the popup locks that shows forms on the
// viewer, and a ticket for each question that waits until it may be shown.
const seatFile = "seat"

// Queue is the questions that wait for one viewer, oldest first.
//
// Nobody is told when they may go on; the kernel tells them, whatever dies. The
// popup holds the seat. The oldest in the queue waits for the seat to be free, and
// every other for the ticket before its own to be let go of. So one that leaves
// wakes one, however many wait; that one reads the directory once.
type Queue struct {
	spool   *Spool
	store   *store
	dir     string              // in the store
	tickets map[string]*os.File // that are ours
	free    <-chan struct{}
}

// Queue is the queue for a viewer of a host, both by the host's own names.
func (s *Spool) Queue(host, viewer string) *Queue {
	h := fnv.New128a()
	fmt.Fprintf(h, "%s\x00%s", host, viewer)
	q := &Queue{spool: s, store: s.stores()[0], dir: filepath.Join(viewersDir, fmt.Sprintf("%x", h.Sum(nil))), tickets: map[string]*os.File{}}
	_ = q.store.makeDirs(viewersDir, q.dir) // without, whatever is written there fails
	return q
}

// in is the path of a file of the queue in its store.
func (q *Queue) in(name string) string { return filepath.Join(q.dir, name) }

// Sit takes the seat until leave: from now on this process shows the forms on
// the viewer. ok is false where another does.
func (q *Queue) Sit() (leave func() error, ok bool, err error) {
	if info, err := q.store.root.Lstat(q.in(seatFile)); err == nil && q.store.plain(seatFile, info) != nil {
		_ = q.store.root.Remove(q.in(seatFile)) // none of ours; if it stays, it is not taken either
	}
	seat, err := q.store.take(q.in(seatFile))
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

// signLen is the length of what is written on a seat, in bytes: that of the longest
// number of a process.
const signLen = 10

// writeSeat writes on the seat who sits there; 0 is nobody. On a disk that is full
// it does not say so. It writes in place, since ext4 takes a millisecond and more
// for a file that was truncated.
func writeSeat(seat *os.File, pid int) {
	_, _ = seat.WriteAt(fmt.Appendf(nil, "%-*d", signLen, pid), 0)
}

// Seat is who shows forms on the viewer: the process of the popup, where it is
// known, and whether it has the seat. One that has it no more has died there; one
// that left has wiped its number off.
func (q *Queue) Seat() (pid int, taken bool) {
	taken = q.store.held(q.in(seatFile))
	f, err := q.store.open(q.in(seatFile), os.O_RDONLY)
	if err != nil {
		return 0, taken
	}
	defer f.Close()
	data := make([]byte, signLen)
	n, _ := f.ReadAt(data, 0)
	pid, _ = strconv.Atoi(strings.TrimSpace(string(data[:n])))
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
		q.free = q.store.free(q.in(seatFile))
	}
	return q.free
}

// First reports whether the question id may be shown on the viewer now: no form
// is, and no older question waits for it.
func (q *Queue) First(id string) bool {
	return !q.store.held(q.in(seatFile)) && !slices.ContainsFunc(q.older(id), func(other string) bool { return q.store.held(q.in(other)) })
}

// Waiting lists the questions in the queue, oldest first. One whose bridge was
// killed is in it until somebody finds out (Leave). What cannot be read is said
// where something is written.
func (q *Queue) Waiting() []string {
	names, _ := q.store.names(q.dir)
	ids := slices.DeleteFunc(names, func(name string) bool { return !ValidID(name) })
	slices.Sort(ids)
	return ids
}

// older is who waits before the question id.
func (q *Queue) older(id string) []string {
	ids := q.Waiting()
	i, _ := slices.BinarySearch(ids, id)
	return ids[:i]
}

// Back puts the question id back into the queue for its bridge, which joins when
// it sees that nobody shows it any more.
func (q *Queue) Back(id string) error {
	return wrap(q.store.write(q.in(id), nil), "put %s back in line", id)
}

// Watch tells when somebody joins or leaves, until Stop.
func (q *Queue) Watch() *Watch { return newWatch(q.store.in(q.dir)) }

// Join puts the question id into the queue until Leave.
func (q *Queue) Join(id string) (err error) {
	q.tickets[id], err = q.store.take(q.in(id))
	return wrap(err, "wait in line")
}

// Leave takes the question id out of the queue: one that has joined through q,
// or one for which nobody waits any more.
func (q *Queue) Leave(id string) error {
	_ = q.store.root.Remove(q.in(id))
	ticket := q.tickets[id]
	if ticket == nil {
		return nil
	}
	delete(q.tickets, id)
	return ticket.Close()
}

// Before is the question just before the question id, and a channel that is
// closed when it has left or died: then look again. Empty where this one is the
// first.
//
// settled is false where the one before has not joined yet, though it will: it
// was put back a moment ago. Then look again soon, and not by the channel.
func (q *Queue) Before(id string) (before string, gone <-chan struct{}, settled bool) {
	for {
		older := q.older(id)
		if len(older) == 0 {
			return "", nil, true
		}
		before = older[len(older)-1]
		switch {
		case q.store.held(q.in(before)):
			return before, q.store.free(q.in(before)), true
		case q.spool.waits(before):
			return before, nil, false
		}
		_ = q.Leave(before) // its bridge is gone, and can join no more
	}
}

// waits reports whether a bridge waits for the entry id.
func (s *Spool) waits(id string) bool {
	return slices.ContainsFunc(s.stores(), func(d *store) bool { return d.held(filepath.Join(id, bridgeLock)) })
}

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

// headStart leaves the free seat to a question in line for so long. Then the next may pass it: its asker may be stopped, by Ctrl+Z say, and would hold up all the others. One that
// tries again and again to open a popup does so more often (machine.RetrySlowly and
// machine.SlowStart), and keeps its place.
const headStart = 12 * time.Second

// Queue holds the questions that wait for one viewer, oldest first.
//
// The kernel tells who may go on, whatever dies. The popup holds the seat. The oldest
// in the queue waits for the seat to be free, and every other for the ticket before its
// own to be let go of. So one that leaves wakes one, however many wait; that one reads
// the directory once. The clock counts only where one is stopped (headStart).
type Queue struct {
	spool   *Spool
	dir     string              // in the spool
	tickets map[string]*os.File // that are ours
	awaited string              // the file that freed waits for
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
// dies, and when ctx ends. With neither, as on a full disk, each asks for itself.
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
	if info, err := q.spool.root.Lstat(q.in(seatFile)); err == nil && checkFile(seatFile, info) != nil {
		_ = q.spool.root.Remove(q.in(seatFile)) // none of ours; if it stays, it is not taken either
	}
	seat, err := q.spool.lock(q.in(seatFile), patience)
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

// freed returns a channel that is closed when nobody holds the seat, or a ticket, any more. It
// makes no second one before that.
func (q *Queue) freed(file string) <-chan struct{} {
	select {
	case <-q.free:
		q.free = nil
	default:
	}
	if q.free == nil || q.awaited != file {
		q.awaited, q.free = file, q.spool.free(q.in(file))
	}
	return q.free
}

// First reports whether the question id may be shown on the viewer now: no form is, and
// no older question comes first. Then its own head start begins.
func (q *Queue) First(id string) bool {
	if _, ahead := q.before(id); ahead > 0 || q.spool.held(q.in(seatFile)) {
		return false
	}
	_ = q.spool.mark(q.in(seatFile), time.Now())
	return true
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

// NoteLeft notes that the person goes from a form on the viewer to the asking pane now.
func (q *Queue) NoteLeft() error {
	return wrap(q.spool.mark(q.in(leftFile), time.Now()), "note that the form was left for the pane")
}

// LastLeft returns when the person last did; the zero time is never.
func (q *Queue) LastLeft() time.Time { return q.spool.marked(q.in(leftFile)) }

// Rejoin puts the question id back into the queue for its bridge, which joins when it
// sees that nobody shows it any more.
func (q *Queue) Rejoin(id string) error {
	return wrap(q.spool.write(q.in(id), nil), "put %s back in line", id)
}

// Watch tells when somebody joins or leaves, until Stop.
func (q *Queue) Watch() *Watch { return folder{path: q.spool.in(q.dir)}.Watch() }

// Join puts the question id into the queue until Leave, if it is not there yet, and
// says how far it has come: for how long yet another is ahead, or else whether a form is on
// the viewer (taken). ended is closed when that has left, or died; then, or when the other
// has had its head start, join again.
func (q *Queue) Join(id string) (ahead time.Duration, taken bool, ended <-chan struct{}, err error) {
	if q.tickets[id] == nil {
		ticket, err := q.spool.lock(q.in(id), patience)
		if err != nil {
			return 0, false, nil, fmt.Errorf("wait in line: %w", err)
		}
		q.tickets[id] = ticket
	}
	if before, ahead := q.before(id); ahead > 0 {
		return ahead, false, q.freed(before), nil
	}
	if _, taken = q.Seat(); taken {
		ended = q.freed(seatFile)
	}
	return 0, taken, ended, nil
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

// before finds the question just before the question id, and for how long yet it comes first,
// if the seat stays free: each older one has its head start, from when the seat was free and the
// question id in line. One that was put back a moment ago, and whose bridge has not joined
// yet, does not count: it is in line again before the form that is on view now is over.
func (q *Queue) before(id string) (other string, ahead time.Duration) {
	older := q.Waiting()
	i, _ := slices.BinarySearch(older, id)
	for _, other := range slices.Backward(older[:i]) {
		if q.spool.held(q.in(other)) {
			since := time.Now()
			if joined := q.spool.marked(q.in(id)); !joined.IsZero() && !q.spool.held(q.in(seatFile)) {
				since = slices.MaxFunc([]time.Time{joined, q.spool.marked(q.in(seatFile))}, time.Time.Compare)
			}
			return other, time.Until(since.Add(time.Duration(i) * headStart))
		}
		if !q.spool.waits(other) {
			_ = q.Leave(other) // its bridge is gone, and cannot join any more
		}
	}
	return "", 0
}

func (s *Spool) waits(id string) bool { return s.held(filepath.Join(id, bridgeLock)) }

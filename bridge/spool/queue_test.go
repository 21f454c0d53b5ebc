package spool

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
	"github.com/oklog/ulid/v2"
)

// asked are ids of questions that were asked one after the other.
func asked(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		var u ulid.ULID
		if err := u.SetTime(1_700_000_000_000 + uint64(i)); err != nil {
			panic(err)
		}
		ids[i] = u.String()
	}
	return ids
}

// join puts the question into the line; gone is closed when it is to look again.
func join(t testing.TB, q *Queue, id string) (gone <-chan struct{}) {
	t.Helper()
	_, _, gone, err := q.Join(id)
	must.Do(t, err)
	return gone
}

func seated(q *Queue) bool {
	_, taken := q.Seat()
	return taken
}

func writeSeatOf(t *testing.T, q *Queue, pid int) {
	t.Helper()
	f, err := os.OpenFile(q.spool.in(q.in(seatFile)), os.O_WRONLY, 0)
	must.Do(t, err)
	writeSeat(f, pid)
	must.Do(t, f.Close())
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// The oldest is first, whoever came first; one that leaves wakes the next.
func TestLineIsByAge(t *testing.T) {
	t.Parallel()
	l := openSpool(t).Queue("tmux", "/dev/pts/1")
	ids := asked(3)
	first, second, third := ids[0], ids[1], ids[2]
	join(t, l, third)
	join(t, l, first)
	join(t, l, second)
	if got := fmt.Sprint(l.Waiting()); got != fmt.Sprint(ids) {
		t.Errorf("waiting: %s", got)
	}
	if ahead, taken, gone, err := l.Join(first); ahead > 0 || taken || gone != nil || err != nil {
		t.Errorf("before the first: %v, %v, %v", ahead, taken, err)
	}
	gone2, gone3 := join(t, l, second), join(t, l, third)
	id2, _ := l.before(second)
	id3, _ := l.before(third)
	if id2 != ids[0] || id3 != ids[1] {
		t.Errorf("before the second is %q, before the third %q", id2, id3)
	}
	must.Do(t, l.Leave(first))
	closed(t, "the second is woken", gone2)
	if !isOpen(gone3) {
		t.Error("the third is woken too")
	}
	if id, _ := l.before(second); id != "" {
		t.Errorf("before the second is still %q", id)
	}
	must.Do(t, l.Leave(second))
	closed(t, "the third is woken", gone3)
	must.Do(t, l.Leave(third))
	if w := l.Waiting(); len(w) != 0 {
		t.Errorf("still in line: %v", w)
	}
}

// Who dies in line wakes the one behind, who takes the ticket away.
func TestLineOfTheDead(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	l := s.Queue("tmux", "/dev/pts/1")
	ids := asked(2)
	dead, next := ids[0], ids[1]
	join(t, l, dead)
	gone := join(t, l, next)
	must.Do(t, l.tickets[dead].Close()) // what the kernel does
	closed(t, "the next is woken", gone)
	if id, _ := l.before(next); id != "" || slices.Contains(l.Waiting(), dead) {
		t.Errorf("before the next is %q; its ticket is there: %v", id, slices.Contains(l.Waiting(), dead))
	}
	must.Do(t, l.Leave(next))
}

// One whose asker is stopped keeps its ticket, and does nothing. It is passed when it has had its
// head start: from when the seat was free, when the next got in line, or when somebody tried for it.
func TestLineOfTheStopped(t *testing.T) {
	t.Parallel()
	l := openSpool(t).Queue("tmux", "/dev/pts/1")
	ids := asked(4)
	next, last := ids[2], ids[3]
	for _, id := range ids {
		join(t, l, id)
	}
	ago := func(file string, d time.Duration) {
		t.Helper()
		at := time.Now().Add(-d)
		must.Do(t, os.Chtimes(l.spool.in(l.in(file)), at, at))
	}
	is := func(when, id string, ahead time.Duration) {
		t.Helper()
		got, _, ended, err := l.Join(id)
		got = max(0, got)
		if must.Do(t, err); got > ahead || got < ahead-headStart/2 || (got > 0) != (ended != nil) {
			t.Errorf("%s: others come first for %v yet, want %v", when, got, ahead)
		}
		if first := l.First(id); first != (ahead == 0) {
			t.Errorf("%s: may be shown: %t", when, first)
		}
	}
	is("all have just come", next, 2*headStart)
	ago(next, headStart)
	is("for a head start", next, headStart)
	ago(next, 3*headStart)
	is("the seat has never been taken", next, 0)
	is("somebody has just tried for it", next, 2*headStart)
	ago(seatFile, 3*headStart)
	is("nobody has since", next, 0)
	ago(last, time.Hour)
	is("it has passed", last, 3*headStart)
	ago(seatFile, 3*headStart)
	leave, ok, err := l.TakeSeat()
	if must.Do(t, err); !ok {
		t.Fatal("the seat is taken")
	}
	ago(seatFile, 3*headStart)
	is("a form is on view", next, 2*headStart)
	must.Do(t, leave())
	is("it has just gone", next, 2*headStart)
	ago(seatFile, 2*headStart)
	is("long gone", next, 0)
}

// A question that a popup has put back keeps its place until its bridge knows.
func TestLineAndWhoIsPutBack(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	l := s.Queue("tmux", "/dev/pts/1")
	e := create(t, s) // with a bridge that waits
	later := "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
	must.Do(t, l.Rejoin(e.ID))
	join(t, l, later)
	if got := l.Waiting(); !slices.Equal(got, []string{e.ID, later}) {
		t.Errorf("waiting: %v", got)
	}
	join(t, l, e.ID)
	if l.First(later) || !l.First(e.ID) {
		t.Error("the later one passes it")
	}
	gone := join(t, l, later)
	if id, _ := l.before(later); id != e.ID {
		t.Errorf("before the later one is %q", id)
	}
	must.Do(t, l.Leave(e.ID))
	closed(t, "the later one is woken", gone)
	must.Do(t, l.Leave(later))
}

func TestSeat(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	l, other := s.Queue("tmux", "/dev/pts/1"), s.Queue("tmux", "/dev/pts/2")
	ids := asked(2)
	if seated(l) || !l.First(ids[0]) {
		t.Error("an empty line is not free")
	}
	leave, ok, err := l.TakeSeat()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := s.Queue("tmux", "/dev/pts/1").TakeSeat(); ok || err != nil {
		t.Errorf("two sit on one seat: %v", err)
	}
	if !seated(l) || l.First(ids[0]) || seated(other) || !other.First(ids[0]) {
		t.Error("the seat of one viewer is not its own")
	}
	if pid, _ := l.Seat(); pid != os.Getpid() {
		t.Errorf("on the seat is %d; we are %d", pid, os.Getpid())
	}
	if pid, _ := other.Seat(); pid != 0 {
		t.Errorf("on the other's seat is %d", pid)
	}
	free := l.freed(seatFile)
	if l.freed(seatFile) != free {
		t.Error("the seat is waited for twice")
	}
	must.Do(t, leave())
	closed(t, "the seat is free", free)
	if pid, taken := l.Seat(); pid != 0 || taken {
		t.Errorf("on the free seat is %d, %v", pid, taken)
	}
	writeSeatOf(t, l, 1) // who dies does not wipe the seat
	if pid, taken := l.Seat(); pid != 1 || taken {
		t.Errorf("of whoever died there the seat says %d, %v", pid, taken)
	}
	first := ids[0]
	join(t, l, first)
	if l.First(ids[1]) || !l.First(ids[0]) {
		t.Error("a free seat is not for the oldest in line")
	}
	must.Do(t, l.Leave(first))
}

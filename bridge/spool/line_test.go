package spool

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
)

// asked are ids of questions that were asked one after the other.
func asked(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		var u ulid.ULID
		if err := u.SetTime(uint64(1_700_000_000_000 + i)); err != nil {
			panic(err)
		}
		ids[i] = u.String()
	}
	return ids
}

func join(t testing.TB, l *Line, id string) *Ticket {
	t.Helper()
	k, err := l.Join(id)
	if err != nil {
		t.Fatal(err)
	}
	return k
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
	l := openSpool(t).Line("tmux", "/dev/pts/1")
	ids := asked(3)
	third, first, second := join(t, l, ids[2]), join(t, l, ids[0]), join(t, l, ids[1])
	if got := fmt.Sprint(l.Waiting()); got != fmt.Sprint(ids) {
		t.Errorf("waiting: %s", got)
	}
	if id, gone, settled := first.Before(); id != "" || gone != nil || !settled {
		t.Errorf("before the first is %q, %v", id, settled)
	}
	id2, gone2, _ := second.Before()
	id3, gone3, _ := third.Before()
	if id2 != ids[0] || id3 != ids[1] {
		t.Errorf("before the second is %q, before the third %q", id2, id3)
	}
	must(t, first.Leave())
	closed(t, "the second is woken", gone2)
	if !isOpen(gone3) {
		t.Error("the third is woken too")
	}
	if id, _, _ := second.Before(); id != "" {
		t.Errorf("before the second is still %q", id)
	}
	must(t, second.Leave())
	closed(t, "the third is woken", gone3)
	must(t, third.Leave())
	if w := l.Waiting(); len(w) != 0 {
		t.Errorf("still in line: %v", w)
	}
}

// Who dies in line wakes the one behind, who takes the ticket away.
func TestLineOfTheDead(t *testing.T) {
	s := openSpool(t)
	l := s.Line("tmux", "/dev/pts/1")
	ids := asked(2)
	dead, next := join(t, l, ids[0]), join(t, l, ids[1])
	_, gone, _ := next.Before()
	must(t, dead.lock.release()) // what the kernel does
	closed(t, "the next is woken", gone)
	if id, _, _ := next.Before(); id != "" || l.Has(ids[0]) {
		t.Errorf("before the next is %q; its ticket is there: %v", id, l.Has(ids[0]))
	}
	must(t, next.Leave())
}

// A question that a popup has put back is in line before its bridge knows, and
// nobody passes it meanwhile.
func TestLineAndWhoIsPutBack(t *testing.T) {
	s := openSpool(t)
	l := s.Line("tmux", "/dev/pts/1")
	e := create(t, s) // with a bridge that waits
	later := join(t, l, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	must(t, l.Back(e.ID))
	if id, gone, settled := later.Before(); id != e.ID || gone != nil || settled {
		t.Errorf("before the later one is %q, settled %v", id, settled)
	}
	back := join(t, l, e.ID)
	id, gone, settled := later.Before()
	if id != e.ID || !settled {
		t.Errorf("before the later one is %q, settled %v", id, settled)
	}
	must(t, back.Leave())
	closed(t, "the later one is woken", gone)
	must(t, later.Leave())
}

func TestSeat(t *testing.T) {
	s := openSpool(t)
	l, other := s.Line("tmux", "/dev/pts/1"), s.Line("tmux", "/dev/pts/2")
	ids := asked(2)
	if l.Seated() || !l.Turn(ids[0]) {
		t.Error("an empty line is not free")
	}
	leave, ok, err := l.Sit()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := s.Line("tmux", "/dev/pts/1").Sit(); ok || err != nil {
		t.Errorf("two sit on one seat: %v", err)
	}
	if !l.Seated() || l.Turn(ids[0]) || other.Seated() || !other.Turn(ids[0]) {
		t.Error("the seat of one viewer is not its own")
	}
	if l.Sitter() != os.Getpid() || other.Sitter() != 0 {
		t.Errorf("on the seat is %d, on the other's %d; we are %d", l.Sitter(), other.Sitter(), os.Getpid())
	}
	free := l.Free()
	if l.Free() != free {
		t.Error("Free waits twice")
	}
	must(t, leave())
	closed(t, "the seat is free", free)
	if l.Sitter() != 0 || l.Died() {
		t.Errorf("on the free seat is %d; died %v", l.Sitter(), l.Died())
	}
	l.sign(1) // who dies does not wipe the seat
	if l.Sitter() != 0 || !l.Died() {
		t.Errorf("on the free seat is %d; died %v", l.Sitter(), l.Died())
	}
	first := join(t, l, ids[0])
	if l.Turn(ids[1]) || !l.Turn(ids[0]) {
		t.Error("a free seat is not for the oldest in line")
	}
	must(t, first.Leave())
}

// However many wait, one that leaves wakes one. The benchmark says what that
// one costs.
func TestLeavingWakesOne(t *testing.T) {
	const n = 200
	l := openSpool(t).Line("tmux", "/dev/pts/1")
	tickets := make([]*Ticket, n)
	gone := make([]<-chan struct{}, n)
	for i, id := range asked(n) {
		tickets[i] = join(t, l, id)
		_, gone[i], _ = tickets[i].Before()
	}
	for i := range n - 1 {
		must(t, tickets[i].Leave())
		closed(t, "the next is woken", gone[i+1])
		woken := 0
		for _, c := range gone[i+2:] {
			if !isOpen(c) {
				woken++
			}
		}
		if woken > 0 {
			t.Fatalf("%d more are woken when number %d leaves", woken, i)
		}
	}
	must(t, tickets[n-1].Leave())
}

func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := Open(b.TempDir() + "/spool")
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			l := s.Line("tmux", "/dev/pts/1")
			ids := asked(n)
			for _, id := range ids[1:] {
				if err := l.ready(); err != nil {
					b.Fatal(err)
				}
				if err := l.Back(id); err != nil {
					b.Fatal(err)
				}
			}
			first := join(b, l, ids[0])
			began := time.Now()
			for b.Loop() {
				if id, _, _ := first.Before(); id != "" {
					b.Fatal(id)
				}
			}
			b.ReportMetric(float64(time.Since(began).Microseconds())/float64(b.N), "µs/turn")
			if err := first.Leave(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

package spool

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Of many questions of one process at once, one is asked; and when it is over,
// the next may be.
func TestOneTurnAtATime(t *testing.T) {
	s := openSpool(t)
	var now, turns atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		e := create(t, s)
		all.Go(func() {
			for range 200 {
				if !e.TakeTurn(1) {
					continue
				}
				turns.Add(1)
				if n := now.Add(1); n != 1 {
					t.Errorf("%d have the turn", n)
				}
				now.Add(-1)
				if err := e.release(e.turn); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if turns.Load() == 0 {
		t.Error("nobody had the turn")
	}
	names, err := os.ReadDir(filepath.Join(s.Path(), digestsDir))
	must(t, err)
	for _, n := range names {
		if strings.HasPrefix(n.Name(), turnPrefix) {
			t.Errorf("%s is left", n.Name())
		}
	}
}

func (e *Entry) refused(t *testing.T) bool {
	t.Helper()
	return e.turn == "" && !e.TakeTurn(1)
}

// Another process has a turn of its own, and who is killed holds none.
func TestTurnIsOnesOwn(t *testing.T) {
	s := openSpool(t)
	first := create(t, s)
	if !first.TakeTurn(1) {
		t.Fatal("the first is refused")
	}
	if e := create(t, s); !e.TakeTurn(2) {
		t.Error("another process is refused")
	}
	if !create(t, s).refused(t) {
		t.Error("a second is not refused")
	}
	must(t, s.proper.dropTurns())
	if !create(t, s).refused(t) {
		t.Error("after what was left by the dead was dropped, a second is not refused")
	}
	must(t, first.locks[first.turn].Close()) // what the kernel does when it is killed
	delete(first.locks, first.turn)
	must(t, s.proper.dropTurns())
	if names, err := filepath.Glob(filepath.Join(s.Path(), digestsDir, turnPrefix+"*")); err != nil || len(names) != 1 { // that of process 2
		t.Errorf("left: %v, %v", names, err)
	}
	if create(t, s).refused(t) {
		t.Error("the dead have the turn")
	}
}

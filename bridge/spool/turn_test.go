package spool

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// Of many questions of one process at once, one is asked; and when it is over,
// the next may be.
func TestOneTurnAtATime(t *testing.T) {
	t.Parallel()
	s := openQuick(t)
	var now, turns atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 200 {
				end, taken := s.TakeTurn(1)
				if taken != nil {
					continue
				}
				turns.Add(1)
				if n := now.Add(1); n != 1 {
					t.Errorf("%d have the turn", n)
				}
				now.Add(-1)
				end()
			}
		})
	}
	all.Wait()
	if turns.Load() == 0 {
		t.Error("nobody had the turn")
	}
	names, err := os.ReadDir(filepath.Join(s.path, turnsDir))
	must.Do(t, err)
	if len(names) > 0 {
		t.Errorf("%v is left", names)
	}
}

// Another process has a turn of its own, and who is killed holds none.
func TestTurnIsOnesOwn(t *testing.T) {
	t.Parallel()
	s := openQuick(t)
	end, taken := s.TakeTurn(1)
	if taken != nil {
		t.Fatal("the first is refused")
	}
	if _, taken := s.TakeTurn(2); taken != nil {
		t.Error("another process is refused")
	}
	_, taken = s.TakeTurn(1)
	if taken == nil {
		t.Fatal("a second is not refused")
	}
	end()
	<-taken                                                          // and it is told when the first is over
	left, err := filepath.Glob(filepath.Join(s.path, turnsDir, "*")) // that of process 2
	if err != nil || len(left) != 1 {
		t.Fatalf("left: %v, %v", left, err)
	}
	// What is left of one that was killed is an unlocked file under its name.
	if end, taken = s.TakeTurn(1); taken != nil {
		t.Fatal("after the first, another is refused")
	}
	mine, err := filepath.Glob(filepath.Join(s.path, turnsDir, "*"))
	must.Do(t, err)
	end()
	for _, name := range mine {
		if name != left[0] {
			must.Do(t, os.WriteFile(name, nil, 0o600))
		}
	}
	if _, taken := s.TakeTurn(1); taken != nil {
		t.Error("the dead have the turn")
	}
}

// Each file of a process is made when the one before is there: each that waits for a slow disk
// has a thread of its own.
func TestMadeInTurn(t *testing.T) {
	s := openQuick(t)
	q := s.Queue("tmux", "viewer")
	writing.Lock()
	made := make(chan error, 1)
	go func() {
		_, _, _, err := q.Join(ulid.Make().String())
		made <- err
	}()
	waits := func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "sync.(*Mutex).Lock")
	}
	if !needs.Within(20*time.Second, func() bool { return waits() || len(made) > 0 }) || len(made) > 0 {
		t.Error("it is made beside another")
	}
	writing.Unlock()
	must.Do(t, <-made)
	if n := len(q.Waiting()); n != 1 {
		t.Errorf("%d wait in line", n)
	}
}

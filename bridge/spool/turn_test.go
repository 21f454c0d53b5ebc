package spool

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Of many questions of one agent at once, one is asked; and when it is over,
// the next may be.
func TestOneTurnAtATime(t *testing.T) {
	s := openSpool(t)
	var now, turns atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		e := create(t, s)
		all.Go(func() {
			for range 200 {
				if !e.TakeTurn(request()) {
					continue
				}
				turns.Add(1)
				if n := now.Add(1); n != 1 {
					t.Errorf("%d have the turn", n)
				}
				now.Add(-1)
				if err := e.leaveTurn(); err != nil {
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
	return e.turn == nil && !e.TakeTurn(request())
}

// Another agent, directory or dialect has a turn of its own, and who is killed
// holds none.
func TestTurnIsOnesOwn(t *testing.T) {
	s := openSpool(t)
	first := create(t, s)
	if !first.TakeTurn(request()) {
		t.Fatal("the first is refused")
	}
	for name, change := range map[string]func(*Request){
		"agent":     func(r *Request) { r.Origin.Agent = "other" },
		"directory": func(r *Request) { r.Origin.Cwd = "/other" },
		"dialect":   func(r *Request) { r.Form.Dialect = "other" },
	} {
		req := request()
		change(&req)
		if e := create(t, s); !e.TakeTurn(req) {
			t.Errorf("another %s is refused", name)
		}
	}
	if !create(t, s).refused(t) {
		t.Error("a second is not refused")
	}
	must(t, first.turn.release()) // what the kernel does when it is killed
	first.turn = nil
	if create(t, s).refused(t) {
		t.Error("the dead have the turn")
	}
}

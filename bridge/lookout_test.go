package bridge

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// paned is a stage whose asking pane is known.
type paned struct{ *stage }

func (paned) Asker() (words, ref string) { return "left", "%1" }

// The host that a question has found, which knows its viewer already, is asked, and not the one
// of an earlier question of the same pane: that one would have to run a command.
func TestAsksItsOwnHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all Lookout
		for range 3 {
			found := &stage{viewer: func() (host.Viewer, error) { return host.Viewer{}, nil }}
			_, err := all.of(paned{found}, nil).ask(context.Background(), found)
			must.Do(t, err)
			if found.looks != 1 {
				t.Errorf("the host of the question was asked %d times", found.looks)
			}
			time.Sleep(2 * fresh)
		}
	})
}

// However many questions wait for a viewer, their host is asked once a second, and more
// seldom after a minute, and all are told when it says something else.
func TestOneLooksForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		says := host.ErrNoViewer
		s := &stage{viewer: func() (host.Viewer, error) { return host.Viewer{}, says }}
		var all Lookout
		var changed []<-chan struct{}
		for range 50 {
			one := all.of(paned{s}, nil)
			if _, err := one.ask(context.Background(), s); !errors.Is(err, host.ErrNoViewer) {
				t.Errorf("look: %v", err)
			}
			c, stop := one.watch()
			defer stop()
			changed = append(changed, c)
		}
		time.Sleep(3*askEvery + askEvery/2)
		s.mu.Lock()
		if s.looks != 4 { // at once, and every second
			t.Errorf("the host was asked %d times in 3.5 s", s.looks)
		}
		for _, c := range changed {
			select {
			case <-c:
				t.Error("the host has said the same, and it is told")
			default:
			}
		}
		s.mu.Unlock()
		time.Sleep(time.Minute - 3*askEvery)
		s.mu.Lock()
		after := s.looks
		s.mu.Unlock()
		time.Sleep(time.Minute)
		s.mu.Lock()
		if n := s.looks - after; n < 11 || n > 13 { // every 5 s by then
			t.Errorf("the host was asked %d times in the second minute", n)
		}
		says = nil
		s.mu.Unlock()
		for _, c := range changed {
			<-c
		}
		if one, other := all.of(s, nil), all.of(s, nil); one == other {
			t.Error("two questions without a known pane have one lookout")
		}
	})
}

// shared is a stage that several processes ask in.
type shared struct {
	*stage
	name string
}

func (s shared) Shares() string { return s.name }

// Of several processes that wait for a viewer one asks for all, and another where that one
// ends, or waits no more; so all hear of it when the host says something new. Who asks in another host
// has nothing to do with them.
func TestOneProcessLooksForAll(t *testing.T) {
	t.Parallel()
	sp, err := spool.Open(filepath.Join(t.TempDir(), "spool"))
	must.Do(t, err)
	defer sp.Close()
	var there atomic.Bool
	type asker struct {
		*stage
		changed <-chan struct{}
		stop    func()
	}
	begin := func(name string) *asker {
		s := &stage{viewer: func() (host.Viewer, error) {
			if there.Load() && name == "server" {
				return host.Viewer{}, nil
			}
			return host.Viewer{}, host.ErrNoViewer
		}}
		a := &asker{stage: s}
		a.changed, a.stop = new(Lookout).of(shared{s, name}, sp).watch()
		return a
	}
	looks := func(a *asker) int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.looks
	}
	askers := []*asker{begin("server"), begin("server"), begin("server")}
	other := begin("another server")
	defer other.stop()
	asks := -1
	until(t, "one asks for all", func() bool {
		asks = slices.IndexFunc(askers, func(a *asker) bool { return looks(a) > 3 })
		return asks >= 0 && looks(other) > 3
	})
	one := askers[asks]
	askers = slices.Delete(askers, asks, asks+1)
	for _, a := range askers {
		if n := looks(a); n != 1 {
			t.Errorf("beside the one that asks for all, another has asked %d times", n)
		}
	}
	one.stop()
	until(t, "another asks for all", func() bool { return looks(askers[0]) > 2 != (looks(askers[1]) > 2) })
	var heard atomic.Int32
	for _, a := range askers {
		go func() {
			<-a.changed
			a.stop() // it waits for that no more
			heard.Add(1)
		}()
	}
	there.Store(true)
	until(t, "both hear that somebody is there", func() bool { return heard.Load() == 2 })
	select {
	case <-other.changed:
		t.Error("who asks in another host is told")
	default:
	}
}

// until polls for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	if !needs.Within(patience, is) {
		t.Fatalf("it never was so: %s", what)
	}
}

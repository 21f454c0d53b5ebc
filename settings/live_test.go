package settings

import (
	"testing"
	"time"
)

// What a file says from now on is in force for everybody who follows the
// directory, and each subscriber is called until it stops.
func TestLive(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"debounceMs": 0, "idleSeconds": 1}`)
	live := Follow(h.repo)
	if Follow(h.repo) != live {
		t.Error("a directory has two")
	}
	s, changed := live.Now()
	if s.IdleSeconds != 1 {
		t.Errorf("idleSeconds is %d, want 1", s.IdleSeconds)
	}
	const subscribers = 2
	called, problems := make(chan int, 100), make(chan error, 100)
	var stops []func()
	for range subscribers {
		stops = append(stops, live.Subscribe(func(err error) { problems <- err }, func(s Settings) { called <- s.IdleSeconds }))
	}
	h.write(globalFile, `{"debounceMs": 0, "idleSeconds": 2, "nonsense": 1}`)
	select {
	case <-changed:
	case <-time.After(patience):
		t.Fatal("the channel is not closed")
	}
	for range subscribers {
		if got := <-called; got != 2 {
			t.Errorf("a subscriber is told of idleSeconds %d, want 2", got)
		}
	}
	if s, _ := live.Now(); s.IdleSeconds != 2 {
		t.Errorf("idleSeconds is %d, want 2", s.IdleSeconds)
	}
	h.says([]Problem{(<-problems).(Problem)}, "~/"+globalFile+`: "nonsense": there is no such setting`)
	if len(problems) > 0 {
		t.Errorf("a problem is told of twice: %v", <-problems)
	}
	stops[0]()
	h.write(globalFile, `{"debounceMs": 0, "idleSeconds": 3}`)
	if got := <-called; got != 3 || len(called) > 0 {
		t.Errorf("told of idleSeconds %d and %d more, want 3 once", got, len(called))
	}
	stops[1]()
}

// Following again reads the files, watched or not.
func TestFollowIsUpToDate(t *testing.T) {
	h := newHome(t)
	live := Follow(h.repo)
	_, changed := live.Now()
	h.write(globalFile, `{"idleSeconds": 7}`)
	if s, _ := Follow(h.repo).Now(); s.IdleSeconds != 7 {
		t.Errorf("idleSeconds is %d, want 7", s.IdleSeconds)
	}
	select {
	case <-changed:
	default:
		t.Error("those who follow it already do not learn of it")
	}
}

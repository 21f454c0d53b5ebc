package settings

import (
	"context"
	"testing"
	"time"
)

// What a file says from now on is in force for everybody who follows the
// directory, as long as anybody watches.
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
	problems := make(chan error, 100)
	warn := func(err error) { problems <- err }
	told := make(chan struct{}, 100)
	first, second := live.Watch(warn, nil), live.Watch(warn, func() { told <- struct{}{} })
	defer second()
	for i, text := range []string{`{"debounceMs": 0, "idleSeconds": 2, "nonsense": 1}`, `{"debounceMs": 0, "idleSeconds": 3}`} {
		h.write(globalFile, text)
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("the channel is not closed")
		}
		<-told
		s, changed = live.Now()
		if want := i + 2; s.IdleSeconds != want {
			t.Errorf("idleSeconds is %d, want %d", s.IdleSeconds, want)
		}
		first() // more than once is once
	}
	h.says([]Problem{(<-problems).(Problem)}, "~/"+globalFile+`: "nonsense": there is no such setting`)
	if len(problems) > 0 {
		t.Errorf("a problem is told of twice: %v", <-problems)
	}
}

// A change that came between Now and Each is told of, too.
func TestEachMissesNothing(t *testing.T) {
	h := newHome(t)
	live := Follow(h.repo)
	known, _ := live.Now()
	h.write(globalFile, `{"idleSeconds": 7}`)
	Follow(h.repo)
	told := make(chan int, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go Each(ctx, h.repo, known, func(now *Loaded) { told <- now.IdleSeconds })
	select {
	case got := <-told:
		if got != 7 {
			t.Errorf("idleSeconds is %d, want 7", got)
		}
	case <-time.After(patience):
		t.Error("it is not told of")
	}
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

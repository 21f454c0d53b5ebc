package spool

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// told collects what the watch tells until it has told of id.
func told(t *testing.T, w *WatchAll, id string) {
	t.Helper()
	late := time.After(5 * time.Second)
	for {
		select {
		case <-w.Changed:
			ids, all := w.Take()
			if slices.Contains(ids, id) || id == "" && all {
				return
			}
		case <-late:
			t.Fatalf("nothing of %q", id)
		}
	}
}

func TestWatchAll(t *testing.T) {
	s := openSpool(t)
	w := s.WatchAll()
	defer w.Stop()
	told(t, w, "")
	e := create(t, s)
	told(t, w, e.ID)
	other := create(t, s)
	told(t, w, other.ID)
	w.Inside([]string{e.ID})
	must(t, e.SaveDraft(map[string]int{"version": 1}))
	told(t, w, e.ID)
	must(t, e.Settle(answered()))
	told(t, w, e.ID)
	must(t, e.Deliver())
	told(t, w, e.ID)
	w.Inside([]string{e.ID, other.ID}) // the first is gone: no harm
	must(t, other.SaveDraft(map[string]int{"version": 1}))
	told(t, w, other.ID)
	w.Inside(nil)
	must(t, os.RemoveAll(filepath.Join(s.Path(), other.ID)))
	told(t, w, other.ID)
}

// Where the system cannot tell of changes, everything is looked at by the clock.
func TestWatchAllPolls(t *testing.T) {
	watchDir = func(string, func(string)) (*watch.Watch, error) { return nil, errors.New("none left") }
	defer func() { watchDir = watch.Dir }()
	s := openSpool(t)
	w := s.WatchAll()
	defer w.Stop()
	if w.Polls == nil {
		t.Error("it does not say that it polls")
	}
	told(t, w, "")
	w.Inside([]string{"x"})
	told(t, w, "")
}

func TestUnanswered(t *testing.T) {
	s := openSpool(t)
	a, b := create(t, s), create(t, s)
	want := []string{a.ID, b.ID}
	slices.Sort(want)
	if ids, err := s.Unanswered(); err != nil || !slices.Equal(ids, want) {
		t.Errorf("Unanswered = %v, %v, want %v", ids, err, want)
	}
	must(t, a.Settle(answered()))
	if ids, err := s.Unanswered(); err != nil || !slices.Equal(ids, []string{b.ID}) {
		t.Errorf("Unanswered = %v, %v, want %s", ids, err, b.ID)
	}
}

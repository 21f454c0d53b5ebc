package spool

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// tells waits until the watch has told of a change.
func tells(t *testing.T, w *Watch, of string) {
	t.Helper()
	select {
	case <-w.Changed:
	case <-time.After(5 * time.Second):
		t.Fatalf("nothing of %s", of)
	}
}

// calm waits until the watch has told of all that was done before.
func calm(t *testing.T, w *Watch) {
	t.Helper()
	for {
		select {
		case <-w.Changed:
		case <-time.After(20 * time.Millisecond):
			return
		}
	}
}

func TestWatchOfTheSpool(t *testing.T) {
	s := openSpool(t)
	w := s.Watch()
	defer w.Stop()
	tells(t, w, "the beginning")
	e := create(t, s)
	tells(t, w, "one that was asked")
	other := create(t, s)
	calm(t, w)
	must(t, e.Settle(answered()))
	must(t, e.Deliver())
	tells(t, w, "a delivery")
	calm(t, w)
	must(t, os.RemoveAll(filepath.Join(s.dir, other.ID)))
	tells(t, w, "one that was removed")
	if w.Polls != nil {
		t.Errorf("it polls: %v", w.Polls)
	}
}

// Where the system cannot tell of changes, everything is looked at by the clock.
func TestWatchPolls(t *testing.T) {
	watchDir = func(string, func(string)) (*watch.Watch, error) { return nil, errors.New("none left") }
	defer func() { watchDir = watch.Dir }()
	w := openSpool(t).Watch()
	defer w.Stop()
	if w.Polls == nil {
		t.Error("it does not say that it polls")
	}
	tells(t, w, "the beginning")
	tells(t, w, "the clock")
}

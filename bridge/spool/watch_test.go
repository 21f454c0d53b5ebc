package spool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
)

// tells waits until the watch tells of a change, and so it is.
func tells(t *testing.T, w *Watch, of string, so func() bool) {
	t.Helper()
	for late := time.After(tooLong); ; {
		select {
		case <-w.Changed:
			if so() {
				return
			}
		case <-late:
			t.Fatalf("nothing of %s", of)
		}
	}
}

func always() bool { return true }

func TestWatchTells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, below, polls string }{
		{"by the system", ".", ""},
		{"by polling", "none", "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openSpool(t)
			e := create(t, s)
			w := folder{path: e.in(c.below)}.Watch()
			defer w.Stop()
			if c.polls == "" && w.Polls != nil || c.polls != "" && (w.Polls == nil || !strings.Contains(w.Polls.Error(), c.polls)) {
				t.Errorf("Polls = %v, want %q", w.Polls, c.polls)
			}
			tells(t, w, "the beginning", always)
			must.Do(t, open(t, s, e.ID).Settle(answered()))
			tells(t, w, "the answer", func() bool {
				_, ok, err := e.Answer()
				must.Do(t, err)
				return ok
			})
		})
	}
}

func TestWatchOfTheSpool(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	w := s.Watch()
	defer w.Stop()
	tells(t, w, "the beginning", always)
	e := create(t, s)
	tells(t, w, "one that was asked", always)
	other := create(t, s)
	must.Do(t, e.Settle(answered()))
	must.Do(t, e.Deliver())
	tells(t, w, "a delivery", func() bool {
		waits, over, err := s.Scan()
		must.Do(t, err)
		return len(over) == 0 && slices.Equal(waits, []string{other.ID})
	})
	must.Do(t, os.RemoveAll(filepath.Join(s.path, other.ID)))
	tells(t, w, "one that was removed", func() bool { return len(waiting(t, s)) == 0 })
}

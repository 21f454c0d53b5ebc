package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

const day = 24 * time.Hour

// over puts a question into the history that was asked and answered so long ago.
func over(t *testing.T, s *Spool, asked, answered time.Duration) string {
	t.Helper()
	id := settled(t, s, asked, answered)
	e := open(t, s, id)
	must.Do(t, e.Deliver())
	return id
}

// settled is one that has its answer and was not delivered.
func settled(t *testing.T, s *Spool, asked, answered time.Duration) string {
	t.Helper()
	req := request()
	req.Origin.Start = time.Now().Add(-asked)
	e, err := s.Create(req)
	must.Do(t, err)
	defer e.Close()
	must.Do(t, e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "popup", At: time.Now().Add(-answered)}))
	return e.ID
}

func keep(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

func TestPrune(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	if n, err := s.Prune(t.Context(), keep(30*day), time.Now()); n != 0 || err != nil {
		t.Errorf("where there is no history: %d, %v", n, err)
	}
	waits := settled(t, s, 99*day, 99*day) // its answer was not delivered
	pending := request()
	pending.Origin.Start = time.Now().Add(-99 * day)
	unanswered, err := s.Create(pending)
	must.Do(t, err)
	must.Do(t, unanswered.Close()) // and the agent of this one is gone
	oldest, long := over(t, s, 40*day, 39*day), over(t, s, 40*day, 29*day)
	young := over(t, s, 3*day, 3*day)
	newer, broken := over(t, s, 50*day, 50*day), over(t, s, 50*day, 50*day)
	in := func(id, name string) string { return filepath.Join(s.path, historyDir, id, name) }
	must.Do(t, os.WriteFile(in(newer, answerFile), fmt.Appendf(nil, `{"version":%d}`, form.Version+1), 0o600))
	must.Do(t, os.WriteFile(in(broken, requestFile), []byte(`{`), 0o600))
	left := filepath.Join(s.path, historyDir, removing+young)
	must.Do(t, os.Mkdir(left, 0o700)) // somebody died removing it

	now := time.Now()
	if n, err := s.Prune(t.Context(), keep(0), now.Add(-25*time.Hour)); n != 0 || err != nil {
		t.Errorf("0 keeps everything: %d, %v", n, err)
	}
	if n, err := s.Prune(t.Context(), keep(30*day), now); n != 1 || err != nil {
		t.Errorf("Prune = %d, %v, want 1", n, err)
	}
	ids, err := s.History()
	must.Do(t, err)
	want := []string{long, young, newer, broken}
	slices.Sort(want)
	slices.Reverse(want)
	if !slices.Equal(ids, want) {
		t.Errorf("the history is %v, want %v; %s was the old one", ids, want, oldest)
	}
	if pending, over, err := s.Scan(); err != nil || !slices.Contains(over, waits) || !slices.Contains(pending, unanswered.ID) {
		t.Errorf("what waits is %v, %v, %v", pending, over, err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was half removed is still there: %v", err)
	}
	// Once a day, and keep is not even asked before.
	if n, err := s.Prune(t.Context(), func() time.Duration { t.Error("asked"); return day }, now.Add(23*time.Hour)); n != 0 || err != nil {
		t.Errorf("on the same day: %d, %v", n, err)
	}
	if n, err := s.Prune(t.Context(), keep(30*day), now.Add(25*time.Hour)); n != 1 || err != nil { // long is 30 days old now
		t.Errorf("on the next day: %d, %v", n, err)
	}
	// A clock that was put back does not stop it for good.
	if n, err := s.Prune(t.Context(), keep(2*day), now.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("after the clock was put back: %d, %v", n, err)
	}
}

// Who has its answer waits for nothing that is being removed; the next day goes on.
func TestPruneGivesUp(t *testing.T) {
	t.Parallel()
	s := openQuick(t)
	id := over(t, s, 40*day, 40*day)
	ctx, cancel := context.WithCancel(t.Context())
	n, err := s.Prune(ctx, func() time.Duration { cancel(); return day }, time.Now())
	if ids, _ := s.History(); n != 0 || err != nil || !slices.Equal(ids, []string{id}) {
		t.Errorf("given up: %d removed, %v, left %v", n, err, ids)
	}
	if n, err := s.Prune(t.Context(), keep(day), time.Now().Add(25*time.Hour)); n != 1 || err != nil {
		t.Errorf("on the next day: %d, %v", n, err)
	}
}

// Whoever prunes may move a delivered entry before the one who delivered it does. One
// that somebody removed cannot be delivered.
func TestMovedByAnother(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	id := settled(t, s, 0, 0)
	ours := open(t, s, id)
	must.Do(t, open(t, s, id).Deliver())
	if err := ours.Deliver(); err != nil {
		t.Errorf("it is in the history already, and yet: %v", err)
	}
	if _, err := s.Open(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("Open after delivery: %v", err)
	}
	e := create(t, s)
	must.Do(t, os.RemoveAll(e.path))
	if err := e.Deliver(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an entry that is gone: %v", err)
	}
}

// Of many at once one prunes, and each entry goes once.
func TestPruneAtOnce(t *testing.T) {
	t.Parallel()
	s := openQuick(t)
	for range 20 {
		over(t, s, 40*day, 40*day)
	}
	var removed atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			n, err := s.Prune(t.Context(), keep(day), time.Now())
			if err != nil {
				t.Error(err)
			}
			removed.Add(int32(n))
		})
	}
	all.Wait()
	if ids, err := s.History(); removed.Load() != 20 || len(ids) != 0 || err != nil {
		t.Errorf("%d removed, %v left, %v", removed.Load(), ids, err)
	}
}

// What one version wrote every later one reads: testdata has an entry of each.
func TestEveryFormatIsRead(t *testing.T) {
	t.Parallel()
	for version := 1; version <= form.Version; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			s := openSpool(t)
			id := "01ARZ3NDEKTSV4RRFFQ69G5FAV"
			must.Do(t, os.CopyFS(filepath.Join(s.path, id), os.DirFS(filepath.Join("testdata", fmt.Sprintf("v%d", version)))))
			must.Do(t, os.Chmod(filepath.Join(s.path, id), 0o700))
			e := open(t, s, id)
			req, err := e.Request()
			must.Do(t, err)
			if req.Form.Dialect != "question" || len(req.Form.Questions) != 2 || req.Origin.Agent != "claude" || req.Deadline == nil {
				t.Errorf("the request is %+v", req)
			}
			r, ok, err := e.Answer()
			if !ok || err != nil || r.Outcome != form.Answered || req.Form.Check(r) != nil {
				t.Errorf("the answer is %+v, %v, %v", r, ok, err)
			}
			var draft struct{ Entries []string }
			if ok, err := e.Draft(&draft); !ok || err != nil || !slices.Equal(draft.Entries, []string{"", "half a thought"}) {
				t.Errorf("the draft is %+v, %v, %v", draft, ok, err)
			}
			if s := e.Status(); s.Viewer != "/dev/pts/3" {
				t.Errorf("popup.lock says %+v", s)
			}
		})
	}
}

// A history that is a link of the person's own to a directory of theirs is as
// good as any.
func TestLinkedHistory(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	must.Do(t, os.Symlink(t.TempDir(), filepath.Join(s.path, historyDir)))
	must.Do(t, s.noHistory())
	e := create(t, s)
	must.Do(t, saveDraft(e, map[string]string{"text": "half a word"}))
	must.Do(t, e.Settle(answered()))
	must.Do(t, e.Deliver())
	must.Do(t, e.LetGo())
	if waits, over, err := s.Scan(); len(waits)+len(over) != 0 || err != nil {
		t.Errorf("left in the spool: %v, %v, %v", waits, over, err)
	}
	if ids, err := s.History(); !slices.Equal(ids, []string{e.ID}) || err != nil {
		t.Errorf("in the history: %v, %v", ids, err)
	}
	old, err := s.Find(e.ID)
	must.Do(t, err)
	defer old.Close()
	var draft struct{ Text string }
	if r, ok, err := old.Answer(); !ok || err != nil || r.Outcome != form.Answered {
		t.Errorf("its answer: %v, %v, %v", r, ok, err)
	}
	if ok, err := old.Draft(&draft); !ok || err != nil || draft.Text != "half a word" {
		t.Errorf("its draft: %q, %v", draft, err)
	}
	if n, err := s.Prune(t.Context(), keep(time.Hour), time.Now().Add(48*time.Hour)); n != 1 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
}

// A history on another disk takes nothing: what is delivered stays in the spool, is
// handed to nobody again, and doctor says so. What the agent made of it stays known.
func TestHistoryOnAnotherDisk(t *testing.T) {
	t.Parallel()
	s, dir := openSpool(t), otherDisk(t)
	if dir == "" {
		needs.Cannot(t, "another disk", "/dev/shm is absent, or on the same disk as the tests' files")
	}
	must.Do(t, os.Symlink(dir, filepath.Join(s.path, historyDir)))
	if c := checksOf(s.path); len(c) != 2 || !strings.Contains(c[1].Detail, "on another disk") {
		t.Errorf("doctor says %+v", c)
	}
	e := create(t, s)
	must.Do(t, errors.Join(e.Settle(answered()), e.Took(Unconfirmed)))
	if err := e.Deliver(); !errors.Is(err, errOtherDisk) {
		t.Errorf("delivered: %v", err)
	}
	must.Do(t, e.LetGo())
	if ok, err := open(t, s, e.ID).TakeOver(); ok || err != nil {
		t.Errorf("taken over after that: %v, %v", ok, err)
	}
	must.Do(t, os.Remove(filepath.Join(s.path, historyDir)))
	must.Do(t, os.Mkdir(filepath.Join(s.path, historyDir), 0o700))
	if _, err := s.Prune(t.Context(), keep(0), time.Now()); err != nil || !s.has(filepath.Join(historyDir, e.ID)) {
		t.Errorf("with a history on the same disk it is not moved: %v", err)
	}
	past, err := s.Find(e.ID)
	must.Do(t, err)
	defer past.Close()
	if r, err := past.Record(); !r.Unconfirmed || err != nil {
		t.Errorf("the history says that the agent took it: %+v, %v", r, err)
	}
}

// otherDisk is a directory on another file system than the tests' own; empty
// where there is none.
func otherDisk(t *testing.T) string {
	dir := inMemory(t)
	if dir == "" {
		return ""
	}
	var here, there unix.Stat_t
	must.Do(t, errors.Join(unix.Stat(t.TempDir(), &here), unix.Stat(dir, &there)))
	if here.Dev == there.Dev {
		return ""
	}
	return dir
}

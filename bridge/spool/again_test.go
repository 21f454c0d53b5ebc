package spool

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
)

// digested makes an entry with a digest, asked at start.
func digested(t testing.TB, s *Spool, digest string, start time.Time) *Entry {
	t.Helper()
	req := request()
	req.Digest, req.Origin.Start = digest, start
	e, err := s.Create(req)
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}

const (
	one = "0123456789abcdef0123456789abcdef"
	two = "ffffffffffffffffffffffffffffffff"
)

func TestAgain(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	now := time.Now()
	finds := func(what, digest string, want ...string) {
		t.Helper()
		if ids := s.Again(digest); !slices.Equal(ids, want) {
			t.Errorf("%s: Again = %v, want %v", what, ids, want)
		}
	}
	finds("in an empty spool", one)
	older, newer := digested(t, s, one, now.Add(-time.Hour)), digested(t, s, one, now)
	digested(t, s, two, now)
	finds("two wait", one, older.ID, newer.ID)
	must.Do(t, newer.Settle(answered()))
	finds("one is answered", one, older.ID, newer.ID)
	broken := digested(t, s, one, now)
	must.Do(t, os.Remove(filepath.Join(broken.path, requestFile)))
	finds("one cannot be read", one, older.ID, newer.ID)
	must.Do(t, older.Deliver())
	must.Do(t, os.RemoveAll(newer.path))
	finds("delivered and removed", one)
}

// Entries of one digest come and go at once, and none is missing while it is there.
func TestAgainRace(t *testing.T) {
	t.Parallel()
	s := openQuick(t)
	var askers sync.WaitGroup
	for range 8 {
		askers.Go(func() {
			for range 25 {
				req := request()
				req.Digest = one
				e, err := s.Create(req)
				if err != nil {
					t.Error(err)
					return
				}
				if ids := s.Again(one); !slices.Contains(ids, e.ID) {
					t.Errorf("%s is not among %v", e.ID, ids)
				}
				if err := e.Deliver(); err != nil {
					t.Error(err)
				}
				e.Close()
			}
		})
	}
	askers.Wait()
}

func TestTakeOver(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	other := open(t, s, e.ID)
	if ok, err := other.TakeOver(); ok || err != nil {
		t.Errorf("from a living bridge: %v, %v", ok, err)
	}
	must.Do(t, e.StopWaiting())
	if ok, err := other.TakeOver(); !ok || err != nil {
		t.Fatalf("TakeOver = %v, %v", ok, err)
	}
	if e.Status().AgentGone {
		t.Error("nobody waits for what was taken over")
	}
	if ok, err := open(t, s, e.ID).TakeOver(); ok || err != nil {
		t.Errorf("twice: %v, %v", ok, err)
	}
	must.Do(t, other.StopWaiting())
	late := open(t, s, e.ID)
	must.Do(t, e.Deliver())
	if ok, err := late.TakeOver(); ok || err != nil {
		t.Errorf("what is delivered: %v, %v", ok, err)
	}
}

func TestClaim(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	if ok, err := e.lockAnswer(); ok || err != nil {
		t.Errorf("without an answer: %v, %v", ok, err)
	}
	if _, answered, _ := e.Answer(); answered {
		t.Fatal("claim has made an answer")
	}
	must.Do(t, e.Settle(answered()))
	for range 2 {
		if ok, err := e.lockAnswer(); !ok || err != nil {
			t.Errorf("claim = %v, %v", ok, err)
		}
	}
	other := open(t, s, e.ID)
	if ok, err := other.lockAnswer(); ok || err != nil {
		t.Errorf("of two: %v, %v", ok, err)
	}
	free := other.Free()
	select {
	case <-free:
		t.Error("Free while it is being handed over")
	default:
	}
	must.Do(t, e.Close())
	closed(t, "Free", free)
	if ok, err := other.lockAnswer(); !ok || err != nil {
		t.Errorf("after the first has failed: %v, %v", ok, err)
	}
	late := open(t, s, e.ID)
	must.Do(t, other.Deliver())
	must.Do(t, other.Close())
	if ok, err := late.lockAnswer(); ok || err != nil {
		t.Errorf("what is delivered: %v, %v", ok, err)
	}
}

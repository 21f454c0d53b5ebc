package bridge

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/spool"
)

// seated reports whether a popup shows forms on the viewer.
func seated(q *spool.Queue) bool {
	_, taken := q.Seat()
	return taken
}

// await polls until ok.
func (s *stage) await(what string, ok func() bool) {
	s.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(late) {
			s.Errorf("gave up waiting until %s", what)
			return
		}
	}
}

// Many ask for one viewer: one popup at a time, the oldest first, and each
// follows the one before without a pause.
func TestOneAfterTheOther(t *testing.T) {
	t.Parallel()
	const n = 8
	s := newStage(t, nil)
	var shown []string
	release := make(chan struct{})
	s.share(func(id string, p *popup, e *spool.Entry) {
		shown = append(shown, id) // one at a time, by the seat
		p.wait("the release", release)
		settle(p, e, chosen)
	})
	var calls sync.WaitGroup
	line := s.spool.Queue("stage", "viewer")
	for i := range n {
		calls.Go(func() {
			if e := askOnly(s, question(0)); e.Outcome != form.Answered {
				t.Errorf("%s ended as %s", e.ID, e.Outcome)
			}
		})
		s.await(fmt.Sprintf("%d wait", i), func() bool { return len(line.Waiting()) == i && seated(line) }) // else the next may be quicker
	}
	began := time.Now()
	close(release)
	calls.Wait()
	if len(shown) != n || !slices.IsSorted(shown) {
		t.Errorf("shown in the order %v", shown)
	}
	if took := time.Since(began); took >= machine.RetrySlowly*(n-1) {
		t.Errorf("%d followed one another in %v: by the clock, it seems", n, took)
	}
	if left := line.Waiting(); len(left) != 0 {
		t.Errorf("still in line: %v", left)
	}
}

// A popup goes on with another form: the bridge of the first has its answer at
// once, the second's bridge opens nothing.
func TestPopupGoesOn(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.bridge.closing = 2 * patience // a call that waits for the popup to close has the popup wait in vain
	second := make(chan string, 1)
	goOn, firstOver := make(chan struct{}), make(chan struct{})
	s.share(func(_ string, p *popup, e *spool.Entry) {
		p.wait("a second question", goOn)
		settle(p, e, chosen)
		id := <-second
		other, err := s.spool.Open(id)
		if err != nil {
			t.Error(err)
			return
		}
		defer other.Close()
		p.take(other)
		e.Close()
		p.wait("the first call to be over", firstOver)
		s.await("the second bridge sees its form", func() bool { return len(s.spool.Queue("stage", "viewer").Waiting()) == 0 })
		settle(p, other, chosen)
	})
	var calls sync.WaitGroup
	calls.Go(func() {
		defer close(firstOver)
		askOnly(s, question(0))
	})
	line := s.spool.Queue("stage", "viewer")
	s.await("the first popup is up", func() bool { return seated(line) })
	calls.Go(func() {
		if e := askOnly(s, question(0)); e.Outcome != form.Answered {
			t.Errorf("the second ended as %s", e.Outcome)
		}
	})
	s.await("the second waits in line", func() bool { return len(line.Waiting()) == 1 })
	second <- line.Waiting()[0]
	close(goOn)
	calls.Wait()
	if n := s.opens(); n != 1 {
		t.Errorf("%d popups were opened, want 1", n)
	}
}

// The person goes to another form and comes back: the first is put back in
// line, and its bridge waits there without opening anything.
func TestPutBackInLine(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	line := s.spool.Queue("stage", "viewer")
	s.share(func(id string, p *popup, e *spool.Entry) {
		p.wait("Shown", p.shown)
		if err := line.Rejoin(id); err != nil {
			t.Error(err)
		}
		e.Close()
		const behind = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
		s.await("its bridge has joined the line", func() bool {
			ahead, _, _, err := line.Join(behind)
			if err != nil {
				t.Error(err)
			}
			return ahead > 0
		})
		if err := line.Leave(behind); err != nil {
			t.Error(err)
		}
		again, err := s.spool.Open(id)
		if err != nil {
			t.Error(err)
			return
		}
		defer again.Close()
		p.take(again)
		settle(p, again, chosen)
	})
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if n := s.opens(); n != 1 {
		t.Errorf("%d popups were opened, want 1", n)
	}
	if left := line.Waiting(); len(left) != 0 {
		t.Errorf("still in line: %v", left)
	}
}

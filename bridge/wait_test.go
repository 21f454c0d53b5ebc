package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
)

func mustDecode(t *testing.T) form.Form {
	t.Helper()
	_, f, err := dialect.Decode("question", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A popup that ends without an answer comes back, and the second is answered.
func TestPopupComesBack(t *testing.T) {
	s := newStage(t, func(n int, p *popup, e *spool.Entry) {
		p.wait("Shown", p.shown)
		if n == 1 {
			settle(p, e, chosen)
		}
	})
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if n := s.opens(); n != 2 {
		t.Errorf("%d popups were opened, want 2", n)
	}
	if gap := s.opened[1].Sub(s.opened[0]); gap < machine.Retry {
		t.Errorf("a popup that went away at once is back after %v: it flickers", gap)
	}
	if s.raised != 1 {
		t.Errorf("%d alerts were raised, want 1", s.raised)
	}
}

// A form that the person put aside waits until they open it themselves, and is
// up again then; a popup that goes away after that comes back.
func TestPutAside(t *testing.T) {
	var s *stage
	s = newStage(t, func(n int, p *popup, e *spool.Entry) {
		if n > 0 {
			settle(p, e, chosen)
			return
		}
		p.wait("Shown", p.shown)
		if err := e.PutAside("viewer", ""); err != nil {
			t.Error(err)
		}
		mine, err := s.spool.Open(p.id)
		if err != nil {
			t.Error(err)
			return
		}
		s.popups.Go(func() {
			defer mine.Close()
			p.wait("the first popup to go", mine.PopupGone())
			quiet := time.After(2 * machine.Retry)
			<-quiet // as long as an unwanted popup would have taken
			if n := s.opens(); n != 1 {
				t.Errorf("%d popups were opened, want 1", n)
			}
			byHand := &popup{stage: s, id: p.id, viewer: "by hand"}
			byHand.run(func(e *spool.Entry) {
				if e.Status().Aside {
					t.Error("it is still put aside")
				}
			})
		})
	})
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if n := s.opens(); n != 2 {
		t.Errorf("%d popups were opened, want 2", n)
	}
}

// A viewer that shows something else: Open returns, and nothing comes up.
func TestBusyViewer(t *testing.T) {
	s := newStage(t, nil)
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, n := s.opening(id, v)
		if n == 1 {
			s.popups.Go(func() {
				defer p.end()
				p.run(func(e *spool.Entry) { settle(p, e, chosen) })
			})
		}
		return p, nil // the first stays, as a popup does that waits behind a menu
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if gap := s.opened[1].Sub(s.opened[0]); gap < machine.StartLimit {
		t.Errorf("the second attempt came after %v: the first had no time to come up", gap)
	}
	select {
	case <-s.openers[0].abandoned:
	default:
		t.Error("the first was not given up")
	}
}

// Two askers, one viewer: the second popup comes as soon as the first is gone,
// not by the clock.
func TestWaitsForOurOwnPopup(t *testing.T) {
	s := newStage(t, nil)
	release := make(chan struct{})
	var freed time.Time
	s.share(func(_ string, p *popup, e *spool.Entry) {
		p.wait("release", release)
		settle(p, e, chosen)
		if freed.IsZero() { // one at a time, by the seat
			freed = time.Now()
		}
	})
	var calls sync.WaitGroup
	line := s.spool.Queue("stage", "viewer")
	for n := range 2 {
		calls.Go(func() { s.is(askOnly(s, question(0)), form.Answered, "Q1: user selected: 1. Ex", false) })
		s.await("it is asked", func() bool { return seated(line) && len(line.Waiting()) == n })
	}
	close(release)
	calls.Wait()
	if gap := s.opened[1].Sub(freed); gap > machine.Retry/2 {
		t.Errorf("the second popup came %v after the viewer was free", gap)
	}
}

// Nobody attached: the question waits, and is put up once somebody is there.
func TestViewerComesLater(t *testing.T) {
	s := newStage(t, answers)
	there := s.viewer
	s.viewer = func() (host.Viewer, error) {
		if s.looks < 3 {
			return host.Viewer{}, host.ErrNoViewer
		}
		if s.raised != 1 {
			t.Errorf("%d alerts while nobody was there, want 1", s.raised)
		}
		return there()
	}
	got := s.ask(t.Context(), question(0))
	s.is(got, form.Answered, "Q1: user selected: 1. Ex", false)
	if e, err := s.spool.Find(got.ID); err != nil || e.Status().Unattended {
		t.Errorf("it says that nobody is there; %v", err)
	}
	if w := s.warnings(); len(w) != 1 || w[0] != "the question waits: no viewer: nobody is attached" {
		t.Errorf("the asker is told once that nobody is attached, but: %q", w)
	}
}

// However many questions wait for a viewer, their host is asked once a second.
func TestOneLooksForAll(t *testing.T) {
	const n, seconds = 50, 3
	s := newStage(t, nil)
	s.viewer = func() (host.Viewer, error) { return host.Viewer{}, host.ErrNoViewer }
	s.bridge.Find = func(context.Context) (host.Host, error) { return paned{s}, nil }
	var calls sync.WaitGroup
	for i := range n {
		q := question(seconds * time.Second)
		q.Raw = fmt.Appendf(nil, `{"questions":[{"id":"a","prompt":"%d?","options":[{"value":"x","label":"Ex"}]}]}`, i)
		calls.Go(func() {
			if got := askOnly(s, q); got.Outcome != form.Timeout {
				t.Errorf("got %+v", got)
			}
		})
	}
	calls.Wait()
	if s.looks > 2*seconds { // the first looks may be apart
		t.Errorf("the host was asked %d times in %d s", s.looks, seconds)
	}
}

// paned is a stage whose asking pane is known.
type paned struct{ *stage }

func (paned) Asker() (words, ref string) { return "left", "%1" }

func TestNobodyComes(t *testing.T) {
	s := newStage(t, nil)
	s.settings.HostWaitSeconds = 1
	s.viewer = func() (host.Viewer, error) { return host.Viewer{}, host.ErrNoViewer }
	got := s.ask(t.Context(), question(0))
	s.is(got, form.Unavailable, "Error: UI not available: no viewer: nobody is attached", true)
	if r := s.history(got.ID); r.Outcome != form.Unavailable || r.Reason == "" {
		t.Errorf("the history says %+v", r)
	}
}

// A host that fails is said once, however often it is tried, and the question waits.
func TestHostFails(t *testing.T) {
	s := newStage(t, nil)
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		s.opening(id, v)
		return nil, errors.New("height too large")
	}
	s.is(s.ask(t.Context(), question(2500*time.Millisecond)), form.Timeout, "No answer before the deadline (2.5 s)", false)
	if n := s.opens(); n < 2 || n > 4 {
		t.Errorf("the host was asked %d times in 2.5 s, want about 3", n)
	}
	if w := s.warnings(); len(w) != 1 || w[0] != "height too large" {
		t.Errorf("warnings: %q", w)
	}
}

// A popup may be up before Open has returned, on a busy machine. It is up all
// the same, and must not be taken for one that never came.
func TestUpBeforeOpenReturns(t *testing.T) {
	s := newStage(t, nil)
	up := make(chan struct{})
	s.raise = sync.OnceFunc(func() { close(up) }) // the bridge does when it has seen the popup
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, _ := s.opening(id, v)
		s.popups.Go(func() {
			defer p.end()
			p.run(func(e *spool.Entry) {
				select {
				case <-p.abandoned:
					p.Error("the popup was abandoned while it was up")
				case <-time.After(machine.StartLimit + 500*time.Millisecond):
				}
				select {
				case <-p.shown: // or else tmux may have it up and not painted
				default:
					p.Error("the host was never told that the popup is up")
				}
				settle(p, e, chosen)
			})
		})
		p.wait("the bridge to see the popup", up)
		return p, nil
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if n := s.opens(); n != 1 {
		t.Errorf("%d popups were opened, want 1", n)
	}
}

// Alerts are raised when the host has had its time to paint the form.
func TestAlertsLeaveTheHostToPaint(t *testing.T) {
	raised := make(chan struct{})
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		p.wait("the alerts", raised)
		settle(p, e, chosen)
	})
	var at time.Time
	s.raise = func() {
		at = time.Now()
		close(raised)
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if after := at.Sub(s.opened[0]); after < machine.Painting {
		t.Errorf("alerts %v after the popup was opened; want %v from when it is up", after, machine.Painting)
	}
}

// The bridge says what happened to an entry that somebody removed.
func TestEntryRemoved(t *testing.T) {
	s := newStage(t, nil)
	go func() {
		id := <-s.ids
		if err := os.RemoveAll(s.dir + "/" + id); err != nil {
			t.Error(err)
		}
	}()
	err := s.bridge.Ask(t.Context(), question(patience), func(e Envelope) error {
		t.Errorf("was delivered as %+v", e)
		return nil
	})
	if err == nil {
		t.Error("Ask says nothing")
	}
}

// A popup that closes when the bridge is gone, as the real one does, does not
// hold up the result of a question that has ended elsewhere.
func TestTimeoutReturnsAtOnce(t *testing.T) {
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) { p.wait("the bridge's end", e.AgentGone()) })
	var took time.Duration
	q := question(time.Second)
	err := s.bridge.Ask(t.Context(), q, func(e Envelope) error {
		took = time.Since(q.Origin.Start)
		s.is(e, form.Timeout, "No answer before the deadline (1 s)", false)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if took > 1500*time.Millisecond {
		t.Errorf("a deadline of 1 s was reported after %v", took)
	}
}

// The answer has been handed over; that the entry cannot be moved to the
// history any more is no failure of the question.
func TestHistoryCannotBeWritten(t *testing.T) {
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) { settle(p, e, chosen) })
	if err := os.WriteFile(filepath.Join(s.dir, "history"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if w := s.warnings(); len(w) != 1 || !strings.Contains(w[0], "deliver") {
		t.Errorf("warnings %q", w)
	}
}

// A borrowed terminal on which no form comes up is no place to ask.
func TestFormCannotStart(t *testing.T) {
	s := newStage(t, nil)
	s.bridge.Find = func(context.Context) (host.Host, error) { return borrowed{s}, nil }
	e := s.ask(t.Context(), question(0))
	if e.Outcome != form.Unavailable || !e.IsError || s.opens() != machine.BorrowedStarts {
		t.Errorf("%s after %d popups: %s", e.Outcome, s.opens(), e.Text)
	}
}

// The result does not wait for the popup to close.
func TestResultBeforeThePopupCloses(t *testing.T) {
	delivered := make(chan struct{})
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		settle(p, e, chosen)
		p.wait("the result", delivered)
	})
	err := s.bridge.Ask(t.Context(), question(0), func(Envelope) error {
		close(delivered)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// On the asker's own terminal it does: the result is printed there.
func TestTerminalIsGivenBack(t *testing.T) {
	var closed atomic.Bool
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		settle(p, e, chosen)
		p.wait("the bridge to let go", e.AgentGone())
		closed.Store(true)
	})
	s.bridge.Find = func(context.Context) (host.Host, error) { return borrowed{s}, nil }
	err := s.bridge.Ask(t.Context(), question(0), func(Envelope) error {
		if !closed.Load() {
			t.Error("the result came while the form had the terminal")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

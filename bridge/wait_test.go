package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
)

// decoded is the form of a question.
func decoded(t *testing.T, q Question) form.Form {
	t.Helper()
	_, f, err := dialect.Decode(q.Dialect, q.Raw)
	must.Do(t, err)
	return f
}

// A form that the person put aside waits until they open it themselves. Its
// bridge is seen to know that it was put aside by its giving the first popup up.
func TestPutAside(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, _ := s.opening(id, v)
		s.popups.Go(func() {
			defer p.end()
			p.run(func(e *spool.Entry) {
				p.wait("Shown", p.shown)
				typed := 0 // ten times: what the popup wrote as it came up may be told two or three times, or not at all
				p.await("the host is told of what is typed", func() bool {
					typed++
					if err := e.UpdateDraft(new(json.RawMessage), func(bool) (any, error) { return typed, nil }); err != nil {
						t.Error(err)
					}
					return p.redrawn.Load() >= 10
				})
				if err := e.PutAside("viewer", ""); err != nil {
					t.Error(err)
				}
			})
			p.wait("the bridge to give the first popup up", p.abandoned)
			p.wait("the host to leave it alone", p.released)
			byHand := &popup{stage: s, id: p.id, viewer: "by hand"}
			byHand.run(func(e *spool.Entry) {
				if e.Status().Aside {
					t.Error("it is still put aside")
				}
				settle(p, e, chosen)
			})
		})
		return p, nil
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if n := s.opens(); n != 1 {
		t.Errorf("%d popups were opened, want 1", n)
	}
}

// Nobody attached: the question waits, and is put up once somebody is there.
func TestViewerComesLater(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		p.await("it says no more that nobody is there", func() bool { return !e.Status().Unattended })
		settle(p, e, chosen)
	})
	there := s.viewer
	s.viewer = func() (host.Viewer, error) {
		if s.looks < 2 {
			return host.Viewer{}, host.ErrNoViewer
		}
		if s.raised != 1 {
			t.Errorf("%d alerts while nobody was there, want 1", s.raised)
		}
		return there()
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if w := s.warnings(); len(w) != 1 || w[0] != "the question waits: no viewer: nobody is attached" {
		t.Errorf("the asker is told once that nobody is attached, but: %q", w)
	}
}

// A host that fails is said once, however often it is tried, and the question waits.
func TestHostFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	open := s.open
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		if s.opens() == 2 {
			return open(id, v)
		}
		s.opening(id, v)
		return nil, errors.New("height too large")
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if w := s.warnings(); len(w) != 1 || w[0] != "height too large" {
		t.Errorf("warnings: %q", w)
	}
}

// A popup may be up before Open has returned, on a busy machine. It is up all
// the same, and must not be taken for one that never came.
func TestUpBeforeOpenReturns(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	up := make(chan struct{})
	s.raise = sync.OnceFunc(func() { close(up) }) // the bridge does when it has seen the popup
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, _ := s.opening(id, v)
		s.popups.Go(func() {
			defer p.end()
			p.run(func(e *spool.Entry) {
				p.wait("the host to be told that the popup is up", p.shown) // or else tmux may have it up and not painted
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

// On a busy machine a popup may be up late. No other is opened beside it, and the host
// still sees to it.
func TestSlowPopup(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	late := make(chan struct{})
	s.raise = sync.OnceFunc(func() { close(late) }) // as soon as it is not up in time
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, _ := s.opening(id, v)
		s.popups.Go(func() {
			defer p.end()
			p.wait("the popup to be late", late)
			p.run(func(e *spool.Entry) {
				p.wait("the host to be told that the popup is up", p.shown)
				settle(p, e, chosen)
			})
		})
		return p, nil
	}
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if n := s.opens(); n != 1 {
		t.Errorf("%d popups were opened, want 1", n)
	}
}

// The bridge says what happened to an entry that somebody removed.
func TestEntryRemoved(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	go func() {
		id := <-s.ids
		if err := os.RemoveAll(s.dir + "/" + id); err != nil {
			t.Error(err)
		}
	}()
	if s.undelivered(t.Context(), question(patience)) == nil {
		t.Error("Ask says nothing")
	}
}

// On the asker's own terminal it does: the result is printed there.
func TestTerminalIsGivenBack(t *testing.T) {
	t.Parallel()
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

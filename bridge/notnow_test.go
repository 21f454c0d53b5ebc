package bridge

import (
	"context"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// notNow makes a stage whose first Open says that it is not the moment.
func notNow(t *testing.T, said NotNow, show func(*popup, *spool.Entry)) (s *stage, refused *time.Time) {
	s = newStage(t, func(_ int, p *popup, e *spool.Entry) { show(p, e) })
	refused = new(time.Time)
	place := s.bridge.Place
	s.bridge.Place = func(ctx context.Context) (Place, error) {
		p, err := place(ctx)
		open := p.Open
		p.Open = func(ctx context.Context, id string) (Opening, error) {
			if refused.IsZero() {
				*refused = time.Now()
				s.ids <- id
				return nil, said
			}
			return open(ctx, id)
		}
		return p, err
	}
	return s, refused
}

func answers(p *popup, e *spool.Entry) { settle(p, e, chosen) }

// Not at this moment: the alerts are raised, nobody is warned, and the host is
// asked again when it has said so, and never sooner than lookAgain.
func TestNotNow(t *testing.T) {
	for _, c := range []struct {
		name         string
		after, least time.Duration
	}{
		{"soon", time.Millisecond, lookAgain},
		{"later", 1500 * time.Millisecond, 1500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, refused := notNow(t, NotNow{After: c.after}, answers)
			s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
			if gap := s.opened[0].Sub(*refused); gap < c.least || gap > c.least+lookAgain {
				t.Errorf("the host was asked again after %v, want %v", gap, c.least)
			}
			if w := s.warnings(); len(w) != 0 || s.raised != 1 {
				t.Errorf("%d alerts, warnings %q", s.raised, w)
			}
		})
	}
}

// Never by itself, but when what it waits for has happened.
func TestNotNowWakes(t *testing.T) {
	wake := make(chan struct{})
	s, _ := notNow(t, NotNow{Wake: wake}, answers)
	go func() {
		<-s.ids
		close(wake)
	}()
	start := time.Now()
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if took := time.Since(start); took >= lookAgain {
		t.Errorf("it was asked again after %v", took)
	}
}

// Nothing opens by itself: the form that the person opens is seen all the same,
// and when it goes away the host is not pressed.
func TestOpenedByHand(t *testing.T) {
	s := newStage(t, nil)
	refused := make(chan struct{}, 100)
	s.bridge.Place = func(context.Context) (Place, error) {
		return Place{Name: "stage", Alert: s.alert, Open: func(_ context.Context, id string) (Opening, error) {
			refused <- struct{}{}
			if len(s.ids) == 0 {
				s.ids <- id
			}
			return nil, NotNow{}
		}}, nil
	}
	s.popups.Go(func() {
		id := <-s.ids
		byHand := func(work func(*popup, *spool.Entry)) {
			p := &popup{stage: s, id: id}
			p.run(func(e *spool.Entry) { work(p, e) })
		}
		<-refused
		byHand(func(p *popup, _ *spool.Entry) {
			for late := time.Now().Add(patience); ; { // until the bridge has seen it
				s.mu.Lock()
				raised := s.raised
				s.mu.Unlock()
				if raised == 1 || time.Now().After(late) {
					return
				}
			}
		})
		byHand(answers)
	})
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if s.raised != 1 {
		t.Errorf("%d alerts", s.raised)
	}
}

// A deadline ends the question in either case.
func TestNotNowUntilTheDeadline(t *testing.T) {
	s, _ := notNow(t, NotNow{}, answers)
	s.is(s.ask(t.Context(), question(300*time.Millisecond)), form.Timeout, "No answer before the deadline (0.3 s)", false)
	if n := s.opens(); n != 0 {
		t.Errorf("%d popups were opened", n)
	}
}

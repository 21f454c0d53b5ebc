package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
)

func TestAnswered(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		req, err := e.Request()
		if err != nil || req.Origin.Host != "stage" || req.Origin.Pane != "left" || req.Origin.Agent != "test" || string(req.Raw) != raw {
			p.Errorf("the popup reads %+v, %v", req, err)
		}
		p.wait("Shown", p.shown)
		settle(p, e, chosen)
	})
	got := s.ask(t.Context(), question(0))
	s.is(got, form.Answered, "Q1: user selected: 1. Ex", false)
	want := `{"questions":[{"id":"a","label":"Q1","prompt":"A?","options":[{"value":"x","label":"Ex"}]}],` +
		`"answers":[{"id":"a","value":"x","label":"Ex","wasCustom":false,"index":1}],"cancelled":false}`
	if string(got.Details) != want {
		t.Errorf("details\n%s\nwant\n%s", got.Details, want)
	}
	if r := s.history(got.ID); r.By != "popup" {
		t.Errorf("the history's answer is by %q", r.By)
	}
	if w := s.warnings(); len(w) != 0 {
		t.Errorf("warnings: %q", w)
	}
}

// untilOver is a popup whose person does nothing: it closes when somebody else
// has ended the question.
func untilOver(_ int, p *popup, e *spool.Entry) {
	w := e.Watch()
	defer w.Stop()
	late := time.After(patience)
	for {
		if _, ok, err := e.Answer(); ok || err != nil {
			return
		}
		select {
		case <-w.Changed:
		case <-late:
			p.Error("the question never ended")
			return
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	s := newStage(t, untilOver)
	started := time.Now()
	got := s.ask(t.Context(), question(500*time.Millisecond))
	s.is(got, form.Timeout, "No answer before the deadline (0.5 s)", false)
	if took := time.Since(started); took < 500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if r := s.history(got.ID); r.By != "bridge" || len(r.Answers) != 0 {
		t.Errorf("the history says %+v", r)
	}
}

func TestAborted(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open := s.open
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		defer cancel()
		return open(id, v)
	}
	got := s.ask(ctx, question(0))
	s.is(got, form.Aborted, "Error: the question was withdrawn before it was answered", true)
	if r := s.history(got.ID); r.Outcome != form.Aborted {
		t.Errorf("the history says %+v", r)
	}
}

func TestNoPlace(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.bridge.Find = func(context.Context) (host.Host, error) { return nil, errors.New("no terminal here") }
	got := s.ask(t.Context(), question(0))
	s.is(got, form.Unavailable, "Error: UI not available: no terminal here", true)
	s.empty()
}

// The form that a session has open may have the only place: its second is told of the form. Who
// is told that there is no place may ask again at once.
func TestNoPlaceBesideAForm(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.bridge.Find = func(context.Context) (host.Host, error) { return nil, errors.New("the terminal is in use") }
	q := question(0)
	q.Dialect, q.Raw = "ask_user", []byte(`{"questions": [{"id": "a", "type": "text", "header": "H", "prompt": "P?"}]}`)
	over, _ := s.spool.TakeTurn(q.Origin.PID)
	s.is(s.ask(t.Context(), q), form.Rejected, "Error: "+dialect.ErrInFlight.Error(), true)
	over()
	must.Do(t, s.bridge.Ask(t.Context(), q, func(e Envelope) error {
		s.is(e, form.Unavailable, "Error: UI not available: the terminal is in use", true)
		over, taken := s.spool.TakeTurn(q.Origin.PID)
		if over(); taken != nil {
			t.Error("the turn is not free")
		}
		return nil
	}))
}

// A spool that takes no question is no place to ask: nothing opens, and no alert is raised.
func TestSpoolTakesNoQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	must.Do(t, os.Remove(s.dir))
	got := s.ask(t.Context(), question(0))
	if got.ID != "" || got.Outcome != form.Unavailable || !strings.HasPrefix(got.Text, "Error: UI not available: the spool "+s.dir+" cannot be written: ") ||
		!strings.Contains(got.Text, "set ASKPANE_SPOOL to another directory of your own") {
		t.Errorf("got %+v", got)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened+s.raised > 0 {
		t.Errorf("%d popups were opened, and %d alerts raised", s.opened, s.raised)
	}
}

func TestRejected(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	q := question(0)
	q.Raw = []byte(`{"questions":[]}`)
	s.is(s.ask(t.Context(), q), form.Rejected, "Error: No questions provided", true)
	s.empty()
	if n := s.opens(); n != 0 {
		t.Errorf("%d popups were opened", n)
	}
}

// empty checks that nothing is left in the spool, not even a history.
func (s *stage) empty() {
	s.Helper()
	if names, err := os.ReadDir(s.dir); err != nil || len(names) != 0 {
		s.Errorf("left in the spool: %v, %v", names, err)
	}
}

func TestDeliveryFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	var id string
	err := s.bridge.Ask(t.Context(), question(0), func(e Envelope) error {
		id = e.ID
		return errors.New("broken pipe")
	})
	if want := fmt.Sprintf("the answer to %s could not be handed over and stays in the spool: broken pipe", id); err == nil || err.Error() != want {
		t.Errorf("Ask: %v, want %s", err, want)
	}
	e, err := s.spool.Open(id)
	must.Do(t, err)
	defer e.Close()
	if r, ok, err := e.Answer(); !ok || err != nil || r.Outcome != form.Answered {
		t.Errorf("the answer that stays: %+v, %v, %v", r, ok, err)
	}
	if !e.Status().AgentGone {
		t.Error("the bridge's lock is still held")
	}
}

// An answer given in the instant of the deadline goes before the deadline.
func TestAnswerBeatsTheDeadline(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	e, err := s.spool.Create(s.request())
	must.Do(t, err)
	defer e.Close()
	theirs := chosen
	theirs.By, theirs.At = "popup", time.Now()
	must.Do(t, e.Settle(theirs))
	w := &waiting{call: &call{Bridge: &s.bridge, entry: e, req: spool.Request{Form: decoded(t, question(0))}}}
	for _, o := range []form.Outcome{form.Timeout, form.Aborted, form.Unavailable} {
		r, err := w.settle(form.Result{Outcome: o})
		if err != nil || r.Outcome != form.Answered || r.By != "popup" || len(r.Answers) != 1 {
			t.Errorf("settle as %s = %+v, %v", o, r, err)
		}
	}
}

// An answer that the form would not take is not handed to the agent.
func TestAnswerThatDoesNotFit(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		settle(p, e, form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(7)}})
	})
	err := s.undelivered(t.Context(), question(0))
	if err == nil || !strings.Contains(err.Error(), `the answer to "a" is option 8, but there are 1`) {
		t.Errorf("Ask: %v", err)
	}
}

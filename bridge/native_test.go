package bridge

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
)

// native is a question that an agent asks with its own tool.
func native(where string) Question {
	q := question(0)
	q.Keep = always
	q.Origin.Agent, q.Origin.Native = "claude", where
	return q
}

// The agent's own dialog ends a question, even one that would be kept.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	open := s.open
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		defer cancel(ErrElsewhere)
		return open(id, v)
	}
	got := s.ask(ctx, native(spool.Beside))
	s.is(got, form.Elsewhere, "Answered in the agent itself.", false)
	if r := s.history(got.ID); r.Outcome != form.Elsewhere || r.By != form.ByBridge {
		t.Errorf("the history says %+v", r)
	}
}

// So it does while a host is looked for, when nothing is in the spool yet.
func TestElsewhereAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.bridge.Find = func(context.Context) (host.Host, error) {
		cancel(ErrElsewhere)
		return nil, context.Canceled
	}
	s.is(s.ask(ctx, native(spool.Beside)), form.Elsewhere, "Answered in the agent itself.", false)
	s.empty()
}

// What the agent makes of an answer that it was handed is kept with that, and is no failure.
func TestTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said        error
		outcome     form.Outcome
		unconfirmed bool
		late        bool
	}{
		"confirmed":   {nil, form.Answered, false, false},
		"unconfirmed": {ErrUnconfirmed, form.Answered, true, false},
		"outrun":      {ErrOutrun, form.Elsewhere, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, answers)
			var id string
			must.Do(t, s.bridge.Ask(t.Context(), native(spool.Beside), func(e Envelope) error {
				id = e.ID
				return c.said
			}))
			e, err := s.spool.Find(id)
			must.Do(t, err)
			defer e.Close()
			r, err := e.Record()
			must.Do(t, err)
			if !r.Status.Delivered || r.Result.Outcome != c.outcome || r.Unconfirmed != c.unconfirmed || (r.Late != nil) != c.late {
				t.Errorf("the history says %+v of %+v, %+v", r, r.Result, r.Late)
			}
			if c.late && (len(r.Late.Answers) == 0 || r.Verdict != "answered in Claude Code itself") {
				t.Errorf("our answer is %+v, %q", r.Late, r.Verdict)
			}
		})
	}
}

// An answer to a native question goes to no other call; its form, with what was typed there, may
// be taken over.
func TestNativeIsNotRecovered(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) { settle(p, e, chosen) })
	e := s.left(native(spool.Beside), chosen, time.Minute)
	if got := askOnly(s, native(spool.Beside)); got.Recovered || got.ID == e.ID {
		t.Errorf("got %+v, which %s was", got, e.ID)
	}
	waits := s.unasked(native(spool.Serial))
	if got := askOnly(s, native(spool.Serial)); !got.Recovered || got.ID != waits.ID {
		t.Errorf("got %+v, and %s waits still", got, waits.ID)
	}
}

// Each of an agent's own questions may be left open; of a server's form its schema says which.
func TestNativeLeftOpen(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"questions":[{"question":"Which?","options":[{"label":"A"}]},{"question":"Who?","options":[]}]}`:                true,
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}}`: false,
	} {
		c := call{Bridge: &newStage(t, nil).bridge, question: native(spool.Serial)}
		c.question.Dialect, c.question.Raw = "", []byte(raw)
		must.Do(t, c.decode())
		if q := c.req.Form.Questions; q[0].Optional != want || !q[1].Optional {
			t.Errorf("%s: %+v", raw, q)
		}
	}
}

// A question that is handed back when nobody waits for it is over.
func TestHandedBackToNobody(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	e := s.unasked(native(spool.Serial))
	must.Do(t, e.Settle(form.Result{Outcome: form.Elsewhere, By: form.ByPopup, At: time.Now()}))
	if r := s.history(e.ID); !r.Dismissed {
		t.Errorf("it is %+v", r)
	}
	if _, err := s.collect(e.ID, false); err != nil && !errors.Is(err, ErrDelivered) {
		t.Error(err)
	}
}

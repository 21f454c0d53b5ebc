package bridge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
)

// unasked is q's question, which no call waits for any more.
func (s *stage) unasked(q Question) *spool.Entry {
	s.Helper()
	return s.orphan(func(r *spool.Request) { r.Form, r.Raw, r.Origin = decoded(s.T, q), q.Raw, q.Origin })
}

// left leaves q's question in the spool as a bridge does that was killed, with
// the answer r, which is so old.
func (s *stage) left(q Question, r form.Result, age time.Duration) *spool.Entry {
	s.Helper()
	e := s.unasked(q)
	r.By, r.At = form.ByPopup, time.Now().Add(-age)
	must.Do(s, e.Settle(r))
	return e
}

// An answer that no call got goes to the same question asked again while it is
// young, and never where the question is dangerous or secret; by its id it is
// there for whoever holds a receipt.
func TestRecover(t *testing.T) {
	t.Parallel()
	shape := func(name, raw string) Question {
		q := question(0)
		q.Dialect, q.Raw = name, []byte(raw)
		return q
	}
	typed := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("hunter2")}}
	for name, c := range map[string]struct {
		q     Question
		r     form.Result
		age   time.Duration
		limit time.Duration
		want  bool
	}{
		"young":                          {question(0), chosen, 59 * time.Minute, time.Hour, true},
		"old":                            {question(0), chosen, 2 * time.Hour, time.Hour, false},
		"from a clock that was put back": {question(0), chosen, -72 * time.Hour, time.Hour, true},
		"switched off":                   {question(0), chosen, 0, 0, false},
		"dangerous": {shape("AskUserQuestion", `{"questions":[{"header":"Drop","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`),
			typed, 0, time.Hour, false},
		"secret": {shape("ask_user", `{"questions":[{"type":"text","id":"p","header":"Password","prompt":"Password?","secret":true}]}`),
			typed, 0, time.Hour, false},
		"a decline with its reason": {question(0), form.Result{Outcome: form.Cancelled, Reason: "not today"}, 0, time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, func(_ int, p *popup, e *spool.Entry) { settle(p, e, c.r) })
			s.settings.RecoverMinutes = int(c.limit / time.Minute)
			e := s.left(c.q, c.r, c.age)
			got := askOnly(s, c.q)
			if got.Recovered != c.want || (got.ID == e.ID) != c.want || (got.Note != "") != c.want {
				t.Fatalf("recovered %v, note %q, id %s of %s", got.Recovered, got.Note, got.ID, e.ID)
			}
			if c.want {
				return
			}
			if got, err := s.collect(e.ID, false); err != nil || got.Outcome != form.Answered {
				t.Errorf("by its id: %+v, %v", got, err)
			}
		})
	}
}

// Of two answers to the same question a session gets its own.
func TestRecoverOwnSessionFirst(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	said := func(session, text string) *spool.Entry {
		q := question(0)
		q.Origin.Session = session
		return s.left(q, form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type(text)}}, 0)
	}
	said("one", "first")
	said("two", "second")
	q := question(0)
	q.Origin.Session = "two"
	if got := askOnly(s, q); got.Text != "Q1: user wrote: second" {
		t.Errorf("session two got %q", got.Text)
	}
	if got := askOnly(s, q); got.Text != "Q1: user wrote: first" {
		t.Errorf("and then %q", got.Text)
	}
}

// A cancel that no call waits for dismisses the form: nobody gets it for an answer.
func TestDismissal(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	e := s.left(question(0), form.Result{Outcome: form.Cancelled}, 0)
	if r := s.history(e.ID); r.Outcome != form.Cancelled {
		t.Errorf("in the history it is %s", r.Outcome)
	}
	if got := askOnly(s, question(0)); got.Outcome != form.Answered || got.Recovered {
		t.Errorf("asked again: %+v", got)
	}
	// Whoever holds a receipt for it, from a server that has died, is told.
	if got, err := s.collect(e.ID, true); err != nil || got.Outcome != form.Cancelled || got.ID != e.ID {
		t.Errorf("collected: %+v, %v", got, err)
	}
}

// A lock that is none of ours (a backup by hard links, say) keeps nobody from
// dismissing the form.
func TestDismissalWithAForeignLock(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	e := s.orphan(nil)
	lock := filepath.Join(s.dir, e.ID, "bridge.lock")
	must.Do(t, os.Link(lock, filepath.Join(t.TempDir(), "backup")))
	s.says(e, form.Result{Outcome: form.Cancelled}, form.ByPopup)
	if r := s.history(e.ID); r.Outcome != form.Cancelled {
		t.Errorf("in the history it is %s", r.Outcome)
	}
}

// The rules of recovery hold for an answer that is given while the question is
// being taken over: a dangerous one is not claimed.
func TestAnsweredWhileTakenOver(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) { settle(p, e, form.Result{Outcome: form.Cancelled}) })
	q := question(0)
	q.Dialect, q.Raw = "AskUserQuestion", []byte(`{"questions":[{"header":"Drop","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`)
	e := s.unasked(q)
	req, err := e.Request()
	must.Do(t, err)
	if how, err := s.bridge.fits(e, req.Digest, q.Origin); how == unfit || err != nil {
		t.Fatalf("open, it does not fit: %v", err)
	}
	s.says(e, form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("it")}}, form.ByPopup)
	if s.bridge.takeOver(e, req.Digest, q.Origin) {
		t.Error("it is taken over")
	}
}

// Where the history takes nothing, which is said and no failure of the question, an
// answer is handed over once all the same, and moved as soon as there is a history.
func TestHandedOverOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	history := filepath.Join(s.dir, "history")
	must.Do(t, os.WriteFile(history, nil, 0o600))
	first := askOnly(s, question(0))
	if w := s.warnings(); len(w) != 1 || !strings.Contains(w[0], "deliver") {
		t.Errorf("warnings %q", w)
	}
	second := askOnly(s, question(0))
	if s.opens() != 2 || first.ID == second.ID || second.Recovered || second.Outcome != form.Answered {
		t.Errorf("asked %d times: %+v, %+v", s.opens(), first, second)
	}
	if got, err := s.collect(first.ID, true); !errors.Is(err, ErrDelivered) {
		t.Errorf("collected: %+v, %v", got, err)
	}
	e, err := s.spool.Open(first.ID)
	if err != nil || e.Status().State() != "delivered" {
		t.Fatalf("%v, %v", e, err)
	}
	e.Close()
	must.Do(t, os.Remove(history))
	third := askOnly(s, question(0))
	if _, err := s.spool.Prune(t.Context(), func() time.Duration { return 0 }, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, e := range []Envelope{first, second, third} {
		s.history(e.ID)
	}
}

// Who is interrupted while the host is looked for was not told that there is none, and
// what an earlier call has left is taken back.
func TestInterruptedWhileItLooks(t *testing.T) {
	t.Parallel()
	for _, orphan := range []bool{false, true} {
		s := newStage(t, nil)
		if orphan {
			s.orphan(nil)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s.bridge.Find = func(ctx context.Context) (host.Host, error) {
			cancel()
			return nil, ctx.Err()
		}
		got := s.ask(ctx, question(0))
		if got.Outcome != form.Aborted {
			t.Errorf("taken over %t: got %+v", orphan, got)
		}
		if orphan && s.history(got.ID).Outcome != form.Aborted {
			t.Error("the question waits on")
		}
	}
}

// Where there is no host any more, a question that was asked before stays open, and the
// caller gets its id.
func TestAskedAgainNowhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	e := s.orphan(nil)
	s.bridge.Find = func(context.Context) (host.Host, error) { return nil, errors.New("no terminal here") }
	if got := s.ask(t.Context(), question(0)); got.Outcome != form.Unavailable || got.ID != e.ID || got.Note != "" || got.Recoverable {
		t.Errorf("got %+v, want the id %s, and nothing of an answer", got, e.ID)
	}
	if status := e.Status(); status.Over() || !status.AgentGone {
		t.Errorf("the question is %+v", status)
	}
}

// The person answers while the same question, asked again, finds no host: that call gets the
// answer. Given just after the call was told that there is no host, it stays for the next.
func TestAnsweredWhileNoHostIsFound(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	nowhere := errors.New("no terminal here")
	e := s.orphan(nil)
	s.bridge.Find = func(context.Context) (host.Host, error) {
		s.says(e, chosen, form.ByAnswer)
		return nil, nowhere
	}
	if got := s.ask(t.Context(), question(0)); got.Outcome != form.Answered || got.ID != e.ID {
		t.Errorf("answered meanwhile: %+v", got)
	}
	s.history(e.ID)

	e = s.orphan(nil)
	s.bridge.Find = func(context.Context) (host.Host, error) { return nil, nowhere }
	err := s.bridge.Ask(t.Context(), question(0), func(got Envelope) error {
		if s.says(e, chosen, form.ByAnswer); got.Outcome != form.Unavailable {
			t.Errorf("got %+v", got)
		}
		return nil
	})
	must.Do(t, err)
	if got := s.ask(t.Context(), question(0)); got.Outcome != form.Answered || got.ID != e.ID {
		t.Errorf("answered just after: %+v", got)
	}
}

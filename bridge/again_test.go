package bridge

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// request is what the call of question writes.
func (s *stage) request() spool.Request {
	s.Helper()
	q := question(0)
	c := call{question: q, req: spool.Request{Form: decoded(s.T, q), Raw: q.Raw, Origin: q.Origin}}
	c.locate(s)
	return c.req
}

// orphan leaves the question in the spool as a bridge does that was killed;
// change may make another question of it.
func (s *stage) orphan(change func(*spool.Request)) *spool.Entry {
	s.Helper()
	req := s.request()
	if change != nil {
		change(&req)
	}
	req.Digest = spool.Digest(req.Form, req.Origin)
	e, err := s.spool.Create(req)
	must.Do(s, err)
	must.Do(s, e.Close()) // which also waits for the index
	if e, err = s.spool.Open(e.ID); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { e.Close() })
	return e
}

// says writes an answer.
func (s *stage) says(e *spool.Entry, r form.Result, by string) {
	s.Helper()
	r.By, r.At = by, time.Now()
	must.Do(s, e.Settle(r))
}

// The same question asked again gets the answer that waits, without a popup;
// the time after that it is asked.
func TestAskedAgainGetsTheAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		settle(p, e, form.Result{Outcome: form.Cancelled})
	})
	e := s.orphan(nil)
	s.says(e, chosen, form.ByPopup)
	got := s.ask(t.Context(), question(0))
	s.is(got, form.Answered, "Q1: user selected: 1. Ex", false)
	if !got.Recovered || got.ID != e.ID || s.opens() != 0 {
		t.Errorf("recovered %v, id %s, %d popups; want %s and none", got.Recovered, got.ID, s.opens(), e.ID)
	}
	s.history(e.ID)
	got = s.ask(t.Context(), question(0))
	s.is(got, form.Cancelled, "User cancelled", false)
	if got.Recovered || got.ID == e.ID {
		t.Errorf("the answer was handed over twice: %+v", got)
	}
}

// A form that is still open is taken over, also where the clock was put back since; its
// popup stays.
func TestAskedAgainTakesTheFormOver(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	e := s.orphan(func(r *spool.Request) { r.Origin.Start = time.Now().Add(72 * time.Hour) })
	p := &popup{stage: s, id: e.ID, ended: make(chan struct{})}
	up, asked := make(chan struct{}), make(chan struct{})
	s.popups.Go(func() {
		p.run(func(e *spool.Entry) {
			close(up)
			p.wait("the second call", asked)
			settle(p, e, chosen)
		})
	})
	<-up
	q := question(0)
	q.Asked = func(string) { close(asked) }
	got := s.ask(t.Context(), q)
	s.is(got, form.Answered, "Q1: user selected: 1. Ex", false)
	if !got.Recovered || got.ID != e.ID || s.opens() != 0 {
		t.Errorf("%+v with %d popups opened", got, s.opens())
	}
	if !strings.HasPrefix(got.Note, "Recovered: ") || strings.Contains(got.Note, "when no call was waiting") {
		t.Errorf("a call waited for the answer, and it says %q", got.Note)
	}
	s.history(e.ID)
}

// A call that waited for its answer is not told that none did, also where the clock was set back
// meanwhile.
func TestAnsweredAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		r := chosen
		r.By, r.At = form.ByPopup, time.Now().Add(-time.Hour)
		must.Do(p, e.Settle(r))
	})
	began := time.Now()
	if got := s.ask(t.Context(), question(0)); got.Outcome != form.Answered || got.Note != "" || got.Late(began) {
		t.Errorf("%s, and it says %q", got.Outcome, got.Note)
	}
}

// A form that was taken over and that nobody has answered has no answer that could be recovered.
func TestAskedAgainUnanswered(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	e := s.orphan(nil)
	q := question(0)
	q.Timeout = 50 * time.Millisecond
	if got := s.ask(t.Context(), q); got.Outcome != form.Timeout || !got.Recovered || got.ID != e.ID || got.Note != "" {
		t.Errorf("%s of %s, recovered %v, and it says %q", got.Outcome, got.ID, got.Recovered, got.Note)
	}
}

// An answer that does not fit its form, or cannot be one, costs the recovery and
// not the question.
func TestAskedAgainWithABadAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	e := s.orphan(nil)
	s.says(e, form.Result{Outcome: form.Answered, Answers: []form.Answer{{Choices: []int{7}}}}, form.ByPopup)
	got := s.ask(t.Context(), question(0))
	s.is(got, form.Answered, "Q1: user selected: 1. Ex", false)
	if got.Recovered || got.ID == e.ID || len(s.warnings()) != 1 {
		t.Errorf("got %+v, with the warnings %q", got, s.warnings())
	}
}

func TestAskedAgainIsAnother(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*spool.Request){
		"agent":     func(r *spool.Request) { r.Origin.Agent = "another" },
		"directory": func(r *spool.Request) { r.Origin.Cwd = "/another" },
		"form":      func(r *spool.Request) { r.Form.Questions[0].Prompt = "B?" },
		"day":       func(r *spool.Request) { r.Origin.Start = time.Now().Add(-24*time.Hour - time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, answered := range []bool{true, false} {
				s := newStage(t, answers)
				e := s.orphan(change)
				if answered && name != "day" { // of an answer its own age counts (TestRecover)
					s.says(e, chosen, form.ByPopup)
				}
				if got := askOnly(s, question(0)); got.Recovered || got.ID == e.ID || got.Outcome != form.Answered {
					t.Errorf("answered %v: got %+v", answered, got)
				}
				if e.Status().Removed {
					t.Error("the other question is gone")
				}
			}
		})
	}
}

// What only the clock said answers no other call, and an open form whose
// deadline has passed is no form to answer.
func TestTimeoutIsNotRecovered(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	e := s.orphan(nil)
	s.says(e, form.Result{Outcome: form.Timeout}, form.ByBridge)
	past := time.Now().Add(-time.Minute)
	s.orphan(func(r *spool.Request) { r.Deadline = &past })
	if got := askOnly(s, question(0)); got.Recovered || got.Outcome != form.Answered {
		t.Errorf("got %+v", got)
	}
	if got, err := s.collect(e.ID, false); err != nil || got.Outcome != form.Timeout || got.Note != "" {
		t.Errorf("collected by its id: %+v, %v", got, err)
	}
}

// askOnly is ask where alerts of others may be up.
func askOnly(s *stage, q Question) (got Envelope) {
	s.Helper()
	if err := s.bridge.Ask(s.Context(), q, func(e Envelope) error { got = e; return nil }); err != nil {
		s.Errorf("Ask: %v", err)
	}
	return got
}

// A form that a living bridge waits for is its own.
func TestAskedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	both := make(chan struct{}, 2)
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		both <- struct{}{}
		p.await("the second question has a popup", func() bool { return len(both) == 2 })
		settle(p, e, chosen)
	})
	var asked sync.WaitGroup
	var got [2]Envelope
	for i := range got {
		asked.Go(func() { got[i] = askOnly(s, question(0)) })
	}
	asked.Wait()
	if got[0].ID == got[1].ID || got[0].Recovered || got[1].Recovered {
		t.Errorf("%+v\n%+v", got[0], got[1])
	}
}

// Of many retries at once exactly one gets the answer that waits.
func TestRetriesRace(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := newStage(t, func(_ int, p *popup, e *spool.Entry) { settle(p, e, form.Result{Outcome: form.Cancelled}) })
		e := s.orphan(nil)
		s.says(e, chosen, form.ByPopup)
		var racers sync.WaitGroup
		start := make(chan struct{})
		var got [8]Envelope
		for i := range got {
			racers.Go(func() { <-start; got[i] = askOnly(s, question(0)) })
		}
		close(start)
		racers.Wait()
		won := 0
		for _, g := range got {
			if g.Recovered {
				won++
			}
			if g.Recovered != (g.Outcome == form.Answered) || g.Recovered != (g.ID == e.ID) {
				t.Errorf("got %+v", g)
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d retries got the answer", won, len(got))
		}
	}
}

// A retry does not take the answer that the first call is just being handed.
func TestRetryWhileHandingOver(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(n int, p *popup, e *spool.Entry) {
		r := chosen
		if n > 0 {
			r = form.Result{Outcome: form.Cancelled}
		}
		settle(p, e, r)
	})
	var second Envelope
	err := s.bridge.Ask(t.Context(), question(0), func(first Envelope) error {
		second = askOnly(s, question(0))
		if second.ID == first.ID {
			t.Error("the answer was handed over twice")
		}
		return nil
	})
	if err != nil || second.Outcome != form.Cancelled || second.Recovered {
		t.Errorf("%v, second %+v", err, second)
	}
}

// With Keep the end of the call leaves the question, its popup and no alert.
func TestKept(t *testing.T) {
	t.Parallel()
	stay := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		p.wait("Shown", p.shown)
		cancel()
		p.wait("leave", stay)
		settle(p, e, chosen)
	})
	q := question(0)
	q.Keep = always
	var id string
	q.Asked = func(asked string) { id = asked }
	err := s.undelivered(ctx, q)
	if !errors.Is(err, ErrKept) || !strings.Contains(err.Error(), id) {
		t.Fatalf("Ask: %v", err)
	}
	e, err := s.spool.Open(id)
	must.Do(t, err)
	defer e.Close()
	if !e.Status().AgentGone || !e.Status().Painted || s.alerts != 0 {
		t.Errorf("waits %v, shows %v, %d alerts", !e.Status().AgentGone, e.Status().Painted, s.alerts)
	}
	close(stay)
	s.popups.Wait()
	if got := s.ask(t.Context(), question(0)); !got.Recovered || got.ID != id {
		t.Errorf("asked again: %+v", got)
	}
}

func (s *stage) collect(id string, wait bool) (got Envelope, err error) {
	err = s.bridge.Collect(s.Context(), id, wait, func(e Envelope) error { got = e; return nil })
	return got, err
}

func TestCollect(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	e := s.orphan(nil)
	if got, err := s.collect(e.ID, false); err != nil || got.Outcome != Pending || got.ID != e.ID || got.IsError ||
		string(got.Details) != `{"id":"`+e.ID+`","status":"pending"}` {
		t.Errorf("before the answer: %+v, %v", got, err)
	}
	s.says(e, chosen, form.ByAnswer)
	got, err := s.collect(e.ID, false)
	must.Do(t, err)
	s.is(got, form.Answered, "Q1: user selected: 1. Ex", false)
	if _, err := s.collect(e.ID, false); !errors.Is(err, ErrDelivered) {
		t.Errorf("again: %v", err)
	}
	if _, err := s.collect("01M7YX0STBP1474D78SPT0A4J6", true); !errors.Is(err, spool.ErrNotFound) {
		t.Errorf("one that never was: %v", err)
	}
}

// Where the bridge is gone, who collects is the bridge.
func TestCollectWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	e := s.orphan(nil)
	got, err := s.collect(e.ID, true)
	if err != nil || got.Outcome != form.Answered || got.Recovered || s.opens() != 1 {
		t.Errorf("%+v, %v, %d popups", got, err, s.opens())
	}
	s.history(e.ID)
}

// Where a bridge waits that leaves the answer to others, as after a receipt or
// with ask --detach, it is collected from there.
func TestCollectFromABridge(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newStage(t, func(_ int, p *popup, e *spool.Entry) {
		p.wait("the collector", release)
		settle(p, e, chosen)
	})
	q := question(0)
	id := make(chan string, 1)
	q.Asked = func(asked string) { id <- asked }
	var calls sync.WaitGroup
	calls.Go(func() {
		if err := s.bridge.Ask(t.Context(), q, func(Envelope) error { return ErrUncollected }); err != nil {
			t.Errorf("Ask: %v", err)
		}
	})
	asked := <-id
	if got, err := s.collect(asked, false); err != nil || got.Outcome != Pending {
		t.Errorf("%+v, %v", got, err)
	}
	calls.Go(func() {
		if got, err := s.collect(asked, true); err != nil || got.Outcome != form.Answered {
			t.Errorf("%+v, %v", got, err)
		}
	})
	close(release)
	calls.Wait()
	s.history(asked)
}

// The digest of a form is the same after it has been on the disk.
func TestDigestSurvivesTheDisk(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		raw, `{"questions":[{"id":"a","prompt":"<b>&\u2028 ☃"}]}`,
		`{"questions":[{"header":"H","question":"N?","type":"number","min":0.1,"max":1e21,"default":3}]}`,
		`{"questions":[{"type":"choice","id":"a","header":"h","prompt":"p","options":[{"value":"x","label":"X","preview":"p"},{"value":"y","label":"Y"}]}]}`,
		`{"questions":[{"id":"a","type":"checkbox","prompt":"p","options":[{"label":"x"}],"default":["x"]},{"id":"b","type":"text","prompt":"p"}]}`,
		`{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"timeout":1.5}`,
	} {
		s := newStage(t, nil)
		e := s.orphan(func(r *spool.Request) { r.Form = decoded(t, Question{Raw: []byte(raw)}) })
		req, err := e.Request()
		must.Do(t, err)
		if d := spool.Digest(req.Form, req.Origin); d != req.Digest {
			t.Errorf("%s: %s, and %s from the disk", raw, req.Digest, d)
		}
	}
}

package spool

import (
	"errors"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

const awayID = "01M7YX0STBP1474D78SPT0A4J6"

// awayRequest is a question of build1, with all that its own machine knows of it.
func awayRequest() Request {
	req := request()
	req.ID, req.Digest = awayID, "0123456789abcdef0123456789abcdef"
	req.Origin.Pane, req.Origin.Ref, req.Origin.Session = "main:1.1", "%1 /tmp/tmux", "s"
	req.Origin.Away = &Away{Machine: "build1", Cwd: "/srv", Digest: "d"}
	return req
}

func mirror(t *testing.T, s *Spool) *Entry {
	t.Helper()
	e, err := s.Mirror(awayRequest())
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}

// Nothing of the other machine is left that could be looked up on this one.
func TestMirror(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := mirror(t, s)
	req, err := e.Request()
	must.Do(t, err)
	if o := req.Origin; e.ID != awayID || req.Digest != "" || o.Cwd != "" || o.Host != "" || o.Pane != "" || o.Ref != "" || o.Session != "" || o.PID != 0 ||
		o.Agent != "test" || o.Start.IsZero() || *o.Away != *awayRequest().Origin.Away {
		t.Errorf("%s: %+v, digest %q", e.ID, o, req.Digest)
	}
	if s := e.Status(); s.AgentGone || s.State() != "pending" {
		t.Errorf("%+v", s)
	}
	if ids := s.Again(awayRequest().Digest); len(ids) > 0 {
		t.Errorf("the same question asked here finds %v", ids)
	}
	if _, err := s.Mirror(awayRequest()); !errors.Is(err, ErrMirrored) {
		t.Errorf("a second time: %v", err)
	}
	must.Do(t, e.Close())
	if e := open(t, s, awayID); e.Status().AgentGone || e.AgentGone() != nil {
		t.Error("the desk has ended, and the agent is said to be gone")
	}
	mirror(t, s) // after a restart
}

// What may not be mirrored: a question that is another one here, that nobody could
// read again, or that is over.
func TestMirrorRefuses(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	ours := create(t, s)
	must.Do(t, ours.Close())
	for name, change := range map[string]func(*Request){
		"one of this machine": func(r *Request) { r.ID = ours.ID },
		"another machine":     func(r *Request) { r.Origin.Away.Machine = "build2" },
		"another text":        func(r *Request) { r.Origin.Away.Digest = "e" },
		"no id":               func(r *Request) { r.ID = "../" + awayID },
		"no machine":          func(r *Request) { r.Origin.Away = nil },
		"no form":             func(r *Request) { r.Form.Questions = nil },
		"a newer format":      func(r *Request) { r.Version = form.Version + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, mirror(t, s).Close())
			req := awayRequest()
			change(&req)
			if e, err := s.Mirror(req); err == nil {
				e.Close()
				t.Error("it is mirrored")
			}
		})
	}
	e := mirror(t, s)
	must.Do(t, e.Settle(answered()))
	must.Do(t, e.Close())
	e = mirror(t, s) // the answer has still to reach its machine
	if r, ok, err := e.Answer(); !ok || err != nil || r.Outcome != form.Answered {
		t.Errorf("the answer after a restart: %+v, %t, %v", r, ok, err)
	}
	must.Do(t, e.Deliver())
	must.Do(t, e.Close())
	if _, err := s.Mirror(awayRequest()); !errors.Is(err, ErrOver) {
		t.Errorf("delivered: %v", err)
	}
}

// A cancel is told to the machine that asked, also where no desk runs here.
func TestCancelOfAMirroredQuestion(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	must.Do(t, mirror(t, s).Close())
	e := open(t, s, awayID)
	must.Do(t, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByInbox, At: time.Now()}))
	if r, ok, err := e.Answer(); !ok || err != nil || r.Dismissed || e.Status().Delivered {
		t.Errorf("%+v, %t, %v; delivered %t", r, ok, err, e.Status().Delivered)
	}
}

// How it stands there is replaced as a whole, told to who watches, and holds no secret.
func TestAwayState(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	req := awayRequest()
	req.Form.Questions = []form.Question{{ID: "b", Label: "Token", Prompt: "?", Kind: form.Text, Secret: true, Options: []form.Option{}}}
	e, err := s.Mirror(req)
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	w := e.Watch()
	t.Cleanup(w.Stop)
	tells(t, w, "the beginning", always)
	since := time.Now().Round(time.Second)
	must.Do(t, e.SetAway(AwayState{Unreachable: since, AgentGone: true}))
	tells(t, w, "another state", func() bool { return e.Away().AgentGone })
	if a := e.Away(); !a.Unreachable.Equal(since) || !e.Status().AgentGone {
		t.Errorf("%+v, %+v", a, e.Status())
	}
	for _, c := range []struct{ here, there bool }{{true, false}, {false, true}, {true, true}} {
		must.Do(t, e.SetUnattended(c.here))
		must.Do(t, e.SetAway(AwayState{Unattended: c.there}))
		if e.Status().Unattended != (c.here && c.there) {
			t.Errorf("%+v: %+v", c, e.Status())
		}
	}
	won := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("hunter2")}, By: form.ByPopup, At: since, Machine: "build1"}
	must.Do(t, e.SetAway(AwayState{Verdict: "too late: answered " + won.Surface(), Won: &won}))
	if a := e.Away(); !a.Unreachable.IsZero() || a.Verdict != "too late: answered in the popup on build1" || !a.Won.Answers[0].Withheld || *won.Answers[0].Text != "hunter2" {
		t.Errorf("%+v", a)
	}
	mine := won
	mine.Answers = []form.Answer{form.Type("hunter2")}
	must.Do(t, e.Settle(mine))
	must.Do(t, e.Deliver())
	noSecret(t, s)
}

// What is withdrawn can be mirrored again. What was answered stays, for its machine.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := mirror(t, s)
	must.Do(t, e.Withdraw())
	must.Do(t, e.Close())
	if _, err := s.Find(awayID); !errors.Is(err, ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
	e = mirror(t, s)
	must.Do(t, e.settle(form.Result{Outcome: form.Aborted, By: form.ByBridge, At: time.Now()})) // a withdrawal that was killed
	must.Do(t, e.Withdraw())
	must.Do(t, e.Close())
	e = mirror(t, s)
	must.Do(t, e.Settle(answered()))
	if err := e.Withdraw(); !errors.Is(err, ErrAnswered) {
		t.Errorf("answered: %v", err)
	}
	must.Do(t, e.Close())
	if r, ok, err := mirror(t, s).Answer(); !ok || err != nil || r.Outcome != form.Answered {
		t.Errorf("the answer: %+v, %t, %v", r, ok, err)
	}
}

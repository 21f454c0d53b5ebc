package link

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

// Asked there, answered here: the agent has the answer, with the machine's name, and both
// histories have it. One that is answered where it was asked closes here, with who was first.
func TestAskThereAnswerHere(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	e := laptop.sees(q.id)
	req, err := e.Request()
	must.Do(w, err)
	if a := req.Origin.Away; a == nil || a.Machine != "build1" || a.Cwd != "/srv" || a.Pane != "main:1.1" || req.Origin.PID != 0 {
		t.Errorf("%+v", req.Origin)
	}
	laptop.answers(q.id, 1)
	if r := q.gets(); r.Machine != "laptop" || r.By != form.ByPopup || len(r.Answers) != 1 || r.Answers[0].Choices[0] != 1 {
		t.Errorf("%+v", r)
	}
	laptop.hasWon(q.id)
	w.until("nothing of it is left at the hub but how it ended", func() bool { return !w.has(Bids, "build1."+q.id+".laptop") })
	if !w.has(Entries, "build1."+q.id) {
		t.Error("how it ended is not known at the hub")
	}
	if n := laptop.shown.Load(); n != 1 {
		t.Errorf("shown %d times", n)
	}

	second := build.ask()
	laptop.sees(second.id)
	_, err = second.Attach([]byte("\x89PNG\r\n\x1a\n")) // which stays there
	must.Do(w, err)
	must.Do(w, second.Settle(chosen(0)))
	if r := second.gets(); len(r.Attachments) != 1 {
		t.Errorf("%+v", r)
	}
	if r, a := laptop.ends(second.id); r.Machine != "build1" || r.Outcome != form.Answered || a.Verdict != "" || r.Attachments != nil {
		t.Errorf("%+v, %+v", r, a)
	}
	w.until("nobody shows them", func() bool { return laptop.showing.Load() == 0 })
}

// What is left of the time for a question, and how long it has waited, is published, and counted from when
// that was, which the hub says by a clock of its own: a machine that begins finds out what that clock shows.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	began := time.Now()
	w, laptop, build := pair(t)
	laptop.sees(build.ask().id) // so that build1 knows whom it seals for
	laptop.stop()
	req := request()
	req.Deadline = new(began.Add(10 * time.Minute))
	q := build.asks(req)
	key := "build1." + q.id
	w.until("it is published", func() bool { return w.has(Entries, key) })
	published, err := w.bucket(Entries).Get(t.Context(), key)
	must.Do(w, err)
	_, plain, err := laptop.id.Open(w.ms, Entries+"/"+key, published.Value())
	must.Do(w, err)

	var r record
	must.Do(w, json.Unmarshal(plain, &r))
	asked := req.Origin.Start
	req.ID, req.Origin.Start = q.id, asked.Add(time.Hour) // as a machine whose clock is ahead has it
	r.Request = trust.Encode(req)

	l, err := newLink(Config{ID: laptop.id, Spool: laptop.sp, Show: laptop.show, Log: func(err error) { t.Error(err) }})
	must.Do(w, err)
	ctx, cancel := context.WithCancel(t.Context())
	l.ctx, l.hub = ctx, &session{link: l, ctx: ctx}
	entry := item{bucket: Entries, key: []string{"build1", q.id}, created: published.Created().Add(time.Hour), there: true, value: trust.Encode(r)}
	if l.receiveEntry(entry) {
		t.Error("it is shown before it is known when it was asked")
	}
	for _, ahead := range []time.Duration{-time.Hour, time.Hour} { // as it is set, too, while we are connected
		l.receiveHeartbeat(item{bucket: Alive, key: []string{"laptop"}, created: time.Now().Add(ahead), there: true, value: trust.Encode(pulse{})})
	}
	told := l.receiveEntry(entry)
	seen, err := laptop.sees(q.id).Request()
	must.Do(w, err)
	// By as much as all of this took it may be later; and what was left was cut to a millisecond.
	if late := seen.Deadline.Sub(*req.Deadline); !told || late < -time.Millisecond || late > time.Since(began) {
		t.Errorf("told: %t; its deadline is %v later there", told, late)
	}
	if late := seen.Origin.Start.Sub(asked); late < -time.Millisecond || late > time.Since(began) {
		t.Errorf("it was asked %v later there", late)
	}
	ended := chosen(1)
	ended.At, ended.Machine = ended.At.Add(3*time.Hour), "build1"
	entry.created, entry.value = time.Now().Add(time.Hour), trust.Encode(record{Version: 1, State: over, AgeMs: 1000, Result: &ended})
	l.receiveEntry(entry)
	if r, _, _ := laptop.sees(q.id).Answer(); time.Since(r.At) < time.Second || time.Since(r.At) > time.Second+time.Since(began) {
		t.Errorf("it ended %v ago there", time.Since(r.At))
	}
	cancel()
	l.close()
}

// Two answer at once: one of them counts, and the other is told whose.
func TestTwoBidders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	laptop, phone, build := w.machine("laptop", true), w.machine("desktop", true), w.machine("build1", false)
	for range 5 {
		q := build.ask()
		a, b := laptop.sees(q.id), phone.sees(q.id)
		answered := make(chan error, 2)
		go func() { answered <- a.Settle(chosen(0)) }()
		go func() { answered <- b.Settle(chosen(1)) }()
		both := errors.Join(<-answered, <-answered)
		r := q.gets()
		if errors.Is(both, spool.ErrAnswered) { // one was so slow that it saw the other's
			continue
		}
		must.Do(w, both)
		won, lost := laptop, phone
		if r.Machine == "desktop" {
			won, lost = phone, laptop
		}
		_, verdict := won.ends(q.id)
		_, late := lost.ends(q.id)
		if verdict.Verdict != "" || late.Won == nil || late.Won.Machine != won.name || !strings.Contains(late.Verdict, "too late: answered in the popup on "+won.name) {
			t.Errorf("%s won: %+v; %s: %+v", won.name, verdict, lost.name, late)
		}
		if told := lost.notes(&lost.late); len(told) == 0 || told[len(told)-1] != late.Verdict {
			t.Errorf("%s was told %q", lost.name, told)
		}
	}
}

// A cancel elsewhere is one there; of a question whose agent has gone it dismisses it.
func TestCancelledElsewhere(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	for _, gone := range []bool{false, true} {
		q := build.ask()
		e := laptop.sees(q.id)
		must.Do(w, e.SetUnattended(true))
		must.Do(w, q.SetUnattended(true))
		w.until("it is known here that nobody is there either", func() bool { return e.Status().Unattended })
		if gone {
			must.Do(w, q.LetGo())
			w.until("it is known here that the agent has gone", func() bool { return e.Away().AgentGone })
		}
		must.Do(w, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByInbox}))
		if !gone {
			q.gets()
		}
		if r, _ := build.ends(q.id); r.Outcome != form.Cancelled || r.Dismissed != gone || r.Machine != "laptop" {
			t.Errorf("agent gone %t: %+v", gone, r)
		}
		laptop.ends(q.id)
	}
}

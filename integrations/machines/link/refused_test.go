package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

// What is refused: it is said why, at both ends, and another answer counts.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	laptop, other, build := w.machine("laptop", true), w.machine("desktop", true), w.machine("build1", false)
	q := build.ask()
	laptop.sees(q.id)
	e := other.sees(q.id)
	must.Do(w, e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(7)}, By: form.ByPopup}))
	w.until("it is not taken", func() bool { return strings.Contains(e.Away().Verdict, "not taken by build1") })
	laptop.answers(q.id, 1)
	q.isAnsweredBy("laptop")
	other.ends(q.id)
	laptop.ends(q.id)
	if said := strings.Join(build.notes(&build.logged), "\n"); !strings.Contains(said, "from desktop is not taken") {
		t.Errorf("said there: %q", said)
	}
}

// Nobody answers for another, by another question's answer, or without being a person:
// nothing of it reaches the spool, and a true answer does.
func TestForged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	laptop, build, second := w.machine("laptop", true), w.machine("build1", false), w.machine("build2", false)
	q, another := build.ask(), build.ask()
	laptop.sees(q.id)
	laptop.sees(another.id)
	file, err := another.RequestFile()
	must.Do(w, err)
	laptop.stop()
	b := trust.Encode(bid{form.Version, another.id, digest(file), chosen(0)})
	place := "build1." + q.id + "."
	w.put(Bids, place+"laptop", w.sealed(laptop, build, Bids, place+"laptop", b))                  // another question's
	w.put(Bids, place+"desktop", w.sealed(laptop, build, Bids, "build1."+another.id+".laptop", b)) // to another place
	w.put(Bids, place+"build2", []byte("x"))
	if _, err := second.id.Seal(w.ms.All(), Bids+"/"+place+"build2", b); !errors.Is(err, trust.ErrMay) {
		t.Errorf("a machine that only asks has sealed a bid: %v", err)
	}
	w.until("all was looked at", func() bool { return len(build.notes(&build.logged)) >= 3 })
	if _, answered, err := q.Answer(); answered || err != nil {
		t.Fatalf("answered: %t, %v", answered, err)
	}
	w.machine("desktop2", true).answers(q.id, 1)
	q.isAnsweredBy("desktop2")
}

// What another machine has written is cut where an error speaks of it.
func TestErrorsAreShort(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	laptop.sees(q.id)
	build.stop()
	no := fmt.Sprintf(`{"at":%q}`, strings.Repeat("x", 1<<20))
	another := "build1." + strings.Repeat("0", len(q.id))
	w.put(Entries, another, w.sealed(build, laptop, Entries, another, trust.Encode(record{Version: form.Version, Request: []byte(`{"deadline"` + no[5:])})))
	bid := "build1." + q.id + ".laptop"
	w.put(Bids, bid, w.sealed(laptop, build, Bids, bid, []byte(`{"result":`+no+`}`)))
	build.start()
	w.until("both are refused", func() bool { return len(build.notes(&build.logged)) > 0 && len(laptop.notes(&laptop.logged)) > 0 })
	for _, said := range append(build.notes(&build.logged), laptop.notes(&laptop.logged)...) {
		if len(said) > 2000 {
			t.Errorf("%d bytes are said: %.200q", len(said), said)
		}
	}
	w.until("it is said why", func() bool {
		return strings.HasPrefix(laptop.sees(q.id).Away().Verdict, "not taken by build1: parsing time")
	})
}

// A permission is not decided from another machine where that cannot know what it decides: its file
// has changed since, or the agent's own dialog may have ended it.
func TestPermissionThatChanged(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	for why, changes := range map[string]func(file string, e *spool.Entry) error{
		"the file has changed since it was shown":             func(file string, _ *spool.Entry) error { return os.WriteFile(file, []byte("another\n"), 0o600) },
		"it may have been answered in the agent's own dialog": func(_ string, e *spool.Entry) error { return e.SetMaybe() },
	} {
		file := filepath.Join(t.TempDir(), "file")
		must.Do(w, os.WriteFile(file, []byte("one\n"), 0o600))
		req := request()
		req.Form.Questions[0].Options[1].Allows = true
		req.Form.Questions[0].Subject = &form.Subject{Tool: "Write", Text: file, Edits: []form.Edit{{Path: file, Content: new("two\n")}}}
		change.Renew(req.Form.Subject())
		q := build.asks(req)
		e := laptop.sees(q.id)
		must.Do(w, changes(file, q.Entry))
		must.Do(w, e.Settle(chosen(1)))
		w.until(why, func() bool { return strings.Contains(e.Away().Verdict, "not taken by build1: "+why) })
		if r, answered, err := q.Answer(); answered || err != nil {
			t.Errorf("%s: it is answered by %+v, %v", why, r, err)
		}
	}
}

// Secret questions stay where they were asked, unless the person has said otherwise; and
// then the answer is known to nobody who does not have to.
func TestSecrets(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	req := request()
	req.Form.Questions = []form.Question{{ID: "b", Label: "Token", Prompt: "?", Kind: form.Text, Secret: true, Options: []form.Option{}}}
	q, plain := build.asks(req), build.ask()
	laptop.sees(plain.id)
	if w.has(Entries, "build1."+q.id) {
		t.Fatal("a secret question has left its machine")
	}
	build.with(func(c *Config) { c.Secrets = true })
	e := laptop.sees(q.id)
	must.Do(w, e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("hunter2")}, By: form.ByPopup, At: time.Now()}))
	if r := q.gets(); r.Machine != "laptop" || *r.Answers[0].Text != "hunter2" {
		t.Errorf("%+v", r)
	}
	if r, _ := laptop.ends(q.id); r.Answers[0].Text != nil {
		t.Error("the secret is still on the disk here")
	}
}

// What was attached to an answer stays on its machine, the place where it is among it.
func TestAttachmentsStay(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	e := laptop.sees(q.id)
	w.hubDies()
	must.Do(t, e.Settle(chosen(0))) // which comes too late, so that it is told what has won
	_, err := q.Attach([]byte("\x89PNG\r\n\x1a\n"))
	must.Do(t, err)
	must.Do(t, q.Settle(chosen(1)))
	if r := q.gets(); len(r.Attachments) != 1 {
		t.Errorf("here it is %+v", r)
	}
	w.hub()
	if _, away := laptop.ends(q.id); away.Won == nil || away.Won.Answers[0].Choices[0] != 1 || away.Won.Attachments != nil {
		t.Errorf("there has won: %+v", away.Won)
	}
}

// A question that is too large stays, which is said once, and the others go.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hubDies()
	w.most = mib / 8
	w.hub()
	laptop, build := w.machine("laptop", true), w.machine("build1", false)
	req := request()
	req.Form.Questions[0].Prompt = strings.Repeat("x", int(w.most))
	large, small := build.asks(req), build.ask()
	laptop.sees(small.id)
	if w.has(Entries, "build1."+large.id) {
		t.Error("it went")
	}
	w.until("it is said", func() bool { return len(build.notes(&build.logged)) > 0 })
	if said := build.notes(&build.logged); len(said) != 1 || !strings.Contains(said[0], large.id) {
		t.Errorf("said %q", said)
	}
	w.until("the status has it", func() bool { return build.status().Staying == 1 })
}

// A machine that is revoked is not believed any more, and its questions end here.
func TestRevoked(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	laptop.sees(q.id)
	gone, err := w.root.Revoke(build.id.Member)
	must.Do(w, err)
	w.put(Machines, "build1", trust.Encode(gone))
	if r, _ := laptop.ends(q.id); r.Outcome != form.Aborted || !strings.Contains(r.Reason, "revoked") {
		t.Errorf("%+v", r)
	}
	second := build.ask()
	third := w.machine("build2", false).ask()
	laptop.sees(third.id)
	if _, err := laptop.sp.Find(second.id); !errors.Is(err, spool.ErrNotFound) {
		t.Errorf("what a revoked machine asks: %v", err)
	}
}

// What waits on a machine that was revoked is shown again when that has joined again; and a desk
// that starts then, and has yet to hear of it, keeps what was answered.
func TestRevokedAndJoinedAgain(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q, another := build.ask(), build.ask()
	laptop.sees(q.id)
	laptop.sees(another.id)
	gone, err := w.root.Revoke(build.id.Member)
	must.Do(w, err)
	w.put(Machines, "build1", trust.Encode(gone))
	laptop.ends(q.id)
	laptop.ends(another.id)
	build.stop()
	must.Do(w, w.ms.Add(gone))
	must.Do(w, w.bucket(Entries).Purge(t.Context(), "build1."+q.id)) // as a hub of ours does
	must.Do(w, w.bucket(Entries).Purge(t.Context(), "build1."+another.id))
	build = w.machine("build1", false)
	laptop.answers(another.id, 1)
	another.isAnsweredBy("laptop")
	e := laptop.sees(q.id)
	build.stop()
	w.hubDies()
	must.Do(w, e.Settle(chosen(1)))
	laptop.stop()
	laptop.start()
	w.hub()
	build.start()
	q.isAnsweredBy("laptop")
	laptop.hasWon(q.id)
}

// What a machine asks that has joined again is shown, also where it is read before the record of that.
func TestAskedBeforeItIsKnownAgain(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	laptop.sees(build.ask().id)
	laptop.stop()
	build.stop()
	gone, err := w.root.Revoke(build.id.Member)
	must.Do(w, err)
	must.Do(w, w.ms.Add(gone))
	w.put(Machines, "build1", trust.Encode(gone))
	build = w.machine("build1", false)
	q := build.ask()
	key := "build1." + q.id
	w.until("it is published", func() bool { return w.has(Entries, key) })
	published, err := w.bucket(Entries).Get(t.Context(), key)
	must.Do(w, err)

	l, err := newLink(Config{ID: laptop.id, Spool: laptop.sp, Show: laptop.show, Log: func(err error) { t.Error(err) }})
	must.Do(w, err)
	ctx, cancel := context.WithCancel(t.Context())
	l.ctx, l.hub = ctx, &session{link: l, ctx: ctx, has: map[string]bool{}, later: map[string]item{}, ahead: new(time.Duration)}
	must.Do(w, l.members.Add(gone))
	l.hub.receive(l.hub.opened(item{bucket: Entries, key: []string{"build1", q.id}, value: published.Value(), created: published.Created(), there: true}))
	l.receiveMember(item{key: []string{"build1"}, value: trust.Encode(build.id.Member), there: true})
	laptop.sees(q.id)
	cancel()
	l.close()
}

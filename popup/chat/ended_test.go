package chat

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

func TestDeadline(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	deadline := time.Now().Add(time.Hour)
	e := r.asks(cache, func(req *spool.Request) { req.Deadline = &deadline })
	r.sees("m1", "until "+deadline.Format("15:04"))
	red := r.control("m1", "Redis")
	must.Do(r, e.Settle(form.Result{Outcome: form.Timeout, By: form.ByBridge, At: time.Now()}))
	if seen := r.sees("m1", "over\n"); seen != "over\nWhich approach for the cache layer?\n# Expired: the deadline passed.\n~ claude asks · /srv/shop · main:1.0" {
		t.Errorf("it ends as\n%s", seen)
	}
	r.says(r.does(Event{Ref: "m1", ID: red}), "Expired: the deadline passed.")
}

// While the service is away, the message of a question that is over waits to be closed.
func TestUnclosed(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.most = 1
	r.serve()
	e := r.asks(colours)
	r.sees("m1", "Which colour?")
	if n := r.unclosed.Load(); n != 0 {
		t.Errorf("%d are unclosed while it waits", n)
	}
	tried := false
	r.refuses(func(string, Message) error { tried = true; return errors.New("away") })
	must.Do(r, e.Settle(popup()))
	r.until("try", func() bool { return tried })
	r.until("it is not closed", func() bool { return r.unclosed.Load() == 1 })
	r.isBack()
	r.sees("m1", "answered\n")
	r.asks(two)
	r.sees("m2", "First?") // for which there is room then
	r.until("nothing is left to close", func() bool { return r.unclosed.Load() == 0 })
}

func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	red := r.control("m1", "Red")
	must.Do(r, e.Settle(popup()))
	r.sees("m1", "answered\nWhich colour?\n✓ Red\n~ Answered in tmux, "+time.Now().Format("15:04"))
	r.says(r.does(Event{Ref: "m1", ID: red}), "Answered in tmux, ")
	e = r.asks(colours)
	r.sees("m2", "Which colour?")
	must.Do(r, e.Settle(form.Result{Outcome: form.Aborted, By: form.ByBridge, At: time.Now()}))
	r.sees("m2", "over\n", "Withdrawn: the agent does not wait for it any more.")
}

// Of a question of another machine the message says in the end which answer counts.
func TestMirrored(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours, func(req *spool.Request) {
		req.ID = "01M7YX0STBP1474D78SPT0A4J6"
		req.Origin.Away = &spool.Away{Machine: "build1", Cwd: "/srv/shop", Pane: "main:1.2", Host: "tmux"}
	})
	r.sees("m1", "claude on build1 asks · /srv/shop · main:1.2")
	r.quietly(r.presses("m1", "Green"))
	r.answered(e, "Green")
	r.sees("m1", "✓ Green\n~ Answered in Discord by Dom")
	won := popup()
	won.Machine = "build1"
	must.Do(r, e.SetAway(spool.AwayState{Won: &won, Verdict: "too late: answered " + won.Surface()}))
	must.Do(r, e.Deliver())
	r.sees("m1", "✓ Red\n~ Too late: answered in tmux on build1.")
}

// Whoever is first, both agree on the one answer: the popup is in the first round, the chat in
// the last, and between them both begin in the same instant.
func TestPopupInTheSameInstant(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.most = 100
	r.serve()
	rounds := 20
	if os.Getenv("ASKPANE_SOAK") != "" {
		rounds = 200
	}
	for i := range rounds {
		e, ref := r.asks(colours), fmt.Sprint("m", i+1)
		green := r.control(ref, "Green")
		settled, reply := make(chan error, 1), Reply{}
		settle := func() { settled <- e.Settle(popup()) }
		press := func() { reply = r.does(Event{Ref: ref, ID: green}) }
		switch i {
		case 0:
			settle()
			press()
		case rounds - 1:
			press()
			settle()
		default:
			go settle()
			press()
		}
		err, a := <-settled, r.answer(e)
		switch {
		case i == 0 && a.By != form.ByPopup, i == rounds-1 && a.By != "discord":
			t.Fatalf("round %d is answered by %s", i, a.By)
		case a.By == form.ByPopup && (err != nil || !strings.HasPrefix(reply.Notice, "Answered in tmux, ")):
			t.Errorf("the popup has answered, and is told %v; the chat %q", err, reply.Notice)
		case a.By == "discord" && (err == nil || reply.Notice != ""):
			t.Errorf("the chat has answered, and is told %q; the popup %v", reply.Notice, err)
		case a.By == form.ByPopup:
			r.sees(ref, "✓ Red\n~ Answered in tmux")
		default:
			r.sees(ref, "✓ Green\n~ Answered in Discord")
		}
	}
}

// What was typed is not lost to somebody who was faster, and of whom the desk has not heard.
func TestTypedInTheSameInstant(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	e := r.asks(colours)
	a := r.begins(e)
	m := a.draw()
	must.Do(r, e.Settle(popup()))
	told := make(chan Reply, 1)
	reply := func(reply Reply) error { told <- reply; return nil }
	buttons := m.Blocks[slices.IndexFunc(m.Blocks, func(b Block) bool { return len(b.Buttons) == 1 })].Buttons
	a.respond(Event{ID: buttons[0].ID, Reply: reply})
	a.respond(Event{ID: (<-told).Entry.ID, Text: "mauve", Reply: reply})
	said := <-told
	r.says(said, "Answered in tmux, ")
	r.says(said, "What you typed was not sent.\nmauve")
}

// Whoever presses ten times on a message that nobody knows has it closed once.
func TestStrayOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	tries := 0
	r.refuse = func(ref string, _ Message) error {
		if ref != "m9" {
			return nil
		}
		tries++
		return errors.New("status 500")
	}
	r.messages["m9"] = Message{}
	r.serve()
	r.asks(colours)
	red := r.control("m1", "Red")
	for range 10 {
		r.does(Event{Ref: "m9", ID: red})
	}
	r.until("it is not closed", func() bool { return r.unclosed.Load() == 1 })
	if tries != 1 {
		t.Errorf("%d tries to close it", tries)
	}
	r.isBack()
	r.sees("m9", "This question is in another message.")
}

// A program is named, as one that nobody knew of when this was written; a host of askpane's own is not.
func TestHostOf(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"tmux": "tmux", "toy": "toy", "run": "", "page": "", "": "", "in\nlines": "“in lines”"} {
		if got := hostOf(spool.Request{Origin: spool.Origin{Host: host}}); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

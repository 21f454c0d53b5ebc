package main

import (
	"errors"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// An answer to a question of another machine is refused where that says that another one
// was earlier, and not where it was taken.
func TestAnswerThatWasTooLate(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := form.Form{Dialect: "question", Questions: []form.Question{{ID: "a", Label: "Colour", Prompt: "Which?", Kind: form.One,
		Options: []form.Option{{Value: "r", Label: "Red"}, {Value: "b", Label: "Blue"}}}}}
	for id, verdict := range map[string]string{"01M7YX0STBP1474D78SPT0A4J6": "", "01M7YX0STBP1474D78SPT0A4J7": "too late: answered in the popup on build1"} {
		e, err := s.Mirror(spool.Request{ID: id, Form: f, Origin: spool.Origin{Away: &spool.Away{Machine: "build1", Digest: "d"}}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByAnswer, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		said, took := make(chan error), false
		seen, err := s.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		defer seen.Close()
		go func() {
			has, err := heard(seen, &spool.Away{Machine: "build1"})
			took = has
			said <- err
		}()
		if verdict != "" {
			err = e.SetAway(spool.AwayState{Verdict: verdict})
		}
		if err = errors.Join(err, e.Deliver()); err != nil {
			t.Fatal(err)
		}
		if err := <-said; (err == nil) != (verdict == "") || took != (verdict == "") || err != nil && (err.Error() != verdict || !errors.As(err, new(refusal))) {
			t.Errorf("%q: %t, %v", verdict, took, err)
		}
	}
}

// How long the oldest question has waited is told by this machine's clock, whatever that of the machine was which
// asked it: its id has that one's time.
func TestOldestByOurClock(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	t.Setenv("ASKPANE_SPOOL", dir)
	s, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := form.Form{Dialect: "question", Questions: []form.Question{{ID: "a", Label: "Colour", Prompt: "Which?", Kind: form.One,
		Options: []form.Option{{Value: "r", Label: "Red"}, {Value: "b", Label: "Blue"}}}}}
	at := func(ago time.Duration) spool.Origin { return spool.Origin{Start: time.Now().Add(-ago)} }
	ours, err := s.Create(spool.Request{Form: f, Origin: at(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	for id, ago := range map[string]time.Duration{"01K00000000000000000000000": time.Second, "7YYYYYYYYYYYYYYYYYYYYYYYYY": 5 * time.Minute} {
		theirs := at(ago)
		theirs.Away = &spool.Away{Machine: "build1", Digest: "d"}
		e, err := s.Mirror(spool.Request{ID: id, Form: f, Origin: theirs})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
	}
	if now, err := countWaiting(); now.Waiting != 3 || now.age() != "5m" || err != nil {
		t.Errorf("%d wait, the oldest for %s, %v", now.Waiting, now.age(), err)
	}
}

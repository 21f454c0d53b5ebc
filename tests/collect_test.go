package tests

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"
)

// collect runs askpane collect and reads its one envelope.
func (s spoolDir) collect(t testing.TB, want int, args ...string) (r result) {
	t.Helper()
	out, code := s.run(t, "", append([]string{"collect"}, args...)...)
	if code != want || strings.Count(out, "\n") != 1 {
		t.Fatalf("askpane collect %v: exit %d, want %d, and %q", args, code, want, out)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("askpane collect %v: %q: %v", args, out, err)
	}
	return r
}

// ask --detach returns at once; the question goes on, comes back when its popup
// is closed, and its answer is there for collect, once.
func TestDetach(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour, "--detach")
	r := a.result()
	if r.Outcome != "pending" || r.code != 0 || r.IsError || r.ID == "" {
		t.Fatalf("exit %d, %+v", r.code, r)
	}
	v.see("❯ 1. Red")
	s.tmux("kill-pane", "-t", a.pane) // the caller's terminal goes
	s.spool.collect(t, 7, r.ID)
	if err := syscall.Kill(s.spool.popup(t, r.ID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	v.unsee("Which colour?")
	v.see("❯ 1. Red")
	v.press("2")
	v.unsee("Which colour?")
	eventually(t, "the bridge has ended", func() bool { return len(s.spool.processes("ask-left")) == 0 })
	if got := s.spool.collect(t, 0, r.ID); got.Text != "Colour: user selected: 2. Green" || got.ID != r.ID {
		t.Errorf("collected %+v", got)
	}
	if out, code := s.spool.run(t, "", "collect", r.ID); code != 6 || out != "" {
		t.Errorf("twice: exit %d, %q", code, out)
	}
}

// Nobody is attached yet, and the caller is gone when somebody is.
func TestDetachNobodyThere(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	r := s.ask("main", colour, "--detach").result()
	if r.Outcome != "pending" || r.code != 0 {
		t.Fatalf("exit %d, %+v", r.code, r)
	}
	v := s.attach("main", 100, 30)
	v.see("❯ 1. Red")
	got := make(chan result, 1)
	go func() { got <- s.spool.collect(t, 0, r.ID, "--wait") }()
	eventually(t, "it is being collected", func() bool { return len(s.spool.processes("collect")) == 1 })
	v.press("1")
	select {
	case r := <-got:
		if r.Text != "Colour: user selected: 1. Red" {
			t.Errorf("collected %+v", r)
		}
	case <-time.After(patience):
		t.Error("collect --wait does not return")
	}
}

// A detached question that is cancelled, and one that nobody may be asked.
func TestDetachEnds(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	r := s.ask("main", colour, "--detach").result()
	v.see("❯ 1. Red")
	v.press("\x1b")
	v.unsee("Which colour?")
	eventually(t, "the bridge has ended", func() bool { return len(s.spool.processes("ask-left")) == 0 })
	if got := s.spool.collect(t, 3, "--unread"); got.ID != r.ID || got.Outcome != "cancelled" {
		t.Errorf("collected %+v", got)
	}
	if out, code := s.spool.run(t, "", "collect", "--unread"); code != 0 || out != "" {
		t.Errorf("nothing is unread: exit %d, %q", code, out)
	}
	out, code := s.spool.run(t, colour, "ask", "--detach")
	if code != 5 || !strings.Contains(out, `"outcome":"unavailable"`) {
		t.Errorf("without a terminal: exit %d, %q", code, out)
	}
	out, code = s.spool.run(t, `{"questions":[]}`, "ask", "--detach")
	if code != 6 || !strings.Contains(out, `"outcome":"rejected"`) {
		t.Errorf("rejected: exit %d, %q", code, out)
	}
}

// A call that was killed, and made again: the answer that was given meanwhile
// comes at once.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	v.see("❯ 1. Red")
	id := s.spool.only(t)
	a.kill(syscall.SIGKILL)
	v.see("agent gone")
	v.press("2")
	v.unsee("Which colour?")
	again := s.ask("main", colour)
	if r := again.answered("Colour: user selected: 2. Green"); r.ID != id || !strings.Contains(again.read("out"), `"recovered":true`) {
		t.Errorf("got %s", again.read("out"))
	}
	if n := len(s.spool.history()); n != 1 {
		t.Errorf("%d entries are in the history", n)
	}
}

// Killed with a draft begun: the same question again is the same form.
func TestAskedAgainWithADraft(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	v.see("❯ 1. Red")
	v.press("4")
	v.press("so far")
	v.see("so far")
	id := s.spool.only(t)
	a.kill(syscall.SIGKILL)
	v.see("agent gone")
	again := s.ask("main", colour)
	v.unsee("agent gone")
	v.see("so far")
	v.press(" and on\r")
	if r := again.answered("Colour: user wrote: so far and on"); r.ID != id {
		t.Errorf("got %+v, want %s", r, id)
	}
}

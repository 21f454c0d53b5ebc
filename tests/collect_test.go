package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
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
	v.see("> 1. Red")
	s.tmux("kill-pane", "-t", a.pane) // the caller's terminal goes
	s.spool.collect(t, 7, r.ID)
	if err := syscall.Kill(s.spool.popup(t, r.ID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	v.unsee("Which colour?")
	v.see("> 1. Red")
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
	v.see("> 1. Red")
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
	v.see("> 1. Red")
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

// What was typed to confirm a dangerous question goes to the call that asked, and
// to no later one of the same words; with its id it can be collected.
func TestDangerousAnswerIsNotGivenAgain(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	const drop = `{"questions":[{"header":"Old table","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`
	dead := s.ask("main", drop)
	v.see("Type the resource name")
	id := s.spool.only(t)
	dead.kill(syscall.SIGKILL)
	v.see("agent gone")
	v.press("sessions_old", enter)
	v.unsee("Drop it?")
	again := s.ask("main", drop)
	v.see("Drop it?")
	if s.spool.besides(t, id) == id {
		t.Error("the form is of the question that was answered")
	}
	v.press(esc)
	again.ends("cancelled", 3, "User cancelled the questionnaire")
	if got := s.spool.collect(t, 0, id); got.Text != "Old table: (Other) sessions_old" {
		t.Errorf("collected %+v", got)
	}
}

// besides is the pending entry besides id.
func (s spoolDir) besides(t *testing.T, id string) (other string) {
	t.Helper()
	eventually(t, "another question waits in the spool", func() bool {
		for _, name := range s.pending() {
			if name != id && !strings.HasPrefix(name, ".") {
				other = name
			}
		}
		return other != ""
	})
	return other
}

// A history that takes nothing: the answer is handed over once all the same, and
// doctor says what is wrong.
func TestHistoryThatTakesNothing(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	first := s.ask("main", colour)
	v.see("> 1. Red")
	if err := os.WriteFile(filepath.Join(string(s.spool), "history"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	v.press("1")
	first.answered("Colour: user selected: 1. Red")
	v.unsee("Which colour?")
	second := s.ask("main", colour)
	v.see("> 1. Red")
	v.press("2")
	second.answered("Colour: user selected: 2. Green")
	if out, code := s.spool.run(t, "", "collect", "--unread"); code != 0 || out != "" {
		t.Errorf("collect --unread: exit %d, %q", code, out)
	}
	if got := s.spool.listed(t); len(got) != 0 {
		t.Errorf("list: %+v", got)
	}
	if out, _ := s.spool.run(t, "", "doctor"); !strings.Contains(out, "! history") {
		t.Errorf("doctor says nothing of it:\n%s", out)
	}
	if err := os.Remove(filepath.Join(string(s.spool), "history")); err != nil {
		t.Fatal(err)
	}
}

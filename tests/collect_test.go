package tests

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
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
	killed := s.spool.popup(t, r.ID)
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.spool.another(t, r.ID, killed) // closing the pane has tmux draw all anew, so that the screen tells nothing
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

// What cannot be asked ends at once, as it does without --detach.
func TestDetachEnds(t *testing.T) {
	t.Parallel()
	dir := newSpool(t)
	out, code := dir.run(t, colour, "ask", "--detach")
	if code != 5 || !strings.Contains(out, `"outcome":"unavailable"`) {
		t.Errorf("without a terminal: exit %d, %q", code, out)
	}
	out, code = dir.run(t, `{"questions":[]}`, "ask", "--detach")
	if code != 6 || !strings.Contains(out, `"outcome":"rejected"`) {
		t.Errorf("rejected: exit %d, %q", code, out)
	}
}

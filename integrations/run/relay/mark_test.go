package relay

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/run/screen"
	"github.com/askpane/askpane/integrations/tty"
)

// What the command reports of itself titles the window for as long as it waits, also where
// the report comes in two writes or while a form is open.
func TestCommandWaits(t *testing.T) {
	t.Parallel()
	const blocked, working, titled, back = "\x1b]7501;state=blocked:app=codex:kind=permission\x1b\\", "\x1b]7501;state=working:app=codex\a",
		"\x1b]2;🔔 codex waits for you: permission\x1b\\", "\x1b[23;0t"
	for cut := range blocked {
		s := newStage(t, 40, 12)
		s.output([]byte("text" + blocked[:cut]))
		s.output([]byte(blocked[cut:]))
		if got := s.written(); !strings.HasSuffix(got, blocked+"\x1b[22;0t"+titled) || s.describe().Waits != "codex waits for you: permission" {
			t.Fatalf("cut after %d it has %q", cut, got)
		}
		s.output([]byte(working))
		if got := s.written(); !strings.HasSuffix(got, working+back) || s.describe().Waits != "" {
			t.Fatalf("then it has %q", got)
		}
	}
	s := newStage(t, 40, 12)
	b := s.open(aForm)
	s.output([]byte(blocked))
	if got := s.written(); !strings.HasSuffix(got, titled) {
		t.Errorf("under a form it has %q", got)
	}
	s.output([]byte(working))
	s.close(b)
	if got := s.written(); !strings.Contains(got, back) {
		t.Errorf("after a form it has %q", got)
	}
}

// Whoever asks whether reports are understood is answered once, and before the terminal can answer
// what it is asked with that: Claude Code takes those answers for a sign that nobody understands.
func TestReportsAreUnderstood(t *testing.T) {
	t.Parallel()
	const asked, other = "\x1b]7501;?\a", "\x1b[c"
	s := newStage(t, 40, 12)
	s.inner = s.out // so that one file has the order of both
	s.output([]byte("a" + asked + other))
	s.output([]byte("b"))
	if got := s.written(); strings.Count(got, screen.Understood) != 1 || !strings.Contains(got[strings.Index(got, screen.Understood):], other) {
		t.Errorf("the terminal and the command have %q", got)
	}
	s = newStage(t, 40, 12)
	b := s.open(aForm)
	if got := s.hold([]byte(asked + other)); !strings.HasPrefix(got, screen.Understood) || strings.Count(got, screen.Understood) != 1 {
		t.Errorf("under a form the answer is %q", got)
	}
	s.close(b)
}

// A form that waits is reported; then the terminal has the command's own report again.
func TestFormIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"", tty.Clear}, {"\x1b]7501;state=working:app=codex\x1b\\", "\x1b]7501;state=working:app=codex\x1b\\"}} {
		s := newStage(t, 40, 12)
		s.output([]byte(c[0]))
		m, err := s.mark("askpane")
		if err != nil || !strings.Contains(s.written(), tty.Blocked) {
			t.Fatalf("%v: %q", err, s.written())
		}
		if s.unmark(m); !strings.HasSuffix(s.written(), c[1]) {
			t.Errorf("after the form it has %q", s.written())
		}
	}
}

package tests

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestCallerTerminated(t *testing.T) {
	for sig, env := range map[syscall.Signal][]string{
		syscall.SIGTERM: nil,
		syscall.SIGINT:  nil,
		syscall.SIGHUP:  {"ASKPANE_KEEP_AFTER_CANCEL=false"},
	} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			v := s.attach("main", 100, 30)
			a := s.askWith(env, "main", colour)
			v.see("> 1. Red")
			a.kill(sig)
			r := a.result()
			if r.Outcome != "aborted" || r.code != 130 || !r.IsError {
				t.Errorf("exit %d, %+v; want aborted, 130", r.code, r)
			}
			v.unsee("Which colour?")
			if list := s.spool.listed(t); len(list) != 0 {
				t.Errorf("still listed: %+v", list)
			}
		})
	}
}

// A call whose pane is closed leaves the form, and what was typed there; and the
// answer goes to the same question asked again.
func TestCallerHungUp(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.askWith([]string{unguarded}, "main", colour)
	v.see("> 1. Red")
	v.press("4")
	v.press("t", "e", "a", "l")
	v.see("teal")
	id := s.spool.only(t)
	s.tmux("kill-pane", "-t", a.pane)
	v.see("agent gone", "teal")
	v.press(enter)
	v.unsee("Which colour?")
	again := s.ask("main", colour)
	if r := again.answered("Colour: user wrote: teal"); r.ID != id {
		t.Errorf("it was asked anew, as %s and not %s", r.ID, id)
	}
}

// A caller whose agent has died, and with it the reader of its output, leaves the
// question open, and the title of its pane as it was.
func TestCallerReaderGone(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := newAsker(t, s.spool, colour)
	agent := a.path("agent")
	words := fmt.Sprintf("echo $$ >%s; { ASKPANE_SPOOL=%s %s ask <%s; echo $? >%s; } | { read line <%s; }; exec cat",
		quote(a.path("pid")), quote(string(s.spool)), quote(binary), quote(a.path("request.json")), quote(a.path("rc")), quote(agent))
	if err := syscall.Mkfifo(agent, 0o600); err != nil {
		t.Fatal(err)
	}
	pane := strings.TrimSpace(s.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "--", "sh", "-c", words))
	v.see("> 1. Red")
	eventually(t, "the title is marked", func() bool { return strings.HasPrefix(s.format(pane, "pane_title"), "🔔") })
	if err := os.WriteFile(agent, []byte("die\n"), 0); err != nil {
		t.Fatal(err)
	}
	v.see("agent gone")
	if code := a.exitCode(); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
	eventually(t, "the title is as it was", func() bool { return !strings.Contains(s.format(pane, "pane_title"), "🔔") })
	v.press("2")
	v.unsee("Which colour?")
	s.ask("main", colour).answered("Colour: user selected: 2. Green")
}

// nohup: a call that is to outlive its terminal does.
func TestCallerWithNohup(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := newAsker(t, s.spool, colour)
	s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "trap '' HUP; "+a.script([]string{unguarded})+"; exec cat")
	v.see("> 1. Red")
	a.kill(syscall.SIGHUP)
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// Killed on a plain terminal, the caller takes the form along: the terminal
// belongs to the shell again. The question stays in the spool.
func TestTerminalCallerKilled(t *testing.T) {
	t.Parallel()
	p := openTerminal(t, 100, 30, unguarded)
	a := p.ask(colour)
	openEntry(p, 4)
	p.press("so far")
	p.see("so far")
	id := p.spool.only(t)
	a.kill(syscall.SIGKILL)
	a.exitCode()
	p.unsee("Which colour?")
	p.see(before)
	eventually(t, "the draft is saved", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "so far") })
	if list := p.spool.listed(t); len(list) != 1 || list[0].State != "agent gone" {
		t.Errorf("askpane list says %+v", list)
	}
}

// A person who is typing when the popup opens does not answer it.
func TestGuardHoldsKeysBack(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.askWith(nil, "main", colour) // with the guard as it is by default
	last := time.Now()
	v.until("said that keys are held back, under a person who types", func(screen string) bool {
		last = time.Now() // before the key: how long that is on its way is not the form's pause
		v.press("1")      // about a hundred a second: always less than guardMs apart
		return strings.Contains(screen, "Keys are held back until you pause typing")
	})
	v.unsee("Keys are held back")
	if quiet := time.Since(last); quiet < 1500*time.Millisecond {
		t.Errorf("keys count again %v after the last", quiet)
	}
	v.see("> 1. Red", "Keys count again. If the first is to answer, press it twice.")
	v.press("2")
	v.press(enter)
	v.press(down)
	v.see("> 2. Green")
	v.unsee("Keys count again")
	a.waits()
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// guard is longer than by default, so that a busy machine shows it in time.
const guard = 2 * time.Second

// A key typed the instant that the form is painted is swallowed, and the guard
// opens without one more key: in a form on the terminal itself, and in one that a
// multiplexer paints.
func TestGuardSwallowsTheFirstKey(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t testing.TB, width, height int, env ...string) place{"terminal": openTerminal, "tmux": openTmux} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, 100, 30, "ASKPANE_GUARD_MS="+fmt.Sprint(guard.Milliseconds()))
			a := p.ask(colour)
			p.see("Which colour?")
			p.press("3")
			p.see("Keys are held back until you pause typing", "> 1. Red")
			p.unsee("Keys are held back")
			p.see("Keys count again.")
			p.press("3")
			p.press("1")
			a.waits()
			p.press("2")
			p.press("2")
			a.answered("Colour: user selected: 2. Green")
		})
	}
}

// A form whose caller is stopped, as by Ctrl+Z, says too that it was answered
// elsewhere; and then the viewer is free for the next question.
func TestTmuxAnsweredElsewhereOfAStoppedCaller(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	v.see("> 1. Red")
	id := s.spool.only(t)
	next := s.ask("main", strings.ReplaceAll(colour, "Which colour?", "Which shade?"))
	a.kill(syscall.SIGSTOP)
	s.spool.answers(t, id, `{"answers":{"0":"g"}}`)
	v.see("Already answered by askpane answer, ", "any key closes this")
	v.press("1")
	v.see("Which shade?")
	v.press("1")
	next.answered("Colour: user selected: 1. Red")
	a.kill(syscall.SIGCONT)
	a.answered("Colour: user selected: 2. Green")
}

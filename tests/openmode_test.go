package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/spool"
)

// next runs askpane next in a popup on a client, as a key binding does.
//
// The popup before may still be there for an instant after its form has gone; tmux
// opens no second one then, and says nothing of it.
func (s *tmuxServer) next(v *terminal) *byHand {
	s.t.Helper()
	var popup *byHand
	eventually(s.t, "tmux opens a popup", func() bool {
		if popup == nil {
			cmd := s.command("display-popup", "-c", v.tty, "-e", "ASKPANE_SPOOL="+string(s.spool), "-e", unguarded, "-w", "80%", "-h", "75%", "-E", "--", binary, "next")
			if err := cmd.Start(); err != nil {
				s.t.Fatal(err)
			}
			popup = &byHand{cmd, make(chan struct{}), nil}
			go popup.reap()
		}
		if len(s.spool.processes("next")) > 0 {
			return true
		}
		select {
		case <-popup.ended:
			popup = nil
		default:
		}
		return false
	})
	return popup
}

// byHand is a popup that the person has opened.
type byHand struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // how, once it has ended
}

// closePopup closes the popup on a client by tmux, with its form in it.
func (s *tmuxServer) closePopup(v *terminal, popup *byHand) {
	s.t.Helper()
	if err := s.command("display-popup", "-c", v.tty, "-C").Run(); err != nil {
		s.t.Fatal(err)
	}
	_ = popup.Wait() // tmux's status says nothing
	v.unsee("Which colour?")
}

func (p *byHand) reap() {
	p.err = p.cmd.Wait()
	close(p.ended)
}

// Wait waits until it has closed.
func (p *byHand) Wait() error {
	<-p.ended
	return p.err
}

const openElsewhere = "The one waiting question is open on another terminal; askpane inbox takes it over."

// hint is what askpane next says where it shows nothing.
func (s spoolDir) hint(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(binary, "next")
	cmd.Env = environ(t.TempDir(), "ASKPANE_SPOOL="+string(s))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("askpane next: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// Where there is no terminal, it says what needs none.
func TestNextWithoutATerminal(t *testing.T) {
	t.Parallel()
	dir := newSpool(t)
	dir.waits(t, "Colour", spool.Origin{Agent: "claude"})
	cmd := exec.Command(binary, "next")
	cmd.Env = environ(t.TempDir(), "ASKPANE_SPOOL="+string(dir))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.HasSuffix(string(out), "/dev/tty: no such device or address; askpane answer answers without one\n") {
		t.Errorf("askpane next: %v, %q", err, out)
	}
}

// Nothing opens by itself: the person is told, and opens the form when it suits
// them, the oldest first.
func TestTmuxManual(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	_, askers := s.together([]string{"ASKPANE_OPEN_MODE=manual"}, colour, trip)
	eventually(t, "the bell is heard", func() bool { return v.rung() > 0 })
	nothing := func() {
		t.Helper()
		if popups := s.spool.processes("popup"); len(popups) > 0 {
			t.Error("a form opened by itself")
		}
	}
	nothing() // the bell comes where else a form would
	first := s.next(v)
	v.see("Which colour?", "> 1. Red")
	s.closePopup(v, first)
	eventually(t, "the question waits again", func() bool { return s.spool.listed(t)[0].State == "pending" })
	second := s.next(v)
	v.see("Which colour?", "> 1. Red")
	nothing()
	v.press("2")
	askers[0].answered("Colour: user selected: 2. Green")
	if err := second.Wait(); err != nil {
		t.Errorf("askpane next ended with %v", err)
	}
	third := s.next(v)
	v.see("Where to?")
	if said := s.spool.hint(t); said != openElsewhere {
		t.Errorf("next says %q", said)
	}
	v.press(esc)
	askers[1].ends("cancelled", 3, closed)
	if err := third.Wait(); err != nil {
		t.Errorf("askpane next ended with %v", err)
	}
	if said := s.spool.hint(t); said != "No question waits." {
		t.Errorf("next says %q", said)
	}
}

// The form comes when the person has paused, and not into what they type.
func TestTmuxIdle(t *testing.T) {
	t.Parallel()
	const idle = 3 * time.Second
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	v.press("x")
	a := s.askWith([]string{unguarded, "ASKPANE_OPEN_MODE=idle", "ASKPANE_IDLE_SECONDS=3"}, "main", colour)
	var pressed time.Time
	eventually(t, "the title is marked, under a person who types", func() bool {
		pressed = time.Now()
		v.press("x")
		return strings.HasPrefix(s.format(a.pane, "pane_title"), "🔔")
	})
	v.see("Which colour?", "> 1. Red")
	if pause := time.Since(pressed); pause < idle {
		t.Errorf("the form came %v after the last key, want %v", pause, idle)
	}
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
}

// A muted question waits without a form and without a bell, its caller is told nothing, and
// the mute taken off brings the form, though the call has waited all the time.
func TestTmuxMuted(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	state := t.TempDir()
	mute := func(words ...string) {
		t.Helper()
		cmd := exec.Command(binary, append([]string{"mute"}, words...)...)
		cmd.Env = environ(t.TempDir(), "XDG_STATE_HOME="+state)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("askpane mute: %v, %s", err, out)
		}
	}
	mute("1h")
	a := s.askWith([]string{unguarded, "XDG_STATE_HOME=" + state}, "main", colour)
	eventually(t, "the title is marked", func() bool { return strings.HasPrefix(s.format(a.pane, "pane_title"), "🔔") })
	eventually(t, "nothing opens by itself", func() bool { return s.spool.listed(t)[0].State == "pending" })
	popup := s.next(v)
	v.see("Which colour?", "> 1. Red")
	s.closePopup(v, popup)
	if n := v.rung(); n > 0 {
		t.Errorf("%d bells are heard", n)
	}
	mute("off")
	v.see("Which colour?", "> 1. Red")
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
	if errs := a.read("err"); errs != "" {
		t.Errorf("the agent's side is told %q", errs)
	}
}

// Whoever asks at a terminal is told why no form comes, and what brings it.
func TestTmuxMutedIsSaid(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	state := t.TempDir()
	if err := os.MkdirAll(filepath.Join(state, "askpane"), 0o700); err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(time.Hour).Format(time.RFC3339)
	if err := os.WriteFile(filepath.Join(state, "askpane", "muted"), []byte(until), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := []string{"new-window", "-P", "-F", "#{pane_id}", "-t", "main:", "--", "env", "XDG_STATE_HOME=" + state, "ASKPANE_SPOOL=" + string(s.spool)}
	pane := strings.TrimSpace(s.tmux(append(ask, "GEMINI_CLI=1", binary, "ask", "Which hue?", "Red", "Blue")...))
	eventually(t, "an agent that has a terminal waits", func() bool { return strings.HasPrefix(s.format(pane, "pane_title"), "🔔") })
	if got := strings.TrimSpace(s.tmux("capture-pane", "-p", "-t", pane)); got != "" {
		t.Errorf("it is told %q", got)
	}
	v.press("\x03")
	eventually(t, "its question is over", func() bool { return len(s.spool.listed(t)) == 0 })
	s.tmux(append(ask, binary, "ask", "Which shade?", "Dark", "Light")...)
	v.see("muted until", "askpane next shows the form, and askpane mute off opens it")
	v.press("\x03")
	v.unsee("muted until")
}

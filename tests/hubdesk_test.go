package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/watch"
)

// On a machine with a hub the desk is up for a question that has a popup, too: it is the
// desk that tells other machines.
func TestDeskForAHub(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	home := homeIn(s.env)
	endDesk(t, home)
	v := s.attach("main", 100, 30)
	desk := filepath.Join(home, ".local/state/askpane/desk")
	for _, hub := range []bool{false, true} {
		env := []string{unguarded}
		if hub {
			env = append(env, "ASKPANE_HUB_URL=nats://127.0.0.1:1")
		}
		call := s.askWith(env, "main", colour)
		v.see("Which colour?")
		if hub {
			eventually(t, "the desk is up", func() bool { _, err := address.Last(desk); return err == nil })
		}
		v.press("1")
		call.answered("Colour: user selected: 1. Red")
		v.unsee("Which colour?")
		if _, err := address.Last(desk); (err == nil) != hub {
			t.Errorf("hub %t: the desk is up: %t", hub, err == nil)
		}
	}
}

// A desk that is killed while a question waits is started by the end of that: others still
// show it as waiting.
func TestEndedQuestionHasADesk(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	home := homeIn(s.env)
	endDesk(t, home)
	v := s.attach("main", 100, 30)
	pid := func() int {
		a, err := address.Last(filepath.Join(home, ".local/state/askpane/desk"))
		if err != nil {
			return 0
		}
		return a.PID
	}
	call := s.askWith([]string{unguarded, "ASKPANE_HUB_URL=nats://127.0.0.1:1"}, "main", colour)
	v.see("Which colour?")
	eventually(t, "the desk is up", func() bool { return pid() != 0 })
	killed := pid()
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it has ended", func() bool { // its lock is what tells that a desk is up
		f, err := os.Open(filepath.Join(home, ".local/state/askpane/desk/desk.lock"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return watch.Flock(f, unix.LOCK_SH|unix.LOCK_NB) == nil
	})
	v.press("1")
	call.answered("Colour: user selected: 1. Red")
	eventually(t, "another is up", func() bool { return pid() != killed })
}

// A question that asks for a secret does not leave a machine on which no form can open: who
// asks is told.
func TestSecretStaysWhereNoFormOpens(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	endDesk(t, home)
	var said heard
	cmd := exec.Command(binary, "ask", "--secret", "Which token?")
	cmd.Env = append(environ(home), "ASKPANE_SPOOL="+string(newSpool(t)), "ASKPANE_HUB_URL=nats://127.0.0.1:1", unguarded)
	cmd.Stderr, cmd.SysProcAttr = &said, &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	eventually(t, "it says so", func() bool {
		return strings.Contains(said.String(), "stays on this machine; answer it here by askpane next")
	})
	eventually(t, "the desk is up, and can be ended", func() bool {
		_, err := address.Last(filepath.Join(home, ".local", "state", "askpane", "desk"))
		return err == nil
	})
}

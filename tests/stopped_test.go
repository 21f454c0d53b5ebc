package tests

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// stop stops the server; goOn lets it go on, as the end of the test does.
func (s *tmuxServer) stop(t *testing.T) (goOn func()) {
	t.Helper()
	pid, err := strconv.Atoi(s.tmux("display-message", "-p", "#{pid}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	goOn = func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
	t.Cleanup(goOn) // before the server is ended
	return goOn
}

// inside is TMUX as the server's panes have it.
func (s *tmuxServer) inside() string {
	return "TMUX=" + s.tmux("display-message", "-p", "#{socket_path},#{pid},0")
}

// A tmux server that does not answer is passed over, and holds up nothing.
func TestTmuxServerStopped(t *testing.T) {
	// The environment is from elsewhere: the server that the agent is in is there.
	t.Run("the agent's own is next", func(t *testing.T) {
		t.Parallel()
		own, other := newTmux(t), newTmux(t)
		v := own.attach("main", 100, 30)
		env := other.inside()
		other.stop(t)
		a := own.askWith([]string{env, unguarded}, "main", colour)
		v.see("Which colour?", "> 1. Red", "main:1.0")
		v.press("2")
		a.answered("Colour: user selected: 2. Green")
		report := filepath.Join(t.TempDir(), "doctor")
		own.tmux("new-window", "-d", "-t", "main:", "--", "env", env, "ASKPANE_SPOOL="+string(own.spool),
			"sh", "-c", quote(binary)+" doctor >"+quote(report)+".new; mv "+quote(report)+".new "+quote(report))
		var said []byte
		eventually(t, "doctor has said what it found", func() (written bool) {
			said, _ = os.ReadFile(report)
			return len(said) > 0
		})
		contains(t, "askpane doctor", string(said), "tmux      used; asking pane main:")
	})
	// Its popups and alerts hold up nothing either.
	t.Run("while a question waits", func(t *testing.T) {
		t.Parallel()
		s := newTmux(t)
		v := s.attach("main", 100, 30)
		a := newAsker(t, s.spool, colour)
		pane := s.tmux("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "--", "cat")
		cmd := exec.Command("sh", "-c", a.script(nil, "--timeout", "4"))
		cmd.Env = append(environ(t.TempDir(), s.inside()), "TMUX_PANE="+pane)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
		})
		v.see("Which colour?", "> 1. Red")
		goOn := s.stop(t)
		a.ends("timeout", 4, "No answer before the deadline (4 s)")
		goOn()
		v.unsee("Which colour?")
	})
}

// Several hosts that do not answer are all passed over (how soon, integrations' TestHedged
// holds): an agent without a terminal is told, and a person at one is asked there.
func TestSeveralHostsStopped(t *testing.T) {
	hang := func(t *testing.T) []string {
		t.Helper()
		s := newTmux(t)
		env := []string{s.inside(), "KITTY_WINDOW_ID=1", "KITTY_LISTEN_ON=unix:" + deaf(t), "ASKPANE_RUN=" + deaf(t)}
		s.stop(t)
		return env
	}
	t.Run("unavailable", func(t *testing.T) {
		t.Parallel()
		passedOver(t, hang(t)...)
	})
	t.Run("the terminal is next", func(t *testing.T) {
		t.Parallel()
		p := openTerminal(t, 100, 30, append(hang(t), unguarded)...)
		a := p.ask(colour)
		p.see("Which colour?", "> 1. Red")
		p.press("2")
		a.answered("Colour: user selected: 2. Green")
	})
}

// deaf is a socket at which nobody answers.
func deaf(t *testing.T) string {
	t.Helper()
	dir := shortDir(t)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
	})
	return path
}

// tmate puts itself into TMUX, and its server does not answer a tmux.
func TestTmate(t *testing.T) {
	t.Parallel()
	needs.Program(t, "tmate")
	dir := shortDir(t)
	// It would go out to a server of tmate's.
	conf := filepath.Join(dir, "conf")
	if err := os.WriteFile(conf, []byte("set -g tmate-server-host 127.0.0.1\nset -g tmate-server-port 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tmate := func(args ...string) {
		t.Helper()
		cmd := exec.Command("tmate", append([]string{"-S", filepath.Join(dir, "s"), "-f", conf}, args...)...)
		cmd.Env = environ(dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("tmate %v: %v: %s", args, err, out)
		}
	}
	tmux := filepath.Join(dir, "tmux")
	tmate("new-session", "-d", "echo $TMUX >"+tmux+".new; mv "+tmux+".new "+tmux+"; exec cat")
	defer tmate("kill-server")
	var env []byte
	var err error
	eventually(t, "a pane of tmate's says where it is", func() bool {
		env, err = os.ReadFile(tmux)
		return err == nil
	})
	passedOver(t, "TMUX="+strings.TrimSpace(string(env)))
}

// passedOver asks and runs doctor without a terminal, in the environment of a
// tmux that does not answer.
func passedOver(t *testing.T, env ...string) {
	t.Helper()
	spool := newSpool(t)
	const reason = "$TMUX names a server that does not answer"
	for _, c := range []struct {
		args []string
		code int
	}{{[]string{"ask", "--timeout", "30"}, 5}, {[]string{"doctor"}, 1}} {
		cmd := exec.Command(binary, c.args...)
		cmd.Env = environ(t.TempDir(), append(env, "ASKPANE_SPOOL="+string(spool))...)
		cmd.Stdin = strings.NewReader(colour)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		stuck := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		out, _ := cmd.Output()
		stuck.Stop()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("askpane %s: exit %d, want %d", c.args[0], code, c.code)
		}
		contains(t, "askpane "+c.args[0], string(out), reason)
	}
}

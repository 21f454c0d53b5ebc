package tests

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// One multiplexer in another: the environment has the variables of both, and the
// form opens in the inner one, where the person sees it.

// asksIn checks that the one question is asked in a host, in front of the
// person, and answers it.
func asksIn(t *testing.T, p place, a *asker, host, pane string) {
	t.Helper()
	p.see("Which colour?", pane)
	if all := p.spool.listed(t); len(all) != 1 || all[0].Host != host {
		t.Errorf("the question is asked in %+v, want %s", all, host)
	}
	p.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// innerTmux is the command that starts a tmux with the session inner, in which
// the call runs. Its server is a child of nothing that is around it.
func innerTmux(t *testing.T, a *asker) string {
	t.Helper()
	name := "askpane-" + strings.ToLower(rand.Text()[:10])
	dir := shortDir(t)
	t.Cleanup(func() {
		cmd := exec.Command("tmux", "-L", name, "kill-server")
		cmd.Env = environ(dir, "TMUX_TMPDIR="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("end the inner tmux: %v: %s", err, out)
		}
	})
	return fmt.Sprintf("TMUX= TMUX_TMPDIR=%s tmux -L %s -f /dev/null new-session -s inner %s", dir, name, quote(a.script([]string{unguarded})+"; exec cat"))
}

func TestTmuxInZellij(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 100, 30)
	a := newAsker(t, s.spool, colour)
	s.open(a, innerTmux(t, a))
	asksIn(t, place{terminal: s.terminal, spool: s.spool}, a, "tmux", "inner:0.0")
}

func TestTmuxInTmux(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := newAsker(t, s.spool, colour)
	s.tmux("new-window", "-t", "main:", "--", "sh", "-c", innerTmux(t, a))
	asksIn(t, place{terminal: v, spool: s.spool}, a, "tmux", "inner:0.0")
}

func TestZellijInTmux(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := newAsker(t, s.spool, colour)
	z := zellijWith(t, s.spool, a.script([]string{unguarded})+"; exec cat")
	words := append([]string{"new-window", "-t", "main:", "--", "env"}, z.env...)
	s.tmux(append(append(words, "TMUX_TMPDIR=/nonexistent"), z.starts()...)...)
	t.Cleanup(func() { z.kill(); z.ended() })
	asksIn(t, place{terminal: v, spool: s.spool}, a, "zellij", z.name+":0")
}

// An agent that strips its tools' environment: the session and the pane are those
// whose process this one comes from.
func TestZellijStrippedEnvironment(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 100, 30)
	a := s.askWith([]string{"env", "-u", "ZELLIJ", "-u", "ZELLIJ_SESSION_NAME", "-u", "ZELLIJ_PANE_ID", "-u", "ZELLIJ_SOCKET_DIR", "-u", "TMPDIR", unguarded}, colour)
	asksIn(t, place{terminal: s.terminal, spool: s.spool}, a, "zellij", s.name+":1")
}

// The variables of a session that has gone, as a daemon hands them on.
func TestZellijLeftOverEnvironment(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 100, 30)
	a := s.askWith([]string{unguarded, "ZELLIJ_SESSION_NAME=gone", "ZELLIJ_PANE_ID=0"}, colour)
	asksIn(t, place{terminal: s.terminal, spool: s.spool}, a, "zellij", s.name+":1")
}

func TestKittyStrippedEnvironment(t *testing.T) {
	t.Parallel()
	k := newKitty(t, 100, 30)
	a := k.askWith([]string{"env", "-u", "KITTY_WINDOW_ID", "-u", "KITTY_LISTEN_ON", "-u", "KITTY_PID", unguarded}, colour)
	asksIn(t, place{terminal: &terminal{t: t, screens: k}, spool: k.spool}, a, "kitty", "window 2")
}

func TestScreenStrippedEnvironment(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 100, 30)
	a := s.askWith([]string{"env", "-u", "STY", "-u", "WINDOW", "-u", "SCREENDIR", unguarded}, colour)
	asksIn(t, place{terminal: s.terminal, spool: s.spool}, a, "screen", s.name+":1")
}

// A container whose environment names a tmux of the machine around it: neither
// its socket nor its processes are there, and the reason says so.
func TestContainerWithoutSocket(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		needs.Missing(t, "root", "only root can make namespaces everywhere; run the tests as root")
	}
	s := newTmux(t)
	s.attach("main", 100, 30)
	a := newAsker(t, s.spool, colour)
	dir := filepath.Dir(filepath.Dir(s.tmux("display-message", "-p", "#{socket_path}")))
	inside := fmt.Sprintf("mount -t tmpfs none %s && exec setsid --wait sh -c %s", quote(dir), quote(a.script(nil)))
	s.tmux("new-window", "-d", "-t", "main:", "--", "unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", inside)
	r := a.result()
	if r.Outcome != "unavailable" || !strings.Contains(r.Text, "tmux: $TMUX names a server that does not answer") {
		t.Errorf("%s: %q", r.Outcome, r.Text)
	}
}

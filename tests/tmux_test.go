package tests

import (
	"crypto/rand"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// tmuxServer is a private tmux server without configuration. Its environment
// knows nothing of askpane, so that what a popup knows came with the question.
type tmuxServer struct {
	t         testing.TB
	name      string // of the socket
	env       []string
	spool     spoolDir
	terminals []*terminal
}

// newTmux starts a server with the session main, in whose first window a
// program swallows what is typed.
func newTmux(t testing.TB) *tmuxServer {
	t.Helper()
	needs.Program(t, "tmux")
	s := &tmuxServer{t: t, name: "askpane-" + strings.ToLower(rand.Text()[:10]), spool: newSpool(t)}
	// A directory of its own and a short one: a socket's path has to fit 108 bytes.
	dir := shortDir(t)
	s.env = environ(t.TempDir(), "TMUX_TMPDIR="+dir)
	t.Cleanup(s.end)
	s.session("main")
	s.tmux("set-option", "-s", "escape-time", "20") // 500 by default before 3.5
	return s
}

// end checks that nothing is left, ends the server and closes the terminals.
func (s *tmuxServer) end() {
	s.spool.noneLeft(s.t)
	if out, err := s.command("kill-server").CombinedOutput(); err != nil {
		s.t.Errorf("tmux kill-server: %v: %s", err, out)
	}
	for _, v := range s.terminals {
		v.close()
	}
	if !poll(func() bool { return s.command("list-sessions").Run() != nil }) {
		s.t.Errorf("the tmux server %s is still there", s.name)
	}
}

func (s *tmuxServer) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-L", s.name, "-f", "/dev/null"}, args...)...)
	cmd.Env = s.env
	cmd.Dir = "/" // a form shows where its agent is, and the checkout's path may be a long one
	return cmd
}

// tmux runs a tmux command and returns what it prints.
func (s *tmuxServer) tmux(args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// session makes a session whose first window swallows what is typed.
func (s *tmuxServer) session(name string) {
	s.t.Helper()
	s.tmux("new-session", "-d", "-s", name, "-x", "100", "-y", "30", "--", "sh", "-c", "stty -echo; exec cat >/dev/null")
}

// attach attaches a person's terminal to a session.
func (s *tmuxServer) attach(session string, width, height int) *terminal {
	s.t.Helper()
	v := newTerminal(s.t, width, height)
	s.terminals = append(s.terminals, v)
	v.start(s.env, "tmux", "-L", s.name, "-f", "/dev/null", "attach-session", "-t", session)
	v.until("showed tmux's status line", func(string) bool {
		rows := v.rows()
		return strings.HasPrefix(rows[len(rows)-1], "["+session+"]")
	})
	return v
}

// leave closes the window that a client runs in.
func (s *tmuxServer) leave(v *terminal) {
	s.t.Helper()
	s.terminals = slices.DeleteFunc(s.terminals, func(other *terminal) bool { return other == v })
	v.close()
}

// client is what a tmux format says of the client in a terminal; not by
// display-message -c, which falls back to another client.
func (s *tmuxServer) client(v *terminal, format string) string {
	s.t.Helper()
	for line := range strings.Lines(s.tmux("list-clients", "-F", "#{client_tty} #{"+format+"}")) {
		if value, ok := strings.CutPrefix(line, v.tty+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	s.t.Fatalf("no client is attached on %s", v.tty)
	return ""
}

// use types in a terminal until tmux takes it for the one most recently used.
// tmux counts whole seconds.
func (s *tmuxServer) use(v, idle *terminal) {
	s.t.Helper()
	activity := func(v *terminal) int {
		n, err := strconv.Atoi(s.client(v, "client_activity"))
		if err != nil {
			s.t.Fatal(err)
		}
		return n
	}
	eventually(s.t, "the client is the most recently used one", func() bool {
		v.press(" ")
		return activity(v) > activity(idle)
	})
}

// call is one question asked from a pane of its own.
type call struct {
	*asker
	pane string
}

// ask asks from a new window, in the background, of a session.
func (s *tmuxServer) ask(session, request string, args ...string) call {
	s.t.Helper()
	return s.askWith([]string{unguarded}, session, request, args...)
}

// askWith is ask with an environment of its own. The pane stays when the call
// is over.
func (s *tmuxServer) askWith(env []string, session, request string, args ...string) call {
	s.t.Helper()
	a := newAsker(s.t, s.spool, request)
	pane := s.tmux("new-window", "-d", "-t", session+":", "-P", "-F", "#{pane_id}", "--",
		"sh", "-c", a.script(env, args...)+"; exec cat")
	return call{a, pane}
}

// clients are the devices of the attached clients.
func (s *tmuxServer) clients() []string {
	s.t.Helper()
	return strings.Fields(s.tmux("list-clients", "-F", "#{client_tty}"))
}

// detached waits until nobody is attached.
func (s *tmuxServer) detached() {
	s.t.Helper()
	eventually(s.t, "every client is detached", func() bool { return len(s.clients()) == 0 })
}

// format is what a tmux format says of a pane.
func (s *tmuxServer) format(pane, format string) string {
	s.t.Helper()
	return s.tmux("display-message", "-p", "-t", pane, fmt.Sprintf("#{%s}", format))
}

// modal reports whether the server opens modal panes; the other way to open a
// popup is display-popup.
func (s *tmuxServer) modal() bool {
	usage, _ := s.command("list-commands", "new-pane").Output() // 3.3a has no such command
	flags, _, _ := strings.Cut(string(usage), "]")
	return strings.Contains(flags, "O")
}

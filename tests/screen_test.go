package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// screenSession is a private GNU screen session without configuration. Its
// environment knows nothing of askpane.
type screenSession struct {
	t     testing.TB
	name  string // pid.name
	env   []string
	spool spoolDir
	*terminal
}

// newScreen starts a session whose first window swallows what is typed, with a
// person attached.
func newScreen(t testing.TB, width, height int) *screenSession {
	t.Helper()
	needs.Program(t, "screen")
	dir := shortDir(t)
	s := &screenSession{t: t, spool: newSpool(t)}
	// One level down: a screen that still ends makes its directory again, and cannot where
	// there is none for it.
	sockets := filepath.Join(dir, "s")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		t.Fatal(err)
	}
	s.env = environ(t.TempDir(), "SCREENDIR="+sockets, "TMPDIR="+dir)
	t.Cleanup(s.end)
	s.screen("-c", "/dev/null", "-dmS", "main", "sh", "-c", "stty -echo; exec cat >/dev/null")
	eventually(t, "screen's socket is there", func() bool {
		found, _ := filepath.Glob(filepath.Join(sockets, "*.main"))
		if len(found) == 1 {
			s.name = filepath.Base(found[0])
		}
		return s.name != ""
	})
	s.attached(false) // else nobody listens at the socket yet, and what attaches gives up
	s.attach(width, height)
	return s
}

// attach attaches a person's terminal.
func (s *screenSession) attach(width, height int) {
	s.t.Helper()
	s.terminal = newTerminal(s.t, width, height)
	s.terminal.start(s.env, "screen", "-c", "/dev/null", "-x", s.name)
	s.attached(true)
}

// attached waits until somebody is, or nobody.
func (s *screenSession) attached(want bool) {
	s.t.Helper()
	said := ""
	if !poll(func() bool {
		out, _ := s.command("-ls").Output() // its status says how many there are
		said = string(out)
		return strings.Contains(said, map[bool]string{true: "(Attached)", false: "(Detached)"}[want])
	}) {
		shows := ""
		if s.terminal != nil {
			shows = s.terminal.screen()
		}
		s.t.Fatalf("attached was never %t: %s\nand the terminal shows\n%s", want, said, shows)
	}
}

func (s *screenSession) command(args ...string) *exec.Cmd {
	cmd := exec.Command("screen", args...)
	cmd.Env = s.env
	return cmd
}

// screen runs a screen command and returns what it prints.
func (s *screenSession) screen(args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("screen %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// end checks that nothing is left and ends the session.
func (s *screenSession) end() {
	s.spool.noneLeft(s.t)
	if s.name != "" {
		s.screen("-S", s.name, "-X", "quit")
	}
	if s.terminal != nil {
		s.terminal.close()
	}
}

// askWith asks from a window of its own, in the background.
func (s *screenSession) askWith(env []string, request string, args ...string) *asker {
	s.t.Helper()
	a := newAsker(s.t, s.spool, request)
	s.run(a, a.script(env, args...))
	return a
}

// run runs the script of a call in a window of its own, in the background.
func (s *screenSession) run(a *asker, script string) {
	s.t.Helper()
	file := filepath.Join(a.dir, "script") // screen takes no long words
	if err := os.WriteFile(file, []byte(script+"; exec cat\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("setsid", "--wait", "screen", "-U", "-t", "agent", "--", "sh", file)
	cmd.Env = append(s.env, "STY="+s.name)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("a window for the agent: %v: %s", err, out)
	}
}

// openScreen: the agent is in a window in the background.
func openScreen(t testing.TB, width, height int, env ...string) place {
	t.Helper()
	s := newScreen(t, width, height)
	return place{s.terminal, s.spool, func(request string, args ...string) *asker {
		t.Helper()
		return s.askWith(env, request, args...)
	}}
}

// A session gets another name, which $STY in its windows does not know: its questions come
// up in it all the same.
func TestScreenRenamed(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 100, 30)
	a := newAsker(t, s.spool, colour)
	s.run(a, "until [ -e "+quote(a.path("go"))+" ]; do sleep 0.05; done; "+a.script([]string{unguarded}))
	s.screen("-S", s.name, "-X", "sessionname", "other")
	pid, _, _ := strings.Cut(s.name, ".")
	s.name = pid + ".other"
	eventually(t, "it has its new name", func() bool { out, _ := s.command("-ls").Output(); return strings.Contains(string(out), s.name) })
	if err := os.WriteFile(a.path("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.see("Which colour?", "> 1. Red")
	s.press("2")
	a.answered("Colour: user selected: 2. Green")
}

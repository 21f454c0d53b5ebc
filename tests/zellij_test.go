package tests

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// zellijSession is a private zellij session as zellij sets it up by itself: with
// its bars and frames. Its environment knows nothing of askpane.
type zellijSession struct {
	t     testing.TB
	name  string
	env   []string
	home  string
	spool spoolDir
	*terminal
}

// swallows is a pane's script that takes what is typed and shows nothing.
const swallows = "stty -echo; exec cat >/dev/null"

// zellijWith is a session, which nobody has started yet, whose one pane runs script.
func zellijWith(t testing.TB, spool spoolDir, script string) *zellijSession {
	t.Helper()
	needs.Program(t, "zellij")
	needs.Long(t, "zellij")
	// A short directory: a socket's path has to fit 108 bytes.
	dir := shortDir(t)
	s := &zellijSession{t: t, name: strings.ToLower(rand.Text()[:8]), home: t.TempDir(), spool: spool}
	s.env = environ(s.home, "ZELLIJ_SOCKET_DIR="+dir, "ZELLIJ_CONFIG_DIR="+s.home, "TMPDIR="+dir)
	shell := filepath.Join(s.home, "shell")
	for name, text := range map[string]string{
		shell:                               "#!/bin/sh\n" + script + "\n",
		filepath.Join(s.home, "config.kdl"): fmt.Sprintf("show_startup_tips false\nshow_release_notes false\ndefault_shell %q\n", shell),
	} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// starts is the command that starts it.
func (s *zellijSession) starts() []string {
	return []string{"zellij", "--session", s.name}
}

// newZellij starts a session with a person attached.
func newZellij(t testing.TB, width, height int) *zellijSession {
	t.Helper()
	s := zellijWith(t, newSpool(t), swallows)
	s.terminal = newTerminal(t, width, height)
	t.Cleanup(s.end)
	s.terminal.start(s.env, s.starts()[0], s.starts()[1:]...)
	// A command that comes while the session starts hangs.
	eventually(t, "zellij has drawn its screen", func() bool { return strings.Contains(s.output(), "\x1b[2J") })
	eventually(t, "the zellij client is attached", func() bool {
		return slices.ContainsFunc(s.tabs(), func(tab zellijTab) bool { return tab.Active })
	})
	s.see("Tab #1", "Ctrl +") // its bars are programs, which it compiles first; until then all else is slow
	return s
}

// tell says of a test that has failed what zellij and askpane know: a form was up once that
// zellij did not show.
func (s *zellijSession) tell() {
	if !s.t.Failed() {
		return
	}
	for _, list := range []string{"list-tabs", "list-panes", "list-clients"} {
		cmd := s.command("action", list)
		stop := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		out, err := cmd.CombinedOutput()
		stop.Stop()
		s.t.Logf("zellij action %s: %v\n%s", list, err, out)
	}
	for _, id := range s.spool.pending() {
		s.t.Logf("%s: popup.lock %q, popups %v", id, s.spool.read(id, "popup.lock"), s.spool.processes("popup"))
	}
}

type zellijTab struct {
	Active   bool
	Bell     bool `json:"has_bell_notification"`
	Floating bool `json:"are_floating_panes_visible"`
	Columns  int  `json:"display_area_columns"`
}

// tabs are what zellij says of its tabs; none while it starts.
func (s *zellijSession) tabs() (tabs []zellijTab) {
	cmd := s.command("action", "list-tabs", "--json")
	stop := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	_ = json.Unmarshal(out, &tabs) // nothing is nothing
	return tabs
}

func (s *zellijSession) command(args ...string) *exec.Cmd {
	cmd := exec.Command("zellij", append([]string{"--session", s.name}, args...)...)
	cmd.Env = s.env
	return cmd
}

// zellij runs a zellij command on the session and returns what it prints.
func (s *zellijSession) zellij(args ...string) string {
	s.t.Helper()
	out, err := s.try(append([]string{"--session", s.name}, args...)...)
	if err != nil {
		s.t.Fatalf("zellij %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// try runs a zellij command, again where that takes a session that lives for dead, as
// it does now and then.
func (s *zellijSession) try(args ...string) (out []byte, err error) {
	poll(func() bool {
		cmd := exec.Command("zellij", args...)
		cmd.Env = s.env
		stop := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer stop.Stop()
		out, err = cmd.CombinedOutput()
		return err == nil || !strings.Contains(string(out), "There is no active session") && !strings.Contains(string(out), "No session named")
	})
	return out, err
}

// end checks that nothing is left and ends the session.
func (s *zellijSession) end() {
	s.spool.noneLeft(s.t)
	s.kill()
	s.terminal.close()
	s.ended()
}

// ended waits for the server, which writes on into its home after kill has returned.
func (s *zellijSession) ended() {
	eventually(s.t, "zellij has ended", func() bool { return len(atHome(s.home)) == 0 })
}

// kill ends the session.
func (s *zellijSession) kill() {
	if out, err := s.try("kill-session", s.name); err != nil {
		s.t.Errorf("zellij kill-session: %v: %s", err, out)
	}
}

// askWith asks from a tab of its own, in the background.
func (s *zellijSession) askWith(env []string, request string, args ...string) *asker {
	s.t.Helper()
	a := newAsker(s.t, s.spool, request)
	s.run(a, a.script(env, args...))
	return a
}

// run runs the script of a call in a tab of its own, in the background.
func (s *zellijSession) run(a *asker, script string) {
	s.t.Helper()
	s.open(a, script, "--no-focus")
}

// open runs a script in a tab of its own. zellij (0.45.1) now and then takes a
// command, says so, and does nothing: then it is told again.
func (s *zellijSession) open(a *asker, script string, options ...string) {
	s.t.Helper()
	file := filepath.Join(a.dir, "script")
	begun := a.path("begun")
	if err := os.WriteFile(file, []byte("mkdir "+quote(begun)+" || exec cat; "+script+"; exec cat\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	for range 4 {
		s.newTab(file, options...)
		if needs.Within(patience/4, func() bool { _, err := os.Stat(begun); return err == nil }) {
			return
		}
	}
	s.t.Fatal("zellij never ran the script")
}

func (s *zellijSession) newTab(file string, options ...string) {
	s.t.Helper()
	s.zellij(append(append([]string{"action", "new-tab"}, options...), "--", "sh", file)...)
}

// attach attaches a person's terminal.
func (s *zellijSession) attach(width, height int) {
	s.t.Helper()
	s.terminal = newTerminal(s.t, width, height)
	s.terminal.start(s.env, "zellij", "attach", s.name)
	s.attached(true)
}

// attached waits until somebody is, or nobody.
func (s *zellijSession) attached(want bool) {
	s.t.Helper()
	if !poll(func() bool {
		tabs := s.tabs()
		return len(tabs) > 0 && want == slices.ContainsFunc(tabs, func(tab zellijTab) bool { return tab.Active })
	}) {
		s.t.Fatalf("attached was never %t; the tabs are %v, and the terminal shows\n%s", want, s.tabs(), s.terminal.screen())
	}
}

// openZellij: the agent is in a tab in the background.
func openZellij(t testing.TB, width, height int, env ...string) place {
	t.Helper()
	s := newZellij(t, width, height)
	return place{s.terminal, s.spool, func(request string, args ...string) *asker {
		t.Helper()
		a := s.askWith(env, request, args...)
		t.Cleanup(s.tell) // before the asker is ended
		return a
	}}
}

// Where the bars leave too few rows for a floating pane, as in the panel of an
// editor, the form has a tab of its own; then the person is where they were.
func TestZellijLow(t *testing.T) {
	for _, size := range [][2]int{{120, 11}, {160, 9}, {44, 11}, {34, 7}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			s := newZellij(t, size[0], size[1])
			a := s.askWith([]string{unguarded}, colour)
			s.see("Which colour?", "> 1. Red")
			s.press("2")
			a.answered("Colour: user selected: 2. Green")
			eventually(t, "the person is in their tab again", func() bool {
				tabs := s.tabs()
				return len(tabs) == 2 && tabs[0].Active && !tabs[1].Active
			})
		})
	}
}

// Another question that comes while a form has its tab waits in line there, as it
// does behind a floating pane.
func TestZellijLowInLine(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 120, 11)
	a := s.askWith([]string{unguarded}, colour)
	s.see("Which colour?")
	b := s.askWith([]string{unguarded}, strings.ReplaceAll(colour, "Which colour?", "And inside?"))
	s.see("Which colour?", "1 more waiting")
	s.press("2")
	a.answered("Colour: user selected: 2. Green")
	s.see("And inside?")
	s.press("1")
	b.answered("Colour: user selected: 1. Red")
}

// A session gets another name, which the environment of its panes does not know: what is
// asked there comes up in it all the same.
func TestZellijRenamed(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 100, 30)
	a := newAsker(t, s.spool, colour)
	s.run(a, "until [ -e "+quote(a.path("go"))+" ]; do sleep 0.05; done; "+a.script([]string{unguarded}))
	renamed := s.name + "-renamed"
	s.zellij("action", "rename-session", renamed)
	s.name = renamed
	eventually(t, "it has its new name", func() bool { return len(s.tabs()) > 0 })
	if err := os.WriteFile(a.path("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.see("Which colour?", "> 1. Red")
	s.press("2")
	a.answered("Colour: user selected: 2. Green")
}

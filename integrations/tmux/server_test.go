package tmux

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/tests/needs"
)

// patience is how long something may take on a busy machine.
const patience = 30 * time.Second

// private is a real tmux server of the test's own, with one pane that does nothing.
type private struct {
	socket, pane string
	pid, root    int // of the server, and of what runs in the pane
}

// startServer starts one with these variables in its environment besides.
func startServer(t *testing.T, socket string, env ...string) private {
	t.Helper()
	needs.Program(t, "tmux")
	tmux := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(append(os.Environ(), "TMUX="), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return strings.TrimSuffix(string(out), "\n")
	}
	ids := tmux("new-session", "-d", "-s", "name: with; #signs", "-x", "100", "-y", "30", "-P", "-F", "#{pid} #{pane_pid} #{pane_id}", "cat")
	t.Cleanup(func() { tmux("kill-server") })
	p := private{socket: socket}
	if n, err := fmt.Sscan(ids, &p.pid, &p.root, &p.pane); n != 3 {
		t.Fatal(ids, err)
	}
	return p
}

// shortDir is a directory for sockets, whose paths are at most 107 bytes: t.TempDir's can
// be more.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "askpane-tmux")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// variables are an environment.
type variables map[string]string

func (v variables) get(name string) string { return v[name] }

// with is v with one more, or with another value.
func (v variables) with(name, value string) variables {
	v = maps.Clone(v)
	v[name] = value
	return v
}

// inside is the environment of what runs in the server's pane.
func (p private) inside() variables {
	return variables{"TMUX": fmt.Sprintf("%s,%d,0", p.socket, p.pid), "TMUX_PANE": p.pane}
}

// asServer gives a host that was found its type.
func asServer(h host.Host, err error) (*server, error) {
	s, _ := h.(*server)
	return s, err
}

// find finds the server as from within its pane.
func (p private) find(t *testing.T) *server {
	t.Helper()
	s, err := asServer(findFrom(t.Context(), p.inside().get, append([]host.Process{{PID: p.root}}, process.Line()...)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// privateServer starts a server of the test's own and is it as found from within its pane.
func privateServer(t *testing.T) *server {
	t.Helper()
	return startServer(t, filepath.Join(shortDir(t), "s,1")).find(t) // a comma, as TMUX has itself
}

func (s *server) titled(t *testing.T) string {
	t.Helper()
	out, err := s.run(t.Context(), "display-message", "-p", "-t", s.pane, "#{pane_title}")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// takeBack gives the title back, and waits until it is that.
func (s *server) takeBack(t *testing.T, restore func(context.Context) error, want string) {
	t.Helper()
	if err := restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.is(t, s.pane, "#{pane_title}", want)
}

// agentTitles is the agent's own program setting the pane's title.
func (s *server) agentTitles(t *testing.T, title string) {
	t.Helper()
	if _, err := s.run(t.Context(), "select-pane", "-t", s.pane, "-T", literal(title)); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	p := startServer(t, filepath.Join(shortDir(t), "s,1"))
	s := p.find(t)
	if !strings.HasSuffix(words(s), ":0.0") || !strings.HasPrefix(s.tty, "/dev/") || s.home != "$0" {
		t.Errorf("found pane %q, tty %q, session %q", words(s), s.tty, s.home)
	}
	if v, err := s.Viewer(t.Context()); !errors.Is(err, host.ErrNoViewer) {
		t.Errorf("Viewer with nobody attached: %+v, %v", v, err)
	}
	gone := p.inside().with("TMUX_PANE", "%99").get
	if again, err := asServer(findFrom(t.Context(), gone, s.ancestors)); err != nil || again.pane != p.pane {
		t.Errorf("with a pane that is gone: %+v, %v; want %s, which it comes from", again, err, p.pane)
	}
	h, err := asServer(findFrom(t.Context(), gone, process.Line()))
	if err != nil {
		t.Fatalf("from no pane, with one that is gone: %v", err)
	}
	if _, err := h.Mark(t.Context(), "x"); err == nil || words(h) != "" {
		t.Errorf("a pane that is gone: label %q, Mark %v", words(h), err)
	}
	// A pane that is there, but not where this process comes from.
	out, err := s.run(t.Context(), "split-window", "-t", p.pane, "-P", "-F", "#{pane_id}", "cat")
	if err != nil {
		t.Fatal(err)
	}
	others := p.inside().with("TMUX_PANE", strings.TrimSpace(out)).get
	if h, err := findFrom(t.Context(), others, process.Line()); err != nil || words(h) != "" {
		t.Errorf("another's pane is believed: %v, %v", h, err)
	}
	again, err := asServer(findFrom(t.Context(), others, s.ancestors))
	if err != nil || again.pane != p.pane {
		t.Fatalf("of two panes it takes %+v, %v; want %s", again, err, p.pane)
	}
	if _, err := findFrom(t.Context(), variables{"TMUX": "/nonexistent/socket,1,0"}.get, process.Line()); err == nil || !strings.Contains(err.Error(), "$TMUX names a server that does not answer") {
		t.Errorf("a server that is gone: %v", err)
	}
	if _, err := findFrom(t.Context(), variables{}.get, process.Line()); err == nil || !strings.Contains(err.Error(), "not inside tmux") {
		t.Errorf("outside tmux: %v", err)
	}
}

// Without $TMUX, or with one that has gone, it is the server that this process comes from,
// whatever its own environment is.
func TestFindByAncestors(t *testing.T) {
	t.Parallel()
	dir := tmuxDir(t)
	startServer(t, filepath.Join(dir.own, "another"))
	p := startServer(t, filepath.Join(dir.own, "mine"), "HOME=/elsewhere", "XDG_STATE_HOME=/elsewhere")
	above := []host.Process{{PID: os.Getpid()}, {PID: p.root}, {PID: p.pid}}
	for _, env := range []variables{dir.env, dir.env.with("TMUX", "/nonexistent/socket,1,0")} {
		s, err := asServer(findFrom(t.Context(), env.get, above))
		if err != nil || s.socket != p.socket || s.pane != p.pane {
			t.Errorf("with %v it is %+v, %v; want pane %s of %s", env, s, err, p.pane, p.socket)
		}
	}
	if server, _ := process.Of(p.pid); !strings.Contains(server.Name, Kind.Process) {
		t.Errorf("the server's process is called %q, by which it is not told", server.Name)
	}
}

// Where the tmux in PATH does not understand the server, it is asked by its own program.
func TestAnotherTmuxInPath(t *testing.T) {
	p := startServer(t, filepath.Join(shortDir(t), "s"))
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = -V ] && echo tmux 2.9 && exit\necho server exited unexpectedly >&2; exit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	own := process.Program(p.pid)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	s, err := asServer(findFrom(t.Context(), p.inside().get, append([]host.Process{{PID: p.root}}, process.Line()...)))
	if !strings.Contains(filepath.Base(own), "tmux") { // an unpacked one, run by its own loader
		if err == nil || !strings.Contains(err.Error(), "server exited unexpectedly (the tmux in PATH is 2.9, and the server runs "+own+": ") {
			t.Errorf("it says %v", err)
		}
		return
	}
	if err != nil || s.pane != p.pane {
		t.Fatalf("found %+v, %v", s, err)
	}
	if _, err := s.Viewer(t.Context()); !errors.Is(err, host.ErrNoViewer) {
		t.Errorf("then it says %v", err)
	}
}

// titles are what a title may hold that tmux could take for something else.
func titles(t *testing.T) map[string]string {
	touched := filepath.Join(t.TempDir(), "touched")
	t.Cleanup(func() {
		if _, err := os.Stat(touched); err == nil {
			t.Error("a command in a title was run")
		}
	})
	return map[string]string{
		"plain": "old title", "command": "#(touch " + touched + ")", "format": "#{pane_id} #S ##", "ends in ;": "old;", "quotes": `it's "old" $HOME \`,
		"bracket and comma": "a,b}#{==:x,x}", "second command": "x' ; run-shell 'touch " + touched, "wide": "日本語 🔔",
	}
}

// kept is a title as the server keeps it.
func (s *server) kept(title string) string {
	if s.modal { // it keeps a backslash doubled
		return strings.ReplaceAll(title, `\`, `\\`)
	}
	return title
}

// A title and a mark are text, whatever tmux could take them for, and the title comes back.
func TestMarkAndRestore(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	type marked struct{ own, mark, shown string }
	all := map[string]marked{
		// tmux keeps the doubled sign before a bracket, and shows it as one: what would
		// be a style in a status line is text.
		"a style": {"old", "#[fg=red]x", "##[fg=red]x"},
	}
	for name, title := range titles(t) {
		all["own title: "+name] = marked{title, "mark", "mark"}
		all["mark: "+name] = marked{"old", title, title}
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			s.agentTitles(t, c.own)
			if got := s.titled(t); got != s.kept(c.own) {
				t.Fatalf("the pane's own title is %q, want %q", got, s.kept(c.own))
			}
			restore := s.mark(t, c.mark)
			if got := s.titled(t); got != host.MarkSign+s.kept(c.shown) {
				t.Errorf("marked %q, want the sign and %q", got, s.kept(c.shown))
			}
			s.takeBack(t, restore, s.kept(c.own))
			s.noOptions(t)
		})
	}
}

// noOptions waits until no option of ours is left on the pane.
func (s *server) noOptions(t *testing.T) {
	t.Helper()
	until(t, "no option is left on the pane", func() bool {
		out, err := s.run(t.Context(), "show-options", "-p", "-t", s.pane)
		return err == nil && !strings.Contains(out, "@askpane")
	})
}

func TestAgentsNewTitleStays(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	s.agentTitles(t, "old")
	restore := s.mark(t, "mark")
	s.agentTitles(t, "agent works")
	s.takeBack(t, restore, "agent works")
	// A title from before must not come back with a later question.
	s.takeBack(t, s.mark(t, "🔔 later"), "agent works")
	s.noOptions(t)
}

func TestRing(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	if _, err := s.run(t.Context(), "new-window", "-t", "$0", "cat"); err != nil {
		t.Fatal(err)
	}
	if err := s.Ring(t.Context(), nil); err != nil { // nobody is attached: the flag is for them
		t.Fatal(err)
	}
	s.is(t, s.pane, "#{window_bell_flag}", "1")
}

// A question that waits holds no process of tmux's: none where nobody is there, and
// not for long where no popup is opened.
func TestNotReadyForEver(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	spare := new(standby)
	s.spare = spare
	if err := s.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if spare.Load() != nil {
		t.Error("a tmux is ready though nobody is attached")
	}
	s.attach(t)
	if err := s.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	ready := spare.Load()
	if ready == nil || ready.server != s {
		t.Fatal("no tmux was ready to open the first popup")
	}
	for late := time.After(readyFor + patience); ; {
		select {
		case <-ready.ended:
			if spare.Load() == ready {
				t.Error("it has ended and is still taken for ready")
			}
			return
		case <-late:
			t.Fatal("it still is")
		}
	}
}

// words are what a host calls the asking pane.
func words(h host.Host) string {
	words, _ := h.Asker()
	return words
}

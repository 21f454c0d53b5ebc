package tmux

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// dirs is a TMUX_TMPDIR of the test's own: where tmux puts its sockets in it, and an
// environment that names it and a home and a state directory.
type dirs struct {
	own string
	env variables
}

func tmuxDir(t *testing.T) dirs {
	t.Helper()
	dir := shortDir(t)
	own := filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	return dirs{own, variables{"TMUX_TMPDIR": dir, "HOME": "/the/home", "XDG_STATE_HOME": "/the/state"}}
}

// serve starts a server with an environment.
func (d dirs) serve(t *testing.T, name, home, state string) private {
	t.Helper()
	return startServer(t, filepath.Join(d.own, name), "HOME="+home, "XDG_STATE_HOME="+state)
}

// found are the names of the sockets of the servers that there are.
func found(env variables, refs ...string) (names []string) {
	for _, find := range anywhereFrom(env.get, refs) {
		if h, err := find(context.Background()); err == nil {
			names = append(names, filepath.Base(h.(*server).socket))
		}
	}
	slices.Sort(names)
	return names
}

// A server counts as soon as somebody is attached to it, from whichever process; and
// nothing of it is asked before that.
func TestAnywhere(t *testing.T) {
	t.Parallel()
	dir := tmuxDir(t)
	s := dir.serve(t, "server", "/the/home", "/the/state").find(t)
	if err := os.WriteFile(filepath.Join(dir.own, "no-socket"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if names := found(dir.env); names != nil {
		t.Errorf("found with nobody attached: %q", names)
	}
	p := s.attach(t)
	finds := anywhereFrom(dir.env.get, nil)
	if len(finds) != 1 {
		t.Fatalf("%d servers with somebody attached, want 1", len(finds))
	}
	h, err := finds[0](t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.Viewer(t.Context())
	want, wrong := s.findViewer(t.Context())
	if err != nil || wrong != nil || v.ID != want.ID || v.Active.IsZero() {
		t.Errorf("viewer %+v, %v; want %+v, %v", v, err, want, wrong)
	}
	if words, ref := h.Asker(); words != "" || ref != "" {
		t.Errorf("an asking pane: %q, %q", words, ref)
	}
	if _, err := s.run(t.Context(), "detach-client", "-s", s.home); err != nil {
		t.Fatal(err)
	}
	p.until("nobody is attached", func() bool { return found(dir.env) == nil })
}

// Of the servers that somebody is attached to, those count that are where tmux puts them
// and were started with the home and the state directory of this process; and those from
// which a question that waits was asked.
func TestWhoseServer(t *testing.T) {
	t.Parallel()
	dir, other := tmuxDir(t), tmuxDir(t)
	for name, env := range map[string][2]string{
		"ours": {"/the/home", "/the/state"}, "home": {"/another", "/the/state"}, "state": {"/the/home", "/another"},
		"usual": {"/the/home", ""}, "relative": {"/the/home", "state"}, "spelt out": {"/the/home/", "/the/home/.local/state"}, "bare": {"", ""},
	} {
		dir.serve(t, name, env[0], env[1]).find(t).attach(t)
	}
	outside := other.serve(t, "outside", "/the/home", "/the/state").find(t)
	outside.attach(t)
	asked := func(socket string) string { return "%0 " + socket }
	for _, c := range []struct {
		name string
		env  variables
		refs []string
		want []string
	}{
		{"the same places", dir.env, nil, []string{"bare", "ours"}},
		{"another home", dir.env.with("HOME", "/another"), nil, []string{"bare", "home"}},
		{"another state directory", dir.env.with("XDG_STATE_HOME", "/another"), nil, []string{"bare", "state"}},
		{"the usual state directory", dir.env.with("XDG_STATE_HOME", ""), nil, []string{"bare", "relative", "spelt out", "usual"}},
		{"another TMUX_TMPDIR", other.env, nil, []string{"outside"}},
		{"asked from a server outside", dir.env, []string{asked(outside.socket)}, []string{"bare", "ours", "outside"}},
		{"asked from one of another home", dir.env, []string{asked(filepath.Join(dir.own, "home"))}, []string{"bare", "home", "ours"}},
		{"asked from one that counts anyway", other.env, []string{asked(outside.socket), asked(outside.socket)}, []string{"outside"}},
		{"asked from what is none", other.env, []string{"", "%0", "0 " + outside.socket, "%0 relative", asked("/nonexistent")}, []string{"outside"}},
	} {
		if names := found(c.env, c.refs...); !slices.Equal(names, c.want) {
			t.Errorf("%s: %q, want %q", c.name, names, c.want)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	must.Do(t, os.Chown(outside.socket, 65534, 65534))
	if names := found(dir.env, asked(outside.socket)); slices.Contains(names, "outside") {
		t.Errorf("%q: one where another user listens", names)
	}
}

// Where TMUX_TMPDIR is not set, or names nothing, tmux's sockets are in /tmp.
func TestUsualDir(t *testing.T) {
	t.Parallel()
	dir := tmuxDir(t).env
	for given, want := range map[string]string{dir["TMUX_TMPDIR"]: dir["TMUX_TMPDIR"], "": "/tmp", "/nonexistent": "/tmp"} {
		if got := usualDir(dir.with("TMUX_TMPDIR", given).get); got != want {
			t.Errorf("with TMUX_TMPDIR=%s it is %s, want %s", given, got, want)
		}
	}
}

// What a server was started with is learned though it is stopped.
func TestWhoseStoppedServer(t *testing.T) {
	t.Parallel()
	dir := tmuxDir(t)
	p := dir.serve(t, "server", "/the/home", "/the/state")
	p.find(t).attach(t)
	if err := syscall.Kill(p.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	finds := anywhereFrom(dir.env.get, nil)
	if err := syscall.Kill(p.pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if len(finds) != 1 {
		t.Errorf("%d servers while it was stopped, want 1", len(finds))
	}
}

// After su, TMUX names the server of whoever was there before, in which a form would be theirs. Nothing is asked of it.
func TestNamedServerOfSomebodyElse(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		needs.Missing(t, "root", "only root can give a socket away; run the tests as root")
	}
	p := startServer(t, filepath.Join(shortDir(t), "s"))
	env := p.inside()
	must.Do(t, os.Chown(p.socket, 65534, 65534))
	if h, err := findFrom(t.Context(), env.get, nil); err == nil || !strings.Contains(err.Error(), "another user's server") {
		t.Errorf("it is %v, %v", h, err)
	}
}

// A server counts only where nobody else can put another in its place: what a client of tmux's is told by a false
// one, it runs. Another user can make the directory where this one's servers would have theirs.
func TestDirectoryOfSomebodyElse(t *testing.T) {
	t.Parallel()
	dir := tmuxDir(t)
	p := dir.serve(t, "server", "/the/home", "/the/state")
	finds := func() bool {
		_, err := findFrom(t.Context(), variables{"TMUX_TMPDIR": filepath.Dir(dir.own)}.get, []host.Process{{PID: p.root}, {PID: p.pid}})
		return err == nil
	}
	if !finds() {
		t.Fatal("the person's own server is not found")
	}
	elsewhere := filepath.Join(filepath.Dir(dir.own), "elsewhere")
	for name, change := range map[string]func() error{
		"for everybody to write": func() error { return os.Chmod(dir.own, 0o777) },
		"a link":                 func() error { return errors.Join(os.Rename(dir.own, elsewhere), os.Symlink(elsewhere, dir.own)) },
		"another user's":         func() error { return os.Chown(dir.own, 65534, 65534) },
	} {
		if name == "another user's" && os.Geteuid() != 0 {
			continue
		}
		must.Do(t, change())
		if finds() {
			t.Errorf("a server is believed in a directory that is %s", name)
		}
		if name == "a link" {
			must.Do(t, errors.Join(os.Remove(dir.own), os.Rename(elsewhere, dir.own)))
		}
		must.Do(t, errors.Join(os.Chmod(dir.own, 0o700), os.Lchown(dir.own, os.Geteuid(), os.Getegid())))
	}
}

package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A real tmux reads the lines, twice, and has the keys and one count.
func TestTmuxReadsItsLines(t *testing.T) {
	bin, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatalf("%v: install tmux", err)
	}
	dir, err := os.MkdirTemp("", "aptm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o := options(t)
	o.Binary = `/opt/it's "$HOME" #S/askpane`
	put(t, filepath.Join(o.Home, ".tmux.conf"), "set -g status-right 'mine'\n")
	steps, err := Install("tmux", o)
	do(t, steps, err)
	conf := filepath.Join(o.Home, ".tmux.conf")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(bin, append([]string{"-S", filepath.Join(dir, "s"), "-f", conf}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "cat")
	t.Cleanup(func() { tmux("kill-server") })
	tmux("source-file", conf)
	if got := tmux("show-options", "-gv", "status-right"); strings.Count(got, "status --format tmux") != 2-1 {
		t.Errorf("the status line is %q", got)
	}
	keys := tmux("list-keys", "-T", "prefix")
	for key, command := range map[string]string{"A": "next", "M-a": "list"} {
		found := false
		for line := range strings.Lines(keys) {
			f := strings.Fields(line)
			found = found || len(f) > 4 && f[3] == key && strings.Contains(line, "display-popup") && strings.Contains(line, command)
		}
		if !found {
			t.Errorf("%s does not run %s:\n%s", key, command, keys)
		}
	}
}

// A file in which our lines would mean nothing, or something else, is left alone.
func TestMultiplexersRefuse(t *testing.T) {
	for _, c := range []struct{ agent, path, content, want string }{
		{"zellij", ".config/zellij/config.kdl", "keybinds clear-defaults=true {\n}\n", "there is a keybinds block"},
		{"wezterm", ".wezterm.lua", "return { font_size = 11 }\n", "does not end with the return of a variable"},
		{"tmux", ".tmux.conf", "# askpane begin: \"/x/askpane\"\nbind-key A x\n", "not whole any more"},
	} {
		o := options(t)
		path := filepath.Join(o.Home, c.path)
		put(t, path, c.content)
		if _, err := Install(c.agent, o); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", c.agent, err, c.want)
		}
	}
	o := options(t)
	o.Project = t.TempDir()
	if _, err := Install("tmux", o); err == nil || !strings.Contains(err.Error(), "a person's own") {
		t.Errorf("for a project: %v", err)
	}
}

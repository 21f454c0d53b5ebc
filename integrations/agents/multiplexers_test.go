package agents

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/tests/needs"
)

// ofMultiplexers are files that have one statement a line.
var ofMultiplexers = []person{
	{"tmux", ".tmux.conf", "# mine\nset -g mouse on\n"},
	{"tmux", ".tmux.conf", "set -g mouse on"},
	{"tmux", ".config/tmux/tmux.conf", "set -g mouse on\n\n"},
	{"zellij", ".config/zellij/config.kdl", "// mine\ntheme \"x\"\n"},
	{"kitty", ".config/kitty/kitty.conf", "# mine\nfont_size 11\n"},
	{"wezterm", ".wezterm.lua", "local wezterm = require 'wezterm'\nlocal c = wezterm.config_builder()\nc.font_size = 11\nreturn c\n"},
	{"wezterm", ".wezterm.lua", "local c = {}\nreturn c"},
}

// With other lines of the person's after we came, only ours go.
func TestUninstallKeepsLaterLines(t *testing.T) {
	for _, p := range ofMultiplexers {
		t.Run(p.path, func(t *testing.T) {
			o := options(t)
			path := filepath.Join(o.Home, p.path)
			put(t, path, p.content)
			steps, err := install(p.agent, o)
			do(t, steps, err)
			put(t, path, "later\n"+tree(t, o.Home)[p.path]+"\nlater still\n")
			steps, err = uninstall(p.agent, o)
			do(t, steps, err)
			got, want := tree(t, o.Home)[p.path], "later\n"+p.content+"\nlater still\n"
			if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
				t.Errorf("left is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A real tmux reads the lines, twice, and has the keys and one count.
func TestTmuxReadsItsLines(t *testing.T) {
	needs.Program(t, "tmux")
	dir, err := os.MkdirTemp("", "aptm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o := options(t)
	o.Binary = filepath.Join(t.TempDir(), "it's \"$HOME\" #S #(touch ran) 50%H)\n  # odd", "askpane")
	calls, ran := filepath.Join(o.Home, "calls"), filepath.Join(o.Home, "ran")
	put(t, o.Binary, "#!/bin/sh\necho \"$@\" >> '"+calls+"'\n")
	if err := os.Chmod(o.Binary, 0o700); err != nil {
		t.Fatal(err)
	}
	steps, err := install("tmux", o)
	do(t, steps, err)
	conf := filepath.Join(o.Home, ".tmux.conf")
	tmux := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "s"), "-f", conf}, args...)...)
		cmd.Dir = o.Home
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "cat")
	t.Cleanup(func() { tmux("kill-server") })
	tmux("source-file", conf)
	if got := tmux("show-options", "-gv", "status-right"); strings.Count(got, "status --format tmux") != 1 {
		t.Errorf("the status line is %q", got)
	}
	if got := tmux("show-options", "-gv", "status-right-length"); got != "60\n" {
		t.Errorf("the count has %q columns with the rest", got)
	}
	keys := tmux("list-keys", "-T", "prefix")
	for key, command := range map[string]string{"A": "next", "M-a": "inbox"} {
		found := false
		for line := range strings.Lines(keys) {
			f := strings.Fields(line)
			found = found || len(f) > 4 && f[3] == key && strings.Contains(line, "display-popup") && strings.Contains(line, command)
		}
		if !found {
			t.Errorf("%s does not run %s:\n%s", key, command, keys)
		}
	}
	// What the key asks first, and the status line, run askpane and nothing else.
	asks := regexp.MustCompile(`(?m)^bind-key A (if-shell .*) \{ .*`).FindStringSubmatch(tree(t, o.Home)[".tmux.conf"])
	if asks == nil {
		t.Fatalf("no key asks first:\n%s", tree(t, o.Home)[".tmux.conf"])
	}
	both := filepath.Join(dir, "both")
	put(t, both, asks[1]+" ''\ndisplay-message -p '"+strings.TrimSpace(tmux("show-options", "-gv", "status-right"))+"'\n")
	viewer := exec.Command("tmux", "-S", filepath.Join(dir, "s"), "-C", "attach-session") // what a client's formats run goes with it
	stdin, err := viewer.StdinPipe()
	if err != nil || viewer.Start() != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = stdin.Close(), viewer.Wait() }()
	if _, err := stdin.Write([]byte("source-file " + both + "\n")); err != nil {
		t.Fatal(err)
	}
	const each = "status --format tmux\n"
	for deadline := time.Now().Add(10 * time.Second); tree(t, o.Home)["calls"] != each+each; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("tmux has run %q", tree(t, o.Home)["calls"])
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("tmux has run a part of the path")
	}
}

// The key in tmux's table is the person's.
func TestOwnKeyInTmux(t *testing.T) {
	t.Setenv("ASKPANE_TMUX_KEY", "C-q")
	o := options(t)
	steps, err := install("tmux", o)
	do(t, steps, err)
	if said := tree(t, o.Home)[".tmux.conf"]; !strings.Contains(said, "\nbind-key C-q if-shell ") || strings.Contains(said, "bind-key A ") {
		t.Errorf("tmux.conf is\n%s", said)
	}
	for _, a := range All() {
		if a.Name == "tmux" && a.Setup.Oldest() != "prefix C-q" {
			t.Errorf("the key is said to be %s", a.Setup.Oldest())
		}
	}
	t.Setenv("ASKPANE_TMUX_KEY", "a b") // no key, and not taken
	if steps, err = install("tmux", options(t)); err != nil || !strings.Contains(steps[0].Snippet, "bind-key A ") {
		t.Errorf("%v, %+v", err, steps)
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
		if _, err := install(c.agent, o); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", c.agent, err, c.want)
		}
	}
	o := options(t)
	o.Project = t.TempDir()
	if _, err := install("tmux", o); err == nil || !strings.Contains(err.Error(), "a person's own") {
		t.Errorf("for a project: %v", err)
	}
}

// The real zellij and kitty take the lines.
func TestOthersReadTheirLines(t *testing.T) {
	for _, c := range []struct {
		agent, path string
		check       func(conf string) []string
	}{
		{"zellij", ".config/zellij/config.kdl", func(conf string) []string { return []string{"zellij", "--config", conf, "setup", "--check"} }},
		{"kitty", ".config/kitty/kitty.conf", func(conf string) []string {
			return []string{"kitty", "+runpy", "from kitty.config import load_config; load_config(" + hint.JSON(conf) + ")"}
		}},
	} {
		t.Run(c.agent, func(t *testing.T) {
			needs.Program(t, c.agent)
			o := options(t)
			path := filepath.Join(o.Home, c.path)
			put(t, path, "")
			steps, err := install(c.agent, o)
			do(t, steps, err)
			check := func() (string, error) {
				words := c.check(path)
				cmd := exec.Command(words[0], words[1:]...)
				cmd.Env = append(os.Environ(), "HOME="+o.Home, "XDG_RUNTIME_DIR="+t.TempDir(), "TMPDIR="+o.Home)
				out, err := cmd.CombinedOutput()
				if bytes.Contains(out, []byte("Ignoring invalid")) { // kitty goes on without the line
					err = errors.New("not taken")
				}
				return string(out), err
			}
			if out, err := check(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			put(t, path, tree(t, o.Home)[c.path]+"}}} nonsense {\n")
			if out, err := check(); err == nil {
				t.Errorf("it would take anything: %s", out)
			}
		})
	}
}

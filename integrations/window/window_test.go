package window

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		given, there string
		bin          string
		before       []string
	}{
		{"", "xterm kitty", "/bin/kitty", nil},
		{"", "xterm", "/bin/xterm", []string{"-e"}},
		{"", "xterm xdg-terminal-exec gnome-terminal", "/bin/xdg-terminal-exec", nil},
		{"xterm", "xterm xdg-terminal-exec", "/bin/xterm", []string{"-e"}},
		{"gnome-terminal", "xterm gnome-terminal", "/bin/gnome-terminal", []string{"--"}},
		{"unheard-of", "unheard-of xterm", "/bin/unheard-of", []string{"-e"}},
		{"absent", "xterm", "/bin/xterm", []string{"-e"}},
	} {
		look := func(name string) (string, error) {
			if slices.Contains(strings.Fields(c.there), name) {
				return "/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		}
		got, err := choose(c.given, look)
		if err != nil || !slices.Equal(got, append([]string{c.bin}, c.before...)) {
			t.Errorf("$TERMINAL %q of %s: %q, %v; want %s %v", c.given, c.there, got, err, c.bin, c.before)
		}
	}
	if _, err := choose("", func(string) (string, error) { return "", exec.ErrNotFound }); err == nil || !strings.Contains(err.Error(), "$TERMINAL can name one") {
		t.Errorf("no terminal at all: %v", err)
	}
}

// The file that macOS runs gives its words as they are, and removes itself.
func TestCommandFile(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	file := filepath.Join(dir, "askpane-1.command")
	text := commandFile([]string{"/bin/sh", "-c", `printf '<%s>' "$@" >` + out, "sh", "it's", "$HOME;", "`id`", "a\nb"})
	if err := os.WriteFile(file, []byte(strings.Replace(text, "clear\n", "", 1)), 0o700); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "<it's><$HOME;><`id`><a\nb>" {
		t.Errorf("it ran %q, %v", got, err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestFindNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if _, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no display for a new window") {
		t.Errorf("Find: %v", err)
	}
}

// A terminal that fails says why; one that comes up is waited for to its end.
func TestOpen(t *testing.T) {
	terminal := func(script string) window {
		path := filepath.Join(t.TempDir(), "term")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return window{terminal: []string{path, "-e"}}
	}
	cmd := host.Command{Args: []string{"/bin/sh", "-c", "exit 0"}}
	if _, err := terminal(`echo "cannot open display" >&2; exit 1`).Open(t.Context(), host.Viewer{}, cmd); err == nil || !strings.Contains(err.Error(), "term: cannot open display") {
		t.Errorf("a terminal that fails: %v", err)
	}
	o, err := terminal(`shift; exec "$@"`).Open(t.Context(), host.Viewer{ID: "v"}, cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Abandon()
	select {
	case <-o.Ended():
	case <-time.After(30 * time.Second):
		t.Error("its end was not told")
	}
}

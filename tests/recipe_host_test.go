package tests

import (
	"os/exec"
	"strings"
	"testing"
)

// toy is a host as CONTRIBUTING has them added: a package, and a line in
// integrations/host.go. Its popups are windows of the tmux server at $TOY.
const toy = `// Package toy opens popups as windows of a tmux server.
package toy

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

var Kind = host.Kind{Name: "toy", Find: find, Env: []string{"TOY"}, Attach: "toy attach", Setup: &host.Setup{
	What: "keys", Comment: "#",
	File:  func(home string, _ func(string) string, _ func(string) bool) string { return home + "/.toyrc" },
	Lines: func(binary string) string { return "key A " + hint.Word(binary) + " next\n" },
}}

type toy struct{ socket string }

func find(context.Context) (host.Host, error) {
	if os.Getenv("TOY") == "" {
		return nil, host.NotInside{Program: "toy", Variable: "TOY"}
	}
	return toy{os.Getenv("TOY")}, nil
}

func (toy) Kind() *host.Kind                               { return &Kind }
func (toy) Asker() (words, ref string)                     { return "the toy's pane", "" }
func (toy) Viewer(context.Context) (host.Viewer, error)    { return host.Viewer{ID: "toy"}, nil }
func (toy) Ring(context.Context, func(string) int) error   { return nil }
func (toy) Terminal(context.Context) (host.Terminal, error) { return host.Terminal{}, errors.New("none") }

func (h toy) Open(_ context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(argv []string) error {
		return exec.Command("tmux", append([]string{"-S", h.socket, "new-window", "--"}, argv...)...).Run()
	})
}
`

var hostRecipe = recipe{
	files: map[string]string{"integrations/toy/toy.go": toy},
	lines: []addition{
		{"integrations/host.go", "\t\"github.com/askpane/askpane/integrations/tmux\"\n", "\t\"github.com/askpane/askpane/integrations/toy\"\n"},
		{"integrations/host.go", "\t&window.Kind,\n", "\t&toy.Kind,\n"},
	},
}

// TestHostByTheRecipe adds a host as CONTRIBUTING says: it is named, looked for,
// asked in, and has its keys.
func TestHostByTheRecipe(t *testing.T) {
	t.Parallel()
	program := byTheRecipes(t)
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := newAsker(t, s.spool, colour)
	socket := "TOY=" + s.tmux("display-message", "-p", "#{socket_path}")
	s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "unset TMUX TMUX_PANE; "+strings.ReplaceAll(a.script([]string{unguarded, socket}, "--host", "toy"), binary, program))
	v.see("Which colour?", "> 1. Red", "the toy's pane")
	v.press("1")
	a.answered("Colour: user selected: 1. Red")

	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env = environ(t.TempDir(), "ASKPANE_SPOOL="+string(s.spool), socket)
		out, _ := cmd.CombinedOutput() // doctor's status says that something is wrong
		return string(out)
	}
	for _, c := range []struct{ args, want string }{
		{"ask --host none", ", window, toy"}, {"doctor", "used; asking pane the toy's pane"}, {"install toy", "key A " + program + " next"}, {"install codex", `"TOY"`},
	} {
		if out := run(strings.Fields(c.args)...); !strings.Contains(out, c.want) {
			t.Errorf("askpane %s says nothing of %q: %s", c.args, c.want, out)
		}
	}
}

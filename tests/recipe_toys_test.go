package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// survey is a dialect whose requests have nothing but a title.
var dialectRecipe = recipe{
	files: map[string]string{"bridge/dialect/survey.go": `package dialect

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

var survey = Dialect{
	Name:   "survey",
	noTool: true,
	fits:   func(top node) bool { return top.field("survey").given() },
	schema: "{\"type\": \"object\", \"properties\": {\"survey\": {\"type\": \"string\", \"pattern\": \"\\\\S\"}}, \"required\": [\"survey\"]}",
	decode: func(top node, f *form.Form) {
		options := []form.Option{{Value: "y", Label: "Yes"}, {Value: "n", Label: "No"}}
		f.Title, f.Review = top.string("survey"), true
		f.Questions = []form.Question{
			{ID: "one", Label: "One", Prompt: "Is it good?", Kind: form.One, Options: options, Other: "Other"},
			{ID: "many", Label: "Many", Prompt: "When?", Kind: form.Many, Options: options},
			{ID: "number", Label: "Number", Prompt: "How often?", Kind: form.Number},
			{ID: "text", Label: "Text", Prompt: "Why?", Kind: form.Text, Multiline: true},
		}
	},
	cancelled: "Nobody said",
	encode: func(f *form.Form, r form.Result, _ Context) (string, object) {
		var said []string
		for i, a := range r.Answers {
			said = append(said, f.Questions[i].Say(a, "", nil))
		}
		return strings.Join(said, "; "), object{}
	},
	rejected: func(error) object { return object{} },
}
`},
	lines: []addition{
		{"bridge/dialect/dialect.go", "\n\t&buttons,\n", "\t&survey,\n"},
		{"docs/dialects.md", "only the review submits.\n", `
## survey

` + "```json\n" + `{"survey": "Our coffee"}` + "\n```\n```json\n" + `{"one": "n", "many": ["y"], "number": 7, "text": "so"}` + "\n```\n```text\nNo; Yes; 7; so\n```\n```json\n{}\n```\n"},
	},
}

// A toy's popups are windows of the tmux server at $TOY.
var hostRecipe = recipe{
	files: map[string]string{"integrations/toy/toy.go": `// Package toy opens popups as windows of a tmux server.
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
	What: "keys", Comment: "#", Oldest: func() string { return "A" },
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
	return launcher.Open(v.ID, cmd, func(_ *launcher.Opening, argv []string) error {
		return exec.Command("tmux", append([]string{"-S", h.socket, "new-window", "--"}, argv...)...).Run()
	})
}
`},
	lines: []addition{
		{"integrations/host.go", "\t\"github.com/askpane/askpane/integrations/tmux\"\n", "\t\"github.com/askpane/askpane/integrations/toy\"\n"},
		{"integrations/host.go", "\t&window.Kind,\n", "\t&toy.Kind,\n"},
	},
}

// A note is a file as long as the question waits.
var alertRecipe = recipe{
	files: map[string]string{"notify/note.go": `package notify

import (
	"context"
	"os"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

var note = alert{
	name: "note", setting: "noteOnQuestion", late: true,
	isOn: func(s settings.Settings) bool { return s.NoteOnQuestion != "" },
	when: once,
	raise: func(_ context.Context, j job) (undo, error) {
		file := j.set.NoteOnQuestion
		return func(context.Context) error { return os.Remove(file) }, os.WriteFile(file, []byte(j.header()), 0o600)
	},
	describe: func(_ context.Context, j job) hint.Check {
		return hint.Check{State: hint.OK, Detail: "writes " + j.set.NoteOnQuestion}
	},
}
`},
	lines: []addition{{"notify/notify.go", "var all = []*alert{", "&note, "}},
}

var settingRecipe = recipe{
	lines: []addition{
		{"settings/settings.go", "help:\"no bell, speech, notification or push then, as in 22:00-07:00; title and form stay\"`\n", "\tNoteOnQuestion string `name:\"noteOnQuestion\" label:\"Note\" default:\"\" only:\"runs\" section:\"Alerts\" help:\"a file that names the question while it waits\"`\n"},
		{"docs/settings.md", "| no bell, speech, notification or push then, as in 22:00-07:00; title and form stay |\n", "| `noteOnQuestion` |  | a text in one line |  | a file that names the question while it waits |\n"},
	},
}

var commandRecipe = recipe{
	files: map[string]string{"cmd/askpane/note.go": `package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/settings"
)

func note(*cli.Context) error {
	text, err := os.ReadFile(settings.Load(here()).NoteOnQuestion)
	if err == nil {
		_, err = fmt.Println(string(text))
	}
	return err
}
`},
	lines: []addition{{"cmd/askpane/commands.go", "all := []*cli.Command{\n", "\t\t{Name: \"note\", Usage: \"print the note\", UsageText: \"askpane note\", Action: note},\n"}},
}

// One question meets host, dialect, alert, setting and command: it opens in the toy's
// window, has the usual keys, and a note as long as it waits. Esc leaves the next.
func TestToysInOneQuestion(t *testing.T) {
	t.Parallel()
	program := byTheRecipes(t)
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	home := t.TempDir()
	note, socket := filepath.Join(home, "note"), "TOY="+s.tmux("display-message", "-p", "#{socket_path}")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = environ(home, "ASKPANE_SPOOL="+string(s.spool), socket), home
		out, _ := cmd.CombinedOutput() // doctor's status says that something is wrong
		return string(out)
	}
	ask := func() *asker {
		a := newAsker(t, s.spool, `{"survey":"Our coffee"}`)
		script := strings.ReplaceAll(a.script([]string{unguarded, socket, "HOME=" + home}, "--host", "toy"), binary, program)
		s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "unset TMUX TMUX_PANE; "+script)
		return a
	}
	contains(t, "settings set", run("settings", "set", "noteOnQuestion", note), "noteOnQuestion is set in "+home)
	contains(t, "settings list", run("settings", "list"), "noteOnQuestion", "a file that names the question while it waits")
	contains(t, "settings get", run("settings", "get", "noteOnQuestion"), note)
	contains(t, "doctor", run("doctor"), "✓ note      writes "+note, "used; asking pane the toy's pane")
	contains(t, "help", run("help"), "print the note")
	contains(t, "a host that there is not", run("ask", "--host", "none"), ", window, toy")
	contains(t, "install", run("install", "toy"), "key A "+program+" next")
	contains(t, "an agent's variables", run("install", "codex"), `"TOY"`)

	a := ask()
	v.see("Our coffee", "Is it good?", "[○ One]", "> 1. Yes", "Enter choose", "the toy's pane")
	eventually(t, "the note is there", func() bool { return strings.TrimSpace(run("note")) == "Our coffee" })
	v.press(down)
	v.see("> 2. No")
	v.press(enter)
	v.see("[○ Many]", "> 1. ☐ Yes")
	v.press(" ")
	v.see("☑ Yes")
	v.press(enter)
	v.see("[○ Number]", "Enter type")
	v.press(enter)
	v.see("Enter answer")
	v.press("7", enter)
	v.see("[○ Text]", "Enter type")
	v.press(enter)
	v.see("Enter answer")
	v.press("so", enter)
	v.see("[Review]", "One: No", "Many: Yes", "Number: 7", "> Submit")
	v.press(enter)
	a.answered("No; Yes; 7; so")
	eventually(t, "the note is gone", func() bool {
		_, err := os.Stat(note)
		return os.IsNotExist(err)
	})

	a = ask()
	v.see("Is it good?")
	v.press(esc)
	if r := a.result(); r.Text != "Nobody said" {
		t.Errorf("Esc gave %q", r.Text)
	}
}

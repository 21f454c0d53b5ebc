package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A setting, an alert and a command as CONTRIBUTING has them added: a line in
// settings/settings.go, a file and a line in notify/notify.go, and a file and a
// row in cmd/askpane/commands.go.
const (
	noteSetting = "\tNoteOnQuestion string `name:\"noteOnQuestion\" default:\"\" runs:\"true\" section:\"Alerts\" help:\"a file that names the question while it waits\"`\n"

	noteAlert = `package notify

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
`

	noteCommand = `package main

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
`
)

var alertRecipe = recipe{
	files: map[string]string{"notify/note.go": noteAlert, "cmd/askpane/note.go": noteCommand},
	lines: []addition{
		{"settings/settings.go", "type Settings struct {\n", noteSetting},
		{"notify/notify.go", "var all = []*alert{", "&note, "},
		{"cmd/askpane/commands.go", "all := []*cli.Command{\n", "\t\t{Name: \"note\", Usage: \"print the note\", Action: note},\n"},
	},
}

// TestSettingAlertAndCommandByTheRecipe adds one of each and uses them: the
// setting is set, listed and read by its one line, doctor tells of the
// alert, the alert comes and goes with a question, and the command runs.
func TestSettingAlertAndCommandByTheRecipe(t *testing.T) {
	t.Parallel()
	program := byTheRecipes(t)
	home := t.TempDir()
	note := filepath.Join(home, "note")
	spool := newSpool(t)
	env := environ(home, unguarded, "ASKPANE_SPOOL="+string(spool))
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = env, home
		out, _ := cmd.CombinedOutput() // doctor fails where no host is
		return string(out)
	}
	contains(t, "settings set", run("settings", "set", "noteOnQuestion", note), "noteOnQuestion is set in "+home)
	contains(t, "settings list", run("settings", "list"), "noteOnQuestion", "a file that names the question while it waits")
	contains(t, "settings get", run("settings", "get", "noteOnQuestion"), note)
	contains(t, "doctor", run("doctor"), "✓ note      writes "+note)
	contains(t, "help", run("help"), "print the note")

	v := newTerminal(t, 100, 30)
	t.Cleanup(func() {
		spool.noneLeft(t)
		v.close()
	})
	request := filepath.Join(home, "request.json")
	if err := os.WriteFile(request, []byte(colour), 0o600); err != nil {
		t.Fatal(err)
	}
	v.start(env, "sh", "-c", quote(program)+" ask --output text --file "+quote(request)+"; exec cat")
	v.see("Which colour?")
	eventually(t, "the note is there", func() bool { return strings.TrimSpace(run("note")) == "Colour" })
	v.press("1")
	eventually(t, "the note is gone", func() bool {
		_, err := os.Stat(note)
		return os.IsNotExist(err)
	})
}

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gated is pi, in which what a pattern finds needs a permission; nothing does where that is empty.
func gated(t *testing.T, pattern string, script ...turn) *agent {
	t.Helper()
	a := newPi(t, script...)
	a.install("--write", "--only", "permissions")
	if pattern != "" {
		a.write(".config/askpane/settings.json", `{"permissionAsk":["`+pattern+`"]}`)
	}
	return a
}

// What is listed runs when it is allowed, and else the model reads why not. The rest runs unasked.
func TestPiPermission(t *testing.T) {
	t.Parallel()
	a := gated(t, "touch", calls("bash", `{"command":"true"}`), bash("touch made.txt"), calls("bash", `{"command":"touch other.txt"}`))
	a.start(true, "-p", "go on")
	a.asks("pi asks", "Allow bash to run this command?", "touch made.txt", "Yes, once")
	if strings.Contains(a.person.screen(), "always") {
		t.Error("pi keeps no rules")
	}
	a.permits("1")
	a.made()
	a.becomes("allowed")
	a.asks("touch other.txt")
	a.refuses("not in this folder")
	a.person.press(enter)
	if got := a.model.result(3); !strings.Contains(got, "not in this folder") {
		t.Errorf("the model reads %q", got)
	}
	a.ended()
	if _, err := os.Stat(filepath.Join(a.cwd, "other.txt")); err == nil {
		t.Error("what was refused has run")
	}
}

// A change of a file is shown as its diff; Esc in ours keeps it back, and so does Esc in pi.
func TestPiPermissionEdit(t *testing.T) {
	t.Parallel()
	edit := `{"path":"notes.md","edits":[{"oldText":"two","newText":"2"}]}`
	a := gated(t, "edit", calls("edit", edit), calls("edit", edit))
	notes := filepath.Join(a.cwd, "notes.md")
	mustWrite(t, notes, "one\ntwo\n")
	a.start(false, "go on")
	a.asks("Allow edit to change this file?", "- 2  two", "+ 2  2")
	a.permits("\x1b")
	if got := a.model.result(1); !strings.Contains(got, "The person does not allow this.") {
		t.Errorf("the model reads %q", got)
	}
	a.asks("Allow edit")
	a.keys("Escape")
	a.person.unsee("Allow edit")
	if text, _ := os.ReadFile(notes); string(text) != "one\ntwo\n" {
		t.Errorf("the file is %q", text)
	}
}

// Where nobody can be asked, what is listed does not run; where nothing is listed, all runs.
func TestPiPermissionUnasked(t *testing.T) {
	t.Parallel()
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		a := gated(t, "touch", bash("touch made.txt"))
		a.env = append(a.env, "ASKPANE_PERMISSIONS=never")
		a.start(true, "-p", "go on")
		if got := a.model.result(1); !strings.Contains(got, "Nobody could be asked whether this is allowed.") {
			t.Errorf("the model reads %q", got)
		}
		a.ended()
	})
	t.Run("nothing listed", func(t *testing.T) {
		t.Parallel()
		a := gated(t, "", bash("touch made.txt"))
		a.start(true, "-p", "go on")
		a.made()
		a.ended()
	})
}

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes one with a settings file in it.
func repository(t testing.TB, settings string) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, ".askpane", "settings.json")
	for _, d := range []string{filepath.Join(dir, ".git"), filepath.Dir(file)} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// The popup, which tmux starts elsewhere, has the settings of the agent's
// project, and so has the result.
func TestProjectSettingsReachThePopup(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, _ := repository(t, `{"dangerCheckEnabled": false, "guardMs": 0, "debounceMs": 77}`)
	a := newAsker(t, s.spool, danger)
	s.tmux("new-window", "-d", "-t", "main:", "-c", dir, "--", "sh", "-c", a.script(nil)+"; exec cat")
	v.see("Drop the old table?", "> 1. Affirm", "Submit")
	v.unsee("DESTRUCTIVE")
	v.press("1")
	v.see("Tell the team?")
	v.press("1")
	v.see("[Submit]", "> Submit")
	v.press(enter)
	a.answered("Drop: affirm\nTell: affirm")
	if out := a.read("out"); !strings.Contains(out, `"debounceMs":77`) {
		t.Errorf("the result is %s", out)
	}
}

// The menu on a real terminal: a switch is turned, and the file has it.
func TestSettingsMenu(t *testing.T) {
	t.Parallel()
	dir, file := repository(t, "{}\n")
	v := newTerminal(t, 34, 7)
	t.Cleanup(v.close)
	v.start(environ(t.TempDir()), "sh", "-c", "cd "+quote(dir)+" && "+quote(binary)+" settings; echo ended $?; exec cat")
	v.see("Settings", "❯ Asking", "Project’s file")
	v.press(down, down)
	v.see("❯ Alerts")
	v.press(enter)
	v.see("Settings › Alerts", "❯ titleOnQuestion         true")
	v.press(enter)
	v.see("❯ titleOnQuestion         false")
	if data, err := os.ReadFile(file); err != nil || string(data) != "{\n  \"titleOnQuestion\": false\n}\n" {
		t.Errorf("the file is %q, %v", data, err)
	}
	v.press("q")
	v.see("ended 0")
}

package tests

import (
	"fmt"
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

// trust makes dir a project that the person of env trusts.
func trust(t testing.TB, env []string, dir string) {
	t.Helper()
	fileIn(t, homeIn(env), ".config/askpane/settings.json", fmt.Sprintf(`{"trustedProjects": [%q]}`, dir))
}

// The popup, which tmux starts elsewhere, has the settings of the agent's
// project, and so has the result.
func TestProjectSettingsReachThePopup(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, _ := repository(t, `{"dangerCheckEnabled": false, "guardMs": 0, "debounceMs": 77}`)
	trust(t, s.env, dir)
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

// An agent that may write the project's files cannot take the danger check away.
func TestProjectCannotSwitchTheDangerCheckOff(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, _ := repository(t, `{"dangerCheckEnabled": false}`)
	a := newAsker(t, s.spool, danger)
	s.tmux("new-window", "-d", "-t", "main:", "-c", dir, "--", "sh", "-c", a.script([]string{unguarded})+"; exec cat")
	v.see("DESTRUCTIVE — Drop", "Type the resource name to confirm:")
	v.press("1", enter) // what would choose an option is a name here
	v.see("Tell the team?")
	v.press("1")
	v.see("[Submit]", "> Submit")
	v.press(enter)
	a.answered("Drop: (Other) 1\nTell: affirm")
}

// The project's file is edited under an open form: the form, its alerts and the
// bridge follow at once, and a file that is half written changes nothing.
func TestSettingsTakeEffectUnderAnOpenForm(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, file := repository(t, `{"openMode": "manual", "guardMs": 0, "theme": "mono", "dangerCheckEnabled": false}`)
	trust(t, s.env, dir)
	write := func(text string) {
		t.Helper()
		// As an editor does: a new file in the place of the old one.
		if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	a := newAsker(t, s.spool, danger)
	pane := s.tmux("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "-c", dir, "--", "sh", "-c", a.script(nil)+"; exec cat")
	eventually(t, "the title is marked", func() bool { return strings.HasPrefix(s.format(pane, "pane_title"), "🔔") })
	v.unsee("Drop the old table?")

	write(`{"openMode": "popup", "guardMs": 0, "theme": "mono", "dangerCheckEnabled": false}`)
	v.see("Drop the old table?", "> 1. Affirm", "Submit")
	if v.reversed("> 1. Affirm") {
		t.Error("the theme mono reverses the focus")
	}

	write(`{"guardMs": 0, "theme": "dark", "dangerCheckEnabled": false, "titleOnQuestion": false}`)
	eventually(t, "the theme changes", func() bool { return v.reversed("> 1. Affirm") })
	eventually(t, "the title is as it was", func() bool { return !strings.HasPrefix(s.format(pane, "pane_title"), "🔔") })

	if err := os.WriteFile(file, []byte(`{"theme": "mono", "dangerChe`), 0o600); err != nil { // in the middle of it
		t.Fatal(err)
	}
	write(`{"guardMs": 0, "theme": "dark", "dangerCheckEnabled": true, "debounceMs": 55}`)
	v.see("DESTRUCTIVE — Drop", "Type the resource name to confirm:")
	eventually(t, "who asks has read it, too: the title is marked again", func() bool { return strings.HasPrefix(s.format(pane, "pane_title"), "🔔") })
	v.press("shop", enter)
	v.see("Tell the team?")
	v.press("1")
	v.see("[Submit]", "> Submit")
	v.press(enter)
	a.answered("Drop: (Other) shop\nTell: affirm")
	if out := a.read("out"); !strings.Contains(out, `"debounceMs":55`) {
		t.Errorf("the result is %s", out)
	}
	if errs := a.read("err"); strings.Contains(errs, "settings.json") {
		t.Errorf("the half-written file was warned about: %s", errs)
	}
}

// The menu on a real terminal: a switch is turned, and the file has it.
func TestSettingsMenu(t *testing.T) {
	t.Parallel()
	dir, file := repository(t, "{}\n")
	v := newTerminal(t, 34, 7)
	t.Cleanup(v.close)
	v.start(environ(t.TempDir()), "sh", "-c", "cd "+quote(dir)+" && "+quote(binary)+" settings --project; echo ended $?; exec cat")
	v.see("Settings", "> Where forms op… auto", "Project’s file")
	v.press("/", "title", enter)
	v.see("> Bell sign in t… on")
	v.press(enter)
	v.see("> Bell sign in t… off")
	if data, err := os.ReadFile(file); err != nil || string(data) != "{\n  \"titleOnQuestion\": false\n}\n" {
		t.Errorf("the file is %q, %v", data, err)
	}
	v.press("q")
	v.see("ended 0")
}

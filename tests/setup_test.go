package tests

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// homeOf reads every file of a home but the state of askpane.
func homeOf(t *testing.T, home string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/.local/state/askpane/") {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, home+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// setup asks in a form, shows what it would write, writes that, and says by what it is taken
// back, to the byte; and askpane alone says how things are.
func TestTmuxSetup(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 40)
	home := t.TempDir()
	for name, content := range map[string]string{
		"bin/claude":                    "#!/bin/sh\n",
		".claude/settings.json":         "{\n\t\"model\" : \"opus\", // mine\n}",
		".config/askpane/settings.json": "{\"theme\":\"dark\"}",
		".tmux.conf":                    "set -g mouse on",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before := homeOf(t, home)
	run := func(args ...string) ran {
		return s.inPane(t, home, []string{"PATH=" + home + "/bin:" + os.Getenv("PATH")}, args...)
	}
	same := func(when string) {
		t.Helper()
		after := homeOf(t, home)
		for name := range after {
			if after[name] != before[name] {
				t.Errorf("%s %s is %q, and was %q", when, name, after[name], before[name])
			}
		}
		if len(after) != len(before) {
			t.Errorf("%s there are %d files, and were %d", when, len(after), len(before))
		}
	}
	out, errs, code := run().wait()
	contains(t, "askpane", out, "open in tmux", "not yet: ", "claude", "prefix A", "Waiting  none", "askpane setup")
	if code != "0" || errs != "" || strings.Count(out, "\n") > 12 {
		t.Errorf("askpane: exit %s, %q, %s", code, errs, out)
	}

	// Told to leave everything, it does.
	r := run("setup")
	v.see("Which agents should ask you through askpane?", "☑ claude")
	v.press(enter)
	v.see("Which of these should get keys that open waiting questions?", "☑ tmux")
	v.press(enter)
	v.see("What should tell you that a question waits?", "☑ Bell", "☐ Desktop notification")
	v.press(down, down, " ", enter)
	v.see("Desktop notification")
	v.press(enter)
	v.see("Write this to 3 files?", "2. Leave everything as it is")
	if strings.Contains(v.screen(), "3. ") {
		t.Errorf("there is a third choice:\n%s", v.screen())
	}
	v.press("2")
	v.see("Then have tmux read it")
	v.press("1", enter)
	out, errs, code = r.wait()
	if contains(t, "setup", out, "+    ", "hook claude", "+# askpane begin", `"notificationOnQuestion":true`); code != "3" || errs != "askpane: nothing is written\n" {
		t.Errorf("setup: exit %s, %q", code, errs)
	}
	same("before anything is written")

	r = run("setup")
	v.see("Which agents should ask you through askpane?")
	v.press(enter)
	v.see("Which of these should get keys that open waiting questions?")
	v.press(enter)
	v.see("What should tell you that a question waits?")
	v.press(down, down, " ", down, down, " ", enter)
	v.see("Desktop notification, Push")
	v.press(enter)
	v.see("Write this to 3 files?")
	v.press("1")
	v.see("Then have tmux read it", "Yes, run tmux source-file")
	v.press("1", enter)
	out, errs, code = r.wait()
	contains(t, "setup", out, "hook for questions: changed "+home+"/.claude/settings.json", "Now restart claude", "tmux has read it\nTo undo: askpane uninstall tmux\n", "Now subscribe to https://ntfy.sh/askpane-", "askpane phone",
		"To undo: askpane uninstall claude", "To undo: askpane settings unset notificationOnQuestion\n", "To undo: askpane settings unset pushUrl\n")
	if code != "0" {
		t.Errorf("setup: exit %s, %q", code, errs)
	}
	contains(t, "tmux's keys", s.tmux("list-keys", "-T", "prefix"), "-T prefix A ")
	now := homeOf(t, home)
	contains(t, "claude's settings", now[".claude/settings.json"], "// mine", " hook claude")
	contains(t, "tmux.conf", now[".tmux.conf"], "set -g mouse on\n", "bind-key A ")
	contains(t, "the settings", now[".config/askpane/settings.json"], `{"theme":"dark","notificationOnQuestion":true,"pushUrl":"https://ntfy.sh/askpane-`)
	out, _, _ = run().wait()
	contains(t, "askpane", out, "Agents   claude", "Keys     tmux (prefix A, prefix Alt+a)", "desktop notification, push to a phone")

	for _, undo := range []string{"uninstall claude", "uninstall tmux", "settings unset notificationOnQuestion", "settings unset pushUrl"} {
		if _, errs, code := run(strings.Fields(undo)...).wait(); code != "0" || errs != "" {
			t.Errorf("%s: exit %s, %q", undo, code, errs)
		}
	}
	same("taken back,")
}

// The demo says in two lines what the agent got, and what to do next.
func TestTmuxDemo(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	r := s.inPane(t, t.TempDir(), nil, "demo")
	v.see("Which colour should the demo bikeshed have?")
	v.press("2")
	v.see("And its roof?")
	v.press("1")
	v.see("What is it called?")
	v.press("1")
	v.see("Colour", "Roof", "The Shed")
	v.press(enter)
	out, errs, code := r.wait()
	const want = "The agent was told: Colour: user selected: 2. Red; Roof: user selected: 1. Grass; Name: user selected: 1. The Shed\n" +
		"(answered, exit code 0; askpane demo --output envelope prints all that it gets)\n\n" +
		"Next: askpane setup asks which agents, keys and alerts to set up.\n"
	if out != want || errs != "" || code != "0" {
		t.Errorf("demo: exit %s, %q, %q", code, out, errs)
	}
}

// Where no agent is found, setup says so and what to do: it asks about none, and “all of that is set
// up already” is of the rest.
func TestTmuxSetupWithoutAgents(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 40)
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	r := s.inPane(t, t.TempDir(), []string{"PATH=" + filepath.Dir(tmux)}, "setup")
	v.see("Which of these should get keys")
	v.press(" ", enter)
	v.see("What should tell you")
	v.press(enter)
	v.see("Submit", "Alerts: ")
	v.press(enter)
	out, errs, code := r.wait()
	contains(t, "setup", out, "No agent that askpane knows is in your PATH. askpane install --help names them", "nothing was written")
	if code != "0" || errs != "" {
		t.Errorf("setup: exit %s, %q", code, errs)
	}
}

// What setup, demo and doctor ask goes with their terminal: nothing would come of an answer later.
func TestTmuxOwnQuestionsGo(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 40)
	home := t.TempDir()
	for _, command := range []string{"setup", "demo"} {
		pane := s.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "--", "env", "HOME="+home, "ASKPANE_SPOOL="+string(s.spool), binary, command)
		v.see(command + "” asks")
		s.tmux("kill-pane", "-t", pane)
		v.unsee(command + "” asks")
		eventually(t, "what "+command+" asks waits no more", func() bool { return len(s.spool.listed(t)) == 0 })
	}
}

package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A question that waits while askpane moves to another directory, as a package manager's upgrade
// has it, comes up again in the next version's popup. Where no askpane is left that is said.
func TestTmuxUpgradeWhileAQuestionWaits(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	before, after := filepath.Join(t.TempDir(), "1"), filepath.Join(t.TempDir(), "2")
	copyPrograms(t, before)
	a := newAsker(t, s.spool, colour)
	script := strings.ReplaceAll(a.script([]string{unguarded, "PATH=" + after + ":" + os.Getenv("PATH")}), quote(binary), quote(filepath.Join(before, "askpane")))
	s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", script+"; exec cat")
	v.see("Which colour?")
	id := s.spool.only(t)
	var popup struct{ PID int }
	eventually(t, "the popup has the entry", func() bool {
		return json.Unmarshal([]byte(s.spool.read(id, "popup.lock")), &popup) == nil && popup.PID > 0
	})
	if err := os.RemoveAll(before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(popup.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the caller is told", func() bool {
		return strings.Contains(a.read("err"), "is not installed; it was looked for in "+before)
	})
	a.waits()
	copyPrograms(t, after)
	eventually(t, "the next version's popup has the entry", func() bool {
		now := popup
		return json.Unmarshal([]byte(s.spool.read(id, "popup.lock")), &now) == nil && now.PID != popup.PID
	})
	v.see("Which colour?")
	v.press(enter)
	if r := a.result(); r.Outcome != "answered" {
		t.Errorf("it ended %s", r.Outcome)
	}
}

// What is installed by a link that a package manager leads on to each version goes on after an upgrade;
// what is not there any more doctor tells of.
func TestInstalledByALink(t *testing.T) {
	t.Parallel()
	home, cellar := t.TempDir(), t.TempDir()
	link := filepath.Join(home, "bin", "askpane")
	if err := os.Mkdir(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(program string, args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = environ(home), home
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	upgrade := func(version string) string {
		dir := filepath.Join(cellar, version)
		copyPrograms(t, dir)
		_ = os.Remove(link)
		if err := os.Symlink(filepath.Join(dir, "askpane"), link); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	first := upgrade("1")
	for _, name := range []string{"gemini", "desk"} {
		run(link, "install", name, "--write")
	}
	if said := run(filepath.Join(first, "askpane"), "install", "kilo", "--write"); !strings.Contains(said, "wrote") {
		t.Fatal(said)
	}
	contains(t, "by either name", run(link, "install", "--check"), "settings.json: this askpane", "askpane-desk.service: this askpane", "kilo.json: this askpane")
	short, other := filepath.Join(home, "bin", "ap"), filepath.Join(t.TempDir(), "askpane")
	for _, another := range []string{short, other} {
		if err := os.Symlink(filepath.Join(first, "askpane"), another); err != nil {
			t.Fatal(err)
		}
	}
	if said := run(other, "install", "--check"); strings.Contains(said, "not this") {
		t.Errorf("by another link: %s", said)
	}
	run(short, "install", "qwen", "--write") // what has a name of the person's own is not found again
	contains(t, "by a link of another name", run(link, "install", "qwen", "--check"), "settings.json: this askpane")
	contains(t, "its file", run("/bin/cat", filepath.Join(home, ".qwen", "settings.json")), filepath.Join(first, "askpane"))
	upgrade("2")
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	contains(t, "after an upgrade", run(link, "install", "--check"), "settings.json: this askpane", "askpane-desk.service: this askpane", "kilo.json: not this askpane: "+first)
	said := run(link, "doctor")
	contains(t, "doctor", said, "MCP server in ~/.config/kilo/kilo.json: it runs "+first, "→ askpane install kilo --write")
	if strings.Contains(said, "gemini ") || strings.Contains(said, "systemd") {
		t.Errorf("doctor complains of what goes on: %s", said)
	}
}

// copyPrograms puts askpane's programs into a directory of their own.
func copyPrograms(t *testing.T, to string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(binary), "askpane*"))
	if err == nil {
		err = os.MkdirAll(to, 0o700)
	}
	for _, program := range found {
		if err == nil {
			err = os.Link(program, filepath.Join(to, filepath.Base(program)))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

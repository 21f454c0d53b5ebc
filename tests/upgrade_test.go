package tests

import (
	"encoding/json"
	"os"
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

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// synchronized is a window whose two panes get all that is typed into one of them. typed is
// what the second has read, in whole lines.
func synchronized(t *testing.T) (s *tmuxServer, v *terminal, typed func() string) {
	t.Helper()
	t.Parallel()
	s = newTmux(t)
	file := filepath.Join(t.TempDir(), "typed")
	s.tmux("split-window", "-t", "main:0", "--", "sh", "-c", "stty -echo; exec cat >"+quote(file))
	s.tmux("set-option", "-w", "-t", "main:0", "synchronize-panes", "on")
	eventually(t, "the second pane reads", func() bool { _, err := os.Stat(file); return err == nil })
	return s, s.attach("main", 100, 30), func() string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

// What is typed into a form reaches no other pane of its window, whose panes still get
// each other's keys.
func TestTmuxSynchronizedPanes(t *testing.T) {
	s, v, typed := synchronized(t)
	a := s.ask("main", tokenRequest)
	v.see("The deploy token?")
	v.press("hunter2")
	v.see(strings.Repeat("•", len("hunter2")))
	v.press(enter)
	a.answered("Token: hunter2")
	v.unsee("The deploy token?")
	panesGetKeys(t, v, typed)
	v.press("afterwards", enter)
	eventually(t, "the panes get each other's keys", func() bool { return strings.HasSuffix(typed(), "afterwards\n") })
	if got := strings.TrimLeft(typed(), "\n"); got != "afterwards\n" {
		t.Errorf("the other pane got %q", got)
	}
}

// panesGetKeys presses Enter until the panes get it: until the form's pane has closed.
func panesGetKeys(t *testing.T, v *terminal, typed func() string) {
	t.Helper()
	eventually(t, "the panes get keys again", func() bool {
		v.press(enter)
		return strings.HasSuffix(typed(), "\n")
	})
}

// What is typed while the form opens goes to the panes or to the form, never to both.
func TestTmuxSynchronizedWhileItOpens(t *testing.T) {
	s, v, typed := synchronized(t)
	a := s.ask("main", strings.Replace(tokenRequest, `,"secret":true`, "", 1))
	keys := 0
	eventually(t, "the form is up", func() bool {
		keys++
		v.press(fmt.Sprintf("%03d ", keys))
		return strings.Contains(v.screen(), "The deploy token?")
	})
	v.press("last", enter)
	eventually(t, "it is answered", a.returned)
	_, answer, _ := strings.Cut(a.result().Text, "Token: ")
	v.unsee("The deploy token?")
	panesGetKeys(t, v, typed)
	panes := strings.Fields(typed())
	for _, key := range strings.Fields(answer) {
		if len(key) >= 3 && slices.Contains(panes, key) {
			t.Errorf("%s was typed into the form and into the panes:\n%s\n%s", key, answer, typed())
		}
	}
}

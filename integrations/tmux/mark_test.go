package tmux

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// is polls until a format, of the pane or window target, says want.
func (s *server) is(t *testing.T, target, format, want string) {
	t.Helper()
	var out string
	for late := time.Now().Add(patience); ; {
		var err error
		if out, err = s.run(t.Context(), "display-message", "-p", "-t", target, format); err != nil {
			t.Fatal(err)
		}
		if strings.TrimSuffix(out, "\n") == want {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%s of %s is %q, want %q", format, target, out, want)
		}
	}
}

func (s *server) mark(t *testing.T, title string) (restore func(context.Context) error) {
	t.Helper()
	restore, err := s.Mark(t.Context(), title)
	if err != nil {
		t.Fatal(err)
	}
	return restore
}

// Several questions from one pane, ended in any order: the title is that of the
// latest until that is over, and the agent's own then.
func TestSeveralMarks(t *testing.T) {
	t.Parallel()
	headers := []string{"#(id) a,b}", "plain", "#{pane_id} ; 'x'"}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			s := privateServer(t)
			s.agentTitles(t, "old #{x}")
			var restores []func(context.Context) error
			for _, header := range headers {
				restores = append(restores, s.mark(t, header))
			}
			want := "🔔 " + headers[2]
			for _, i := range order {
				if i == 2 {
					want = "old #{x}"
				}
				s.takeBack(t, restores[i], want)
			}
			s.noOptions(t)
		})
	}
}

// Everybody on the machine can read command lines: a question's words stand on none, neither before the title is
// there nor after it has gone.
func TestTitleIsOnNoCommandLine(t *testing.T) {
	t.Parallel()
	s, dir := privateServer(t), t.TempDir()
	lines, program := filepath.Join(dir, "lines"), filepath.Join(dir, "tmux")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s ' \"$@\" >>'"+lines+"'\nexec tmux \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.agentTitles(t, "old")
	s.client = program
	const words = `a secret's "$HOME" #(id) {%} ~ ;`
	restore := s.mark(t, words)
	if got := s.titled(t); got != "🔔 "+words {
		t.Errorf("the title is %q", got)
	}
	s.takeBack(t, restore, "old")
	s.noOptions(t)
	said, err := os.ReadFile(lines)
	if err != nil || !strings.Contains(string(said), "source-file") || strings.Contains(string(said), "secret") {
		t.Errorf("the command lines are %s, %v", said, err)
	}
}

// A title that the agent sets while two questions wait is its own.
func TestAgentsNewTitleAmongSeveral(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	s.agentTitles(t, "old")
	first := s.mark(t, "first")
	s.agentTitles(t, "agent works")
	second := s.mark(t, "second")
	s.takeBack(t, second, "agent works")
	s.takeBack(t, first, "agent works")
	s.noOptions(t)
}

// A pane's automatic window name goes on being automatic.
func TestMarkKeepsTheWindowName(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	s.agentTitles(t, "old")
	restore := s.mark(t, "question")
	s.is(t, s.pane, "#{automatic-rename}", "1")
	s.takeBack(t, restore, "old")
	s.is(t, s.pane, "#{automatic-rename}", "1")
}

// The title from before a killed asker's is given back by the next question of its pane.
func TestKilledAsker(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	s.agentTitles(t, "old")
	s.mark(t, "of a killed one") // never taken back
	restore := s.mark(t, "of the next")
	s.is(t, s.pane, "#{pane_title}", "🔔 of the next")
	s.takeBack(t, restore, "old")
	s.noOptions(t)
}

// What runs in the status line that the person sees runs when a question comes and when it goes, long
// before tmux would do so by itself.
func TestStatusLineIsRefreshed(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	file := filepath.Join(t.TempDir(), "says")
	for _, set := range [][]string{{"status-interval", "600"}, {"status-right", "#(cat " + file + ")"}} {
		if _, err := s.run(t.Context(), append([]string{"set-option", "-g"}, set...)...); err != nil {
			t.Fatal(err)
		}
	}
	says := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	says("nothing-yet")
	p := s.attach(t)
	see := func(text string) {
		t.Helper()
		p.until("the status line says "+text, func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return strings.Contains(p.seen.String(), text)
		})
	}
	see("nothing-yet")
	says("one-waits")
	restore := s.mark(t, "Store")
	see("one-waits")
	says("none-left")
	if err := restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	see("none-left")
}

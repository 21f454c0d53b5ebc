package tmux

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// none checks that no option of ours is left on the pane or on the window.
func (s *server) none(t *testing.T) {
	t.Helper()
	s.noOptions(t)
	if out, err := s.run(t.Context(), "show-options", "-w", "-t", s.pane); err != nil || strings.Contains(out, "@askpane") {
		t.Errorf("left on the window: %q, %v", out, err)
	}
}

// Several questions from one pane, ended in any order: the title is that of the
// latest which still waits, and the agent's own after the last.
func TestSeveralMarks(t *testing.T) {
	t.Parallel()
	headers := []string{"#(id) a,b}", "plain", "#{pane_id} ; 'x'"}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			s := privateServer(t)
			s.agentTitles(t, "old #{x}")
			var restores []func(context.Context) error
			for i, header := range headers {
				restores = append(restores, s.mark(t, header))
				s.is(t, s.pane, "#{@askpane}", fmt.Sprint(i+1))
			}
			waiting := []int{0, 1, 2}
			for _, i := range order {
				s.takeBack(t, restores[i])
				waiting = slices.DeleteFunc(waiting, func(j int) bool { return i == j })
				want := "old #{x}"
				if len(waiting) > 0 {
					want = "🔔 " + headers[slices.Max(waiting)]
					s.is(t, s.pane, "#{@askpane}", fmt.Sprint(len(waiting)))
				}
				if got := s.titled(t); got != want {
					t.Errorf("after question %d the title is %q, want %q", i, got, want)
				}
			}
			s.none(t)
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
	s.takeBack(t, restore)
	s.none(t)
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
	s.takeBack(t, second)
	if got := s.titled(t); got != "🔔 first" {
		t.Errorf("while the first waits the title is %q", got)
	}
	s.takeBack(t, first)
	if got := s.titled(t); got != "agent works" {
		t.Errorf("the title is %q, want the agent's new one", got)
	}
	s.none(t)
}

// Without a title the questions are counted, and the title is left alone.
func TestCountOnly(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	s.agentTitles(t, "old")
	counted := s.mark(t, "")
	s.is(t, s.pane, "#{@askpane} #{pane_title}", "1 old")
	titled := s.mark(t, "with a title")
	s.is(t, s.pane, "#{@askpane} #{pane_title}", "2 🔔 with a title")
	if err := titled(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.is(t, s.pane, "#{@askpane} #{pane_title}", "1 old")
	if err := counted(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.is(t, s.pane, "#{@askpane}", "")
	s.is(t, s.pane, "#{window_id}#{pane_title}", "@0old")
	s.none(t)
}

// The window counts the questions of all its panes, whichever is active; a
// status line and a pane's border can show them.
func TestWindowCounts(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	out, err := s.run(t.Context(), "split-window", "-t", s.pane, "-P", "-F", "#{pane_id}", "cat")
	if err != nil {
		t.Fatal(err)
	}
	other := newServer(s.socket, s.ancestors)
	other.pane = strings.TrimSpace(out)
	one, two := s.mark(t, "one"), other.mark(t, "two")
	s.is(t, "@0", "#{W:#{?#{@askpane},#{window_index}:#{@askpane},}}", "0:1") // the active pane's own
	s.is(t, s.pane, "#{@askpane} "+count(paneList), "1 1")
	third, err := s.run(t.Context(), "split-window", "-t", s.pane, "-P", "-F", "#{pane_id}", "cat")
	if err != nil {
		t.Fatal(err)
	}
	s.is(t, "@0", "#{@askpane}", "2") // now a pane is active that asks nothing: the window's
	s.is(t, strings.TrimSpace(third), "#{@askpane_pane}", "")
	// The pane goes with its question: the window still forgets it.
	if _, err := s.run(t.Context(), "kill-pane", "-t", other.pane); err != nil {
		t.Fatal(err)
	}
	if err := two(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.is(t, "@0", "#{@askpane}", "1")
	// The pane moves, and its old window ends with the pane that was left.
	if _, err := s.run(t.Context(), "break-pane", "-d", "-s", s.pane); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run(t.Context(), "kill-pane", "-t", strings.TrimSpace(third)); err != nil {
		t.Fatal(err)
	}
	s.takeBack(t, one)
	s.is(t, s.pane, "#{@askpane}", "")
	s.none(t)
}

// A pane's automatic window name goes on being automatic.
func TestMarkKeepsTheWindowName(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	restore := s.mark(t, "question")
	s.is(t, s.pane, "#{automatic-rename}", "1")
	s.takeBack(t, restore)
	s.is(t, s.pane, "#{automatic-rename}", "1")
}

// What a killed asker has left is taken back by the next question of its pane.
// It stays alone: the number of its mark is the last of the process.
func TestKilledAsker(t *testing.T) {
	p := startServer(t, filepath.Join(shortDir(t), "s"))
	s := p.find(t)
	s.agentTitles(t, "old")
	s.mark(t, "of a killed one") // never taken back
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	// As if another process had set it, which is not there any more.
	mine := fmt.Sprintf("%d_%d ", os.Getpid(), marks.Load())
	theirs := fmt.Sprintf("%d_1 ", dead.ProcessState.Pid())
	for level, list := range map[string]string{"-p": paneList, "-w": windowList} {
		if _, err := s.run(t.Context(), "set-option", "-F", level, "-t", s.pane, list, "#{s/"+mine+"/"+theirs+"/:"+list+"}"); err != nil {
			t.Fatal(err)
		}
	}
	next := p.find(t) // the next asker
	restore := next.mark(t, "of the next")
	s.is(t, s.pane, "#{@askpane} #{pane_title}", "1 🔔 of the next")
	s.is(t, "@0", count(windowList), "1")
	s.takeBack(t, restore)
	if got := s.titled(t); got != "old" {
		t.Errorf("the title is %q, want the agent's own from before", got)
	}
	s.none(t)
}

// What runs in the status line runs when a question comes and when it goes, long
// before tmux would do so by itself, and for each client.
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
	people := []*person{s.attach(t), s.attach(t)}
	see := func(text string) {
		t.Helper()
		for _, p := range people {
			p.until("the status line says "+text, func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return strings.Contains(p.seen.String(), text)
			})
		}
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

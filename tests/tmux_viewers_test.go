package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// A popup of somebody else's is not disturbed, and ours waits for its turn.
func TestTmuxAnotherPopupIsOpen(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	open := []string{"display-popup", "-c", v.tty, "-E"}
	if s.modal() {
		open = []string{"new-pane", "-O", "-K", "-W", "-t", "main:0"}
	}
	theirs := s.command(append(open, "--", "sh", "-c", "echo somebody else\\'s popup; read line")...)
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	v.see("somebody else's popup")
	a := s.ask("main", colour)
	id := s.spool.only(t)
	// The alerts are raised when the bridge has seen that the client is busy.
	eventually(t, "the asking pane is marked", func() bool { return strings.Contains(s.format(a.pane, "pane_title"), "🔔") })
	v.see("somebody else's popup")
	if state := s.spool.listed(t)[0].State; state != "pending" {
		t.Errorf("the question is %s while another popup is open", state)
	}
	v.press(enter) // for that popup; it closes
	v.see("Which colour?", "> 1. Red")
	if err := theirs.Wait(); err != nil {
		t.Errorf("the other popup ended with %v", err)
	}
	v.press("2")
	if r := a.answered("Colour: user selected: 2. Green"); r.ID != id {
		t.Errorf("answered %s, asked %s", r.ID, id)
	}
}

// openPrompt opens tmux's command prompt. It takes no keys from a popup over
// it, so what is typed for the prompt reaches the form; from a modal pane it does.
func (s *tmuxServer) openPrompt(v *terminal) {
	v.t.Helper()
	s.tmux("command-prompt", "-b", "-t", v.tty)
	v.until("showed tmux's command prompt", func(string) bool {
		rows := v.rows()
		return strings.HasPrefix(rows[len(rows)-1], ":")
	})
}

// leavePrompt closes it where it takes the form's keys.
func (s *tmuxServer) leavePrompt(v *terminal) {
	s.t.Helper()
	if s.modal() {
		v.press(esc)
		v.see("[main]")
	}
}

// A form whose clock shows minutes has nothing to draw for one, is not taken for one that
// does not get through for long, and looks at no file.
func TestTmuxSilentForm(t *testing.T) {
	t.Parallel()
	needs.Long(t, "a form that is silent for as long as tmux is looked at")
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour, "--timeout", "600")
	v.see("> 1. Red", "9m left")
	popups := s.spool.popups()
	if len(popups) != 1 {
		t.Fatalf("%d popups", len(popups))
	}
	done := func() string {
		calls, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", popups[0])) // on Linux: how much it has read and written, and how often
		return fmt.Sprint(len(v.output()), string(calls))
	}
	sent := ""
	eventually(t, "nothing is read, and tmux sends nothing, for 4 s", func() bool {
		now := done()
		quiet := now == sent
		sent = now
		if !quiet {
			return false
		}
		return !needs.Within(4*time.Second, func() bool { return done() != now })
	})
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
}

// While nobody is attached one asker asks tmux for all, and another where that one is killed.
// Whoever comes sees the forms.
func TestTmuxOneAskerLooksForAll(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	path, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log") // of the askers that have started tmux, by process
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(fmt.Sprintf("#!/bin/sh\necho $PPID >>%s\nexec %s \"$@\"\n", quote(log), quote(path))), 0o700); err != nil {
		t.Fatal(err)
	}
	var calls []call
	for _, what := range []string{"Cup", "Plate", "Bowl"} {
		calls = append(calls, s.askWith([]string{unguarded, "PATH=" + dir + ":" + os.Getenv("PATH")}, "main", about(what)))
	}
	eventually(t, "all know that nobody is attached", func() bool {
		files, _ := filepath.Glob(filepath.Join(string(s.spool), "*", "unattended"))
		return len(files) == len(calls)
	})
	logged := func() string { data, _ := os.ReadFile(log); return string(data) }
	started := func(c call) int { return strings.Count("\n"+logged(), "\n"+strings.TrimSpace(c.read("pid"))+"\n") }
	one := func() (asks call) {
		t.Helper()
		eventually(t, "one asks, and no other does", func() bool {
			before := map[*asker]int{}
			for _, c := range calls {
				before[c.asker] = started(c)
			}
			several := func(c call) bool { return started(c) > before[c.asker]+2 }
			if !poll(func() bool { return slices.ContainsFunc(calls, several) }) {
				return false
			}
			all := slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return started(c) == before[c.asker] })
			asks = all[0]
			return len(all) == 1
		})
		return asks
	}
	first := one()
	first.kill(syscall.SIGKILL)
	calls = slices.DeleteFunc(calls, func(c call) bool { return c.asker == first.asker })
	one()
	v := s.attach("main", 100, 30)
	for range calls {
		shown := ""
		v.until("showed a form", func(screen string) bool {
			shown = regexp.MustCompile(`Cup|Plate|Bowl`).FindString(screen)
			return shown != "" && strings.Contains(screen, "> 1. First ")
		})
		v.press("1")
		eventually(t, "one is answered", func() bool { return slices.ContainsFunc(calls, func(c call) bool { return c.returned() }) })
		calls = slices.DeleteFunc(calls, func(c call) bool { return c.returned() })
		v.unsee(shown) // else the next key goes to the form that closes
	}
}

// The form is painted at once over an open command prompt, and what is typed
// for the prompt does not answer.
func TestTmuxCommandPromptIsOpen(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	if s.modal() {
		t.Skip("the form gets no key of a prompt's there: TestTmuxKeysOfAMenu")
	}
	v := s.attach("main", 100, 30)
	s.openPrompt(v)
	// A guard that outlasts the pauses between the keys of a busy machine.
	a := s.askWith([]string{"ASKPANE_GUARD_MS=2000"}, "main", colour)
	v.see("Which colour?", "> 1. Red")
	v.press("1", "2", enter)
	// What is painted later is TestTmuxFormUnderAPromptIsAlive's; here the form
	// is looked at with a refresh.
	painted := func(what string, fits func(screen string) bool) {
		t.Helper()
		v.until(what, func(screen string) bool {
			s.tmux("refresh-client", "-t", v.tty)
			return strings.Contains(screen, "> 1. Red") && fits(screen)
		})
	}
	held := func(screen string) bool {
		return strings.Contains(screen, "Keys are held back until you pause typing")
	}
	painted("said that keys are held back", held)
	painted("said that keys count again", func(screen string) bool { return !held(screen) && strings.Contains(screen, "Keys count again") })
	a.waits()
	v.press("2")
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// A popup that came up over a command prompt is not painted by tmux itself: the form
// shows what the person does in it all the same, and so does the one that follows in it.
func TestTmuxFormUnderAPromptIsAlive(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	s.openPrompt(v)
	calls := s.inLine(v, []string{unguarded}, "Cup", "Plate")
	s.leavePrompt(v)
	v.press(down)
	v.see("> 2. Second Cup")
	v.press(down, enter)
	v.see("Type your answer")
	v.press("Mug")
	v.see("│ Mug")
	v.press(enter)
	calls[0].answered("Cup: user wrote: Mug")
	v.see("Which Plate?", "> 1. First Plate")
	v.press(down)
	v.see("> 2. Second Plate")
	v.press(enter)
	calls[1].answered("Plate: user selected: 2. Second Plate")
}

// A border is for clients that have room for one; a small one is all form.
func TestTmuxBorder(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 40, 10)
	a := s.ask("main", colour)
	v.see("Which colour?", "> 1. Red", "4. "+other)
	last, top := 9, "╭─ askpane "
	if s.modal() {
		last, top = 8, "┌────" // its window has a status line below, and a pane's border no title
	}
	v.until("fills the client", func(string) bool {
		rows := v.rows()
		return strings.HasPrefix(rows[0], "agent asks") && strings.Contains(rows[last], "Enter")
	})
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
	v.unsee("Which colour?")
	v.resize(100, 30)
	eventually(t, "tmux knows the size", func() bool { return s.format("main:", "window_width") == "100" })
	a = s.ask("main", colour)
	v.see("Which colour?", top, "[main] 0:")
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
}

// No terminal of any kind: the caller is told so at once.
func TestNoPlace(t *testing.T) {
	t.Parallel()
	spool := newSpool(t)
	a := newAsker(t, spool, colour)
	t.Cleanup(func() { spool.noneLeft(t) })
	cmd := exec.Command("setsid", "--wait", "sh", "-c", a.script(nil))
	cmd.Env = environ(t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := a.result()
	if r.Outcome != "unavailable" || r.code != 5 || !r.IsError || !strings.HasPrefix(r.Text, "Error: UI not available") {
		t.Errorf("exit %d, %+v", r.code, r)
	}
	if pending, history := spool.pending(), spool.history(); len(pending)+len(history) != 0 {
		t.Errorf("the spool holds %v and %v", pending, history)
	}
}

// A modal pane that was opened in a small client has the place and the border that
// it would get there when the client has grown.
func TestTmuxModalGrows(t *testing.T) {
	for _, small := range []struct{ width, height int }{{40, 10}, {20, 5}} {
		t.Run(fmt.Sprintf("%dx%d", small.width, small.height), func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			if !s.modal() {
				t.Skip("this tmux has no modal panes; a popup fills its client at any size")
			}
			v := s.attach("main", small.width, small.height)
			a := s.ask("main", colour)
			v.see("> 1. Red")
			v.resize(120, 40)
			v.until("has the form in the middle, with a border", func(screen string) bool {
				return strings.Contains(screen, "\n                      ┌────") && strings.Contains(screen, "> 1. Red") && strings.Contains(screen, "[main] 0:")
			})
			v.resize(small.width, small.height)
			v.until("is all form", func(screen string) bool {
				return !strings.Contains(screen, "┌") && strings.Contains(screen, "> 1. Red")
			})
			v.resize(120, 40)
			v.see("\n                      ┌────", "> 1. Red")
			v.press("2")
			a.answered("Colour: user selected: 2. Green")
		})
	}
}

// A client may be smaller than the window that it looks at: a form is in what it shows of that.
func TestTmuxModalInALargerWindow(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	if !s.modal() {
		t.Skip("this tmux has no modal panes; a popup is its client's")
	}
	s.tmux("set-option", "-g", "window-size", "largest")
	large := s.attach("main", 200, 50)
	v := s.attach("main", 80, 24)
	s.use(v, large)
	eventually(t, "the window is larger than the client", func() bool { return s.format("main:", "window_width") == "200" })
	a := s.ask("main", colour)
	v.see("Which colour?", "> 1. Red", "4. "+other, "┘")
	v.press("?") // what makes a form taller
	v.see("Which colour?", "┘", "Esc")
	v.press("?")
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// A client that is too small for a form gets it when it has grown.
func TestTmuxTooSmallClient(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 19, 5)
	a := s.ask("main", colour)
	s.spool.only(t)
	eventually(t, "the asking pane is marked", func() bool { return strings.Contains(s.format(a.pane, "pane_title"), "🔔") })
	if state := s.spool.listed(t)[0].State; state != "pending" {
		t.Errorf("the question is %s in a client of 19x5", state)
	}
	v.resize(80, 24)
	v.see("Which colour?", "> 1. Red")
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// A client that has become too small for anything to be read answers nothing, not
// even by keys that are read only when there is room again: the guard is back then.
func TestTmuxShrunkToNothing(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 26)
	a := s.askWith([]string{"ASKPANE_GUARD_MS=2000"}, "main", colour) // which is seen on a busy machine too
	v.toSecond("> 2. Green")
	v.resize(14, 3)
	v.see("too small")
	v.press(enter)
	v.press("1")
	v.resize(100, 26)
	v.see("> 2. Green", "Keys are held back")
	v.until("has the form, and takes keys again", func(screen string) bool {
		return strings.Contains(screen, "Esc cancel") && !strings.Contains(screen, "Keys are held back")
	})
	a.waits()
	v.press(up) // what was typed meanwhile may be the sign of typing: then the first key answers nothing
	v.see("> 1. Red")
	v.press("3")
	a.answered("Colour: user selected: 3. Blue")
}

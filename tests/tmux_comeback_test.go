package tests

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The question comes back, with everything typed so far, whatever takes the
// popup away.
func TestTmuxPopupComesBack(t *testing.T) {
	for _, loss := range []struct {
		name string
		lose func(t *testing.T, s *tmuxServer, v *terminal, id string) *terminal
	}{
		{"client detached", func(t *testing.T, s *tmuxServer, v *terminal, _ string) *terminal {
			s.tmux("detach-client", "-t", v.tty)
			s.detached()
			return s.attach("main", 100, 30)
		}},
		{"terminal window closed", func(t *testing.T, s *tmuxServer, v *terminal, _ string) *terminal {
			s.leave(v)
			s.detached()
			return s.attach("main", 90, 24)
		}},
		{"popup killed", func(t *testing.T, s *tmuxServer, v *terminal, id string) *terminal {
			eventually(t, "the draft is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "half a thought") })
			pid := s.spool.popup(t, id)
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			s.spool.another(t, id, pid)
			return v
		}},
		{"popup closed by tmux", func(t *testing.T, s *tmuxServer, v *terminal, id string) *terminal {
			pid := s.spool.popup(t, id)
			if s.modal() {
				s.tmux("kill-pane", "-t", s.tmux("display-message", "-p", "-t", "main:0", "#{window_modal_pane}"))
			} else {
				s.tmux("display-popup", "-C", "-c", v.tty)
			}
			s.spool.another(t, id, pid)
			return v
		}},
	} {
		t.Run(loss.name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			v := s.attach("main", 100, 30)
			a := s.ask("main", trip)
			v.see("[○ Where]")
			v.press("2")
			v.see("[○ When]")
			v.press("3")
			v.see("Type your answer")
			v.press("half a thought")
			v.see("half a thought")
			id := s.spool.only(t)
			v = loss.lose(t, s, v, id)
			v.see("✓ Where", "[○ When]", "│ half a thought")
			a.waits()
			v.press(", completed")
			v.see("half a thought, completed")
			v.press(enter)
			v.see("[○ Who]")
			v.press("1")
			v.see("> Submit")
			v.press(enter)
			a.answered("Where: user selected: 2. Hills\nWhen: user wrote: half a thought, completed\nWho: user selected: 1. Alone")
		})
	}
}

// What is typed is on the disk soon enough that a crash loses next to nothing.
func TestTmuxDraftIsSoonSaved(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	openEntry(place{terminal: v}, 4)
	id := s.spool.only(t)
	v.press("typed")
	v.see("│ typed")
	// 200 ms is the promise, counted from the change; the rest is for other tests.
	if !pollFor(promisedDraft+slack, func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "typed") }) {
		t.Errorf("after %v the draft is %q", promisedDraft+slack, s.spool.read(id, "draft.json"))
	}
	v.press(enter)
	a.answered("Colour: user wrote: typed")
}

func TestTmuxNoClientYet(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	a := s.ask("main", colour)
	id := s.spool.only(t)
	eventually(t, "the question is listed as pending", func() bool {
		list := s.spool.listed(t)
		return len(list) == 1 && list[0].ID == id && list[0].State == "pending" && list[0].Host == "tmux"
	})
	a.waits()
	v := s.attach("main", 100, 30)
	v.see("Which colour?", "> 1. Red")
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// The call is back within 100 ms of its deadline, though no form ever opened. The
// machine may be busy with other tests: of some calls one has to be.
func TestTmuxDeadlineWithoutClient(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	const late, calls = 100 * time.Millisecond, 10
	best := slack
	for range calls {
		a := s.ask("main", colour, "--timeout", "1")
		r := a.ends("timeout", 4, "No answer before the deadline (1 s)")
		if r.took < promisedDeadline || r.took > promisedDeadline+slack {
			t.Errorf("the call with a deadline of %v took %v", promisedDeadline, r.took)
		}
		if best = min(best, r.took-promisedDeadline); best <= late {
			break
		}
	}
	if best > late {
		t.Errorf("the best of %d calls came %v after its deadline", calls, best)
	}
	if pending := s.spool.pending(); len(pending) != 0 {
		t.Errorf("still pending: %v", pending)
	}
}

// A form that nobody looks at any more comes along to where somebody attaches, with
// a terminal of any size.
func TestTmuxComesAlong(t *testing.T) {
	for _, c := range []struct {
		name, session string
		width, height int
		row           string // in the middle
	}{
		{"the same window", "main", 100, 31, "          │ "},
		{"another session", "other", 100, 31, "          │ "},
		{"a large terminal", "main", 200, 61, "                    │ "},
		{"a small terminal", "main", 40, 11, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			s.session("other")
			s.tmux("set-option", "-g", "remain-on-exit", "on") // a dead pane would stay modal
			v := s.attach("main", 100, 31)
			a := s.ask("main", trip)
			id := s.spool.only(t)
			v.see("Where to?", "> 1. Seaside")
			v.press("2")
			v.see("[○ When]")
			v.press("3")
			v.see("Type your answer")
			v.press("later")
			eventually(t, "the draft is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "later") })
			s.tmux("detach-client", "-t", v.tty)
			s.detached()
			eventually(t, "the question waits", func() bool { return s.spool.listed(t)[0].State == "pending" })
			v = s.attach(c.session, c.width, c.height)
			v.see("│ later")
			v.until("showed the form in its place", func(screen string) bool { return !s.modal() || strings.Contains(screen, c.row+"▎ In which month?") })
			v.press(enter)
			v.see("[○ Who]")
			v.press("1")
			v.see("> Submit")
			v.press(enter)
			a.answered("Where: user selected: 2. Hills\nWhen: user wrote: later\nWho: user selected: 1. Alone")
			v.unsee("> Submit")
			eventually(t, "no modal pane is left", func() bool {
				return !s.modal() || !strings.Contains(s.tmux("list-panes", "-a", "-F", "#{pane_modal_flag}"), "1")
			})
		})
	}
}

// Nobody comes: the call ends after hostWaitSeconds.
func TestTmuxNobodyComes(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	a := s.askWith([]string{"ASKPANE_HOST_WAIT_SECONDS=2"}, "main", colour)
	r := a.ends("unavailable", 5, "Error: UI not available: no viewer: nobody is attached to the tmux server")
	if !r.IsError || r.took < 2*time.Second {
		t.Errorf("after %v: %+v", r.took, r)
	}
	eventually(t, "no form is left", func() bool { return len(s.spool.processes("popup")) == 0 })
}

// Nobody is attached, but somebody has the form open in a terminal of their own:
// hostWaitSeconds does not take it away from them.
func TestTmuxOpenedElsewhere(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	a := s.askWith([]string{"ASKPANE_HOST_WAIT_SECONDS=10"}, "main", colour)
	s.spool.only(t)
	v := s.spool.inbox(t, 100, 30)
	v.see("Colour")
	v.press(enter)
	v.until("waited for more than 10 s", func(screen string) bool {
		return strings.Contains(screen, "Which colour?") && regexp.MustCompile(`  1[2-9]s`).MatchString(screen)
	})
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// A window that becomes small and large again: so does the form.
func TestTmuxSqueezed(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 31)
	a := s.ask("main", colour)
	v.see("Which colour?", "> 1. Red")
	v.resize(50, 14)
	v.see("Which colour?", "> 1. Red")
	v.resize(120, 40)
	v.until("is as wide as before", func(screen string) bool {
		columns, _ := box(screen)
		return columns == 76 && strings.Contains(screen, "> 1. Red")
	})
	v.press("3")
	a.answered("Colour: user selected: 3. Blue")
}

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
			v.unsee("In which month?")
			return v
		}},
		{"popup closed by tmux", func(t *testing.T, s *tmuxServer, v *terminal, _ string) *terminal {
			if s.modal() {
				s.tmux("kill-pane", "-t", s.tmux("display-message", "-p", "-t", "main:0", "#{window_modal_pane}"))
			} else {
				s.tmux("display-popup", "-C", "-c", v.tty)
			}
			v.unsee("In which month?")
			return v
		}},
	} {
		t.Run(loss.name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			v := s.attach("main", 100, 30)
			a := s.ask("main", trip)
			v.see("[· Where]")
			v.press("2")
			v.see("[· When]")
			v.press("3")
			v.see("Type your answer")
			v.press("half a thought")
			v.see("half a thought")
			id := s.spool.only(t)
			v = loss.lose(t, s, v, id)
			v.see("✓ Where", "[· When]", "│ half a thought")
			a.waits()
			v.press(", completed")
			v.see("half a thought, completed")
			v.press(enter)
			v.see("[· Who]")
			v.press("1")
			v.see("❯ Submit")
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
	state := "pending"
	if s.modal() {
		state = "shown" // in a pane that nobody sees yet
	}
	eventually(t, "the question is listed as "+state, func() bool {
		list := s.spool.listed(t)
		return len(list) == 1 && list[0].ID == id && list[0].State == state && list[0].Host == "tmux"
	})
	a.waits()
	v := s.attach("main", 100, 31) // with the status line as large as the session, so that a modal pane stays
	v.see("Which colour?", "❯ 1. Red")
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

// A modal pane waits where somebody who attaches sees it. Where they come to
// another window, or with a terminal of another size, the form comes along.
func TestTmuxModalWaitsForAViewer(t *testing.T) {
	for _, c := range []struct {
		name, session string
		width, height int
		row           string // in the middle
	}{
		{"where it waits", "main", 100, 31, "          │"},
		{"in another session", "other", 100, 31, "          │"},
		{"in a large terminal", "main", 200, 61, "                    │"},
		{"in a small terminal", "main", 40, 11, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			if !s.modal() {
				t.Skip("this tmux has no modal panes")
			}
			s.session("other")
			s.tmux("set-option", "-g", "remain-on-exit", "on") // a dead pane would stay modal
			a := s.ask("main", trip)
			id := s.spool.only(t)
			eventually(t, "the form is up", func() bool {
				list := s.spool.listed(t)
				return len(list) == 1 && list[0].State == "shown"
			})
			v := s.attach(c.session, c.width, c.height)
			v.until("showed the form in its place", func(screen string) bool {
				return strings.Contains(screen, "\n"+c.row+"┊ Where to?") || c.row != "" && strings.Contains(screen, c.row+"┊ Where to?")
			})
			v.press("2")
			v.see("[· When]")
			v.press("3")
			v.see("Type your answer")
			v.press("later")
			eventually(t, "the draft is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "later") })
			s.tmux("detach-client", "-t", v.tty)
			s.detached()
			v = s.attach("other", 100, 31)
			v.see("[· When]", "│ later")
			v.press(enter)
			v.see("[· Who]")
			v.press("1")
			v.see("❯ Submit")
			v.press(enter)
			a.answered("Where: user selected: 2. Hills\nWhen: user wrote: later\nWho: user selected: 1. Alone")
			v.unsee("❯ Submit")
			eventually(t, "no modal pane is left", func() bool {
				return !strings.Contains(s.tmux("list-panes", "-a", "-F", "#{pane_modal_flag}"), "1")
			})
		})
	}
}

// Nobody comes: hostWaitSeconds holds for a form that waits in a modal pane too,
// and leaves no form that says so to nobody.
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
// hostWaitSeconds does not take it away from them. From a modal pane that nobody
// sees the list takes it over.
func TestTmuxOpenedElsewhere(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	a := s.askWith([]string{"ASKPANE_HOST_WAIT_SECONDS=10"}, "main", colour)
	id := s.spool.only(t)
	if s.modal() {
		s.spool.popup(t, id)
		eventually(t, "the form is up", func() bool { return s.spool.listed(t)[0].State == "shown" })
		if hint := s.spool.hint(t); hint != openElsewhere {
			t.Errorf("askpane next says %q", hint)
		}
	}
	v := s.spool.inbox(t, 100, 30)
	v.see("Colour")
	v.press(enter)
	if s.modal() {
		v.see("y take it over")
		v.press("y")
	}
	v.until("waited for more than 10 s", func(screen string) bool {
		return strings.Contains(screen, "Which colour?") && regexp.MustCompile(`waited 1[2-9]s`).MatchString(screen)
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
	v.see("Which colour?", "❯ 1. Red")
	wide := func(n int) func(string) bool {
		return func(screen string) bool {
			return strings.Contains(screen, "─"+strings.Repeat("─", n)+"┐") && strings.Contains(screen, "❯ 1. Red")
		}
	}
	v.resize(50, 14)
	v.see("Which colour?", "❯ 1. Red")
	v.resize(120, 40)
	v.until("is wide again", wide(60))
	v.press("3")
	a.answered("Colour: user selected: 3. Blue")
}

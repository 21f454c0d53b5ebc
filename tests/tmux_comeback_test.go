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
			s.noModalPane()
		})
	}
}

// Nobody comes: the call ends after hostWaitSeconds.
func TestTmuxNobodyComes(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	a := s.askWith([]string{"ASKPANE_HOST_WAIT_SECONDS=1"}, "main", colour)
	r := a.ends("unavailable", 5, "Error: UI not available: no viewer: nobody is attached to the tmux server")
	if !r.IsError || r.took < time.Second {
		t.Errorf("after %v: %+v", r.took, r)
	}
	eventually(t, "no form is left", func() bool { return len(s.spool.processes("popup")) == 0 })
}

// Nobody is attached, but somebody has the form open in a terminal of their own:
// hostWaitSeconds does not take it away from them.
func TestTmuxOpenedElsewhere(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.spool.inbox(t, 100, 30)
	a := s.askWith([]string{"ASKPANE_HOST_WAIT_SECONDS=4"}, "main", colour)
	v.see("Which colour?")
	v.press(enter)
	v.until("waited for more than 4 s", func(screen string) bool {
		return strings.Contains(screen, "Which colour?") && regexp.MustCompile(`  ([6-9]|1[0-9])s`).MatchString(screen)
	})
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

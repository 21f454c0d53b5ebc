package tests

import (
	"strings"
	"syscall"
	"testing"
)

// remains starts a tmux with modal panes that keeps a pane whose program has ended.
func remains(t *testing.T) *tmuxServer {
	t.Helper()
	t.Parallel()
	s := newTmux(t)
	if !s.modal() {
		t.Skip("this tmux has no modal panes, and remain-on-exit is for panes")
	}
	s.tmux("set-option", "-g", "remain-on-exit", "on")
	return s
}

func (s *tmuxServer) noModalPane() {
	s.t.Helper()
	eventually(s.t, "no modal pane is left", func() bool {
		return !strings.Contains(s.tmux("list-panes", "-a", "-F", "#{pane_modal_flag}"), "1")
	})
}

// The pane lives on with another question's form when the first question's asker
// has let go of it, and closes after the last.
func TestTmuxModalGoesOnWithRemainOnExit(t *testing.T) {
	for _, how := range []string{"put back", "answered"} {
		t.Run(how, func(t *testing.T) {
			s := remains(t)
			v := s.attach("main", 100, 31)
			calls := s.inLine(v, []string{unguarded}, "Cup", "Plate")
			if how == "put back" {
				v.press(ctrlN)
			} else {
				v.press("1")
				calls[0].answered("Cup: user selected: 1. First Cup")
			}
			v.see("Which Plate?")
			v.press(down, down, enter)
			v.see("Type your answer")
			v.press("a deep one")
			v.see("Which Plate?", "│ a deep one")
			v.press(enter)
			calls[1].answered("Plate: user wrote: a deep one")
			if how == "put back" {
				v.see("Which Cup?")
				v.press("2")
				calls[0].answered("Cup: user selected: 2. Second Cup")
			}
			s.noModalPane()
		})
	}
}

// Nobody is left to close the pane of a question whose asker was killed.
func TestTmuxModalOfAKilledAskerWithRemainOnExit(t *testing.T) {
	s := remains(t)
	v := s.attach("main", 100, 31)
	a := s.ask("main", colour)
	v.see("Which colour?", "> 1. Red")
	a.kill(syscall.SIGKILL)
	v.see("agent gone")
	v.press(esc)
	v.unsee("agent gone")
	s.noModalPane()
	next := s.ask("main", about("Cup"))
	v.see("Which Cup?", "> 1. First Cup")
	v.press("2")
	next.answered("Cup: user selected: 2. Second Cup")
	s.noModalPane()
}

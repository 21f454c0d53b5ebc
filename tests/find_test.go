package tests

import "testing"

// An agent that strips its tools' environment: the server is found among this
// user's, by process, and so is the pane.
func TestTmuxStrippedEnvironment(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	s.askedFrom(t, "env", "-u", "TMUX", "-u", "TMUX_PANE")
}

// An environment from somewhere else: the server has gone, or the pane is
// another's, as a daemon's tools have it.
func TestTmuxLeftOverEnvironment(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	other := s.tmux("split-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "cat")
	s.askedFrom(t, "TMUX=/nonexistent/default,1,0", "TMUX_PANE=%0")
	s.askedFrom(t, "TMUX_PANE="+other)
}

// askedFrom asks with a changed environment in a window of its own; the question
// is that window's, and no other pane's.
func (s *tmuxServer) askedFrom(t *testing.T, env ...string) {
	t.Helper()
	v := s.attach("main", 100, 30)
	defer s.leave(v)
	a := newAsker(t, s.spool, colour)
	pane := s.tmux("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "--", "sh", "-c", a.script(append(env, unguarded))+"; exec cat")
	v.see("Which colour?", s.format(pane, "session_name")+":"+s.format(pane, "window_index")+".0")
	eventually(t, "the asking pane is marked, and no other", func() bool {
		return s.tmux("list-panes", "-a", "-f", "#{@askpane}", "-F", "#{pane_id}") == pane
	})
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
}

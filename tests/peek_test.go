package tests

import "testing"

// From a form over another window the person looks at the asking pane, goes
// there, and opens the form again themselves.
func TestTmuxPeekAndGoThere(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	s.tmux("new-session", "-d", "-s", "agent", "-x", "100", "-y", "30")
	a := newAsker(t, s.spool, colour)
	s.tmux("new-window", "-d", "-t", "agent:", "-n", "work", "--", "sh", "-c",
		`printf 'I have read \033[31mseven\033[0m files\n'; `+a.script([]string{unguarded})+"; exec cat")
	v.see("Which colour?")
	v.unsee("seven files")
	v.press("\x10") // Ctrl+P
	v.see("What the asking pane shows", "I have read seven files")
	v.press(esc)
	v.see("Which colour?")
	v.unsee("seven files")
	v.press("\x0f") // Ctrl+O
	v.unsee("Which colour?")
	v.see("I have read seven files")
	eventually(t, "the viewer is in the agent's session", func() bool { return s.tmux("list-clients", "-F", "#{client_session}") == "agent" })
	a.waits()
	byHand := s.next(v)
	v.see("Which colour?")
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
	if err := byHand.Wait(); err != nil {
		t.Errorf("askpane next ended with %v", err)
	}
}

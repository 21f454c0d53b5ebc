package tests

import (
	"strings"
	"testing"
)

// The bell flags the agent's window, and a viewer in another session hears it too, whom
// tmux would not tell; the form comes to them there.
func TestTmuxBellInAnotherSession(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	s.session("agents")
	v := s.attach("main", 100, 30)
	before := v.rung()
	a := s.ask("agents", colour)
	v.see("Which colour?", "agents:1.0")
	eventually(t, "the bell is heard", func() bool { return v.rung() > before })
	eventually(t, "the window is flagged", func() bool { return s.format(a.pane, "window_bell_flag") == "1" })
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
	if at := s.client(v, "client_session"); at != "main" {
		t.Errorf("the client was taken to session %s", at)
	}
}

// A plain terminal's window has the title while it waits, and rings.
func TestTerminalAlerts(t *testing.T) {
	t.Parallel()
	p := openTerminal(t, 100, 30, unguarded)
	a := p.ask(colour)
	p.see("> 1. Red")
	eventually(t, "the window's title is marked", func() bool { return p.lastTitle() == "🔔 Colour" })
	eventually(t, "the bell is heard", func() bool { return p.rung() > 0 })
	p.press("1")
	a.answered("Colour: user selected: 1. Red")
	// The emulator keeps no stack of titles, so the sequences are looked at.
	if !poll(func() bool {
		output := p.output()
		saved, restored := strings.Index(output, "\x1b[22;0t"), strings.LastIndex(output, "\x1b[23;0t")
		marked := strings.Index(output, "\x1b]2;🔔")
		return saved >= 0 && saved < marked && marked < restored
	}) {
		t.Errorf("the title was not saved, set and restored, in that order: %q", p.output())
	}
}

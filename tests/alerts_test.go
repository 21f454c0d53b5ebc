package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The asking pane's title says that it waits, and is as before afterwards.
func TestTmuxTitleMarksTheAskingPane(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	const title = "my agent"
	trap := filepath.Join(t.TempDir(), "trap")
	other := s.format("main:", "pane_id")
	s.tmux("select-pane", "-t", other, "-T", "nothing to do with it")
	// A header that would run a command if it were taken for a format.
	a := newAsker(t, s.spool, strings.Replace(colour, `"Colour"`, `"#{pane_id} #(touch `+trap+`)"`, 1))
	pane := s.tmux("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "--",
		"sh", "-c", "printf '\\033]2;"+title+"\\033\\\\'; "+a.script([]string{unguarded})+"; exec cat")
	v.see("Which colour?")
	eventually(t, "the title is marked", func() bool {
		return strings.HasPrefix(s.format(pane, "pane_title"), "🔔 #{pane_id} #(touch")
	})
	v.press("1")
	a.result()
	eventually(t, "the title is as it was", func() bool { return s.format(pane, "pane_title") == title })
	if _, err := os.Stat(trap); err == nil {
		t.Error("the header was run as a command")
	}
	if got := s.format(other, "pane_title"); got != "nothing to do with it" {
		t.Errorf("another pane's title is %q", got)
	}
}

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

// Nobody attached: the flag and the title wait for them.
func TestTmuxAlertsWithoutClient(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	a := s.ask("main", colour)
	eventually(t, "the window is flagged", func() bool { return s.format(a.pane, "window_bell_flag") == "1" })
	eventually(t, "the title is marked", func() bool { return strings.HasPrefix(s.format(a.pane, "pane_title"), "🔔") })
	s.spool.answers(t, s.spool.only(t), "")
	a.ends("cancelled", 3, closed)
	eventually(t, "the title is as it was", func() bool { return !strings.Contains(s.format(a.pane, "pane_title"), "🔔") })
}

// Both alerts can be switched off.
func TestTmuxAlertsOff(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.askWith([]string{unguarded, "ASKPANE_BELL_ON_QUESTION=false", "ASKPANE_TITLE_ON_QUESTION=false"}, "main", colour)
	title := s.format(a.pane, "pane_title")
	v.see("Which colour?")
	v.press("1")
	a.answered("Colour: user selected: 1. Red") // by then the alerts would have been raised, and cleared
	if flag := s.format(a.pane, "window_bell_flag"); flag != "0" || v.rung() != 0 {
		t.Errorf("bell flag %s, %d bells", flag, v.rung())
	}
	if got := s.format(a.pane, "pane_title"); got != title {
		t.Errorf("the title went from %q to %q", title, got)
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

package tests

import (
	"strings"
	"testing"
)

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
	// tmux opens no second popup, and says nothing of it.
	eventually(t, "the first popup has ended", func() bool { return len(s.spool.processes("display-popup")) == 0 })
	byHand := s.next(v)
	v.see("Which colour?")
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
	if err := byHand.Wait(); err != nil {
		t.Errorf("askpane next ended with %v", err)
	}
}

// Who goes to a pane leaves the form where it was; the next one comes when they have
// typed there.
func TestTmuxOthersHoldBack(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	calls := s.inLine(v, []string{unguarded}, "Cup", "Plate")
	v.press(ctrlO)
	v.unsee("Which Cup?")
	v.until("showed the next form, under a person who types", func(screen string) bool {
		if strings.Contains(screen, "Which Plate?") {
			return true
		}
		v.press(up) // which the form, if it has just opened, takes for no answer
		return false
	})
	calls[0].waits()
	v.press("1")
	calls[1].answered("Plate: user selected: 1. First Plate")
	s.spool.answers(t, s.spool.only(t), `{"answers":{"0":"1"}}`)
}

// peeks looks at the asking pane from the form and goes there; arrived says that
// the person has come to it.
func peeks(t *testing.T, p place, a *asker, look, there string, arrived func() bool) {
	t.Helper()
	p.see("Which colour?")
	p.unsee("seven files")
	p.press(look)
	p.see("What the asking pane shows", "I have read seven files")
	p.press(esc)
	p.see("Which colour?")
	p.unsee("seven files")
	p.press(there)
	p.unsee("Which colour?")
	p.see("I have read seven files")
	eventually(t, "the person is in the asking pane", arrived)
	a.waits()
	a.spool.answers(t, a.spool.only(t), `{"answers":{"0":"g"}}`)
	a.answered("Colour: user selected: 2. Green")
}

const ctrlP, ctrlO = "\x10", "\x0f"

// reading is the script of an agent that has shown something before it asks.
func reading(a *asker) string {
	return `printf 'I have read \033[31mseven\033[0m files\n'; ` + a.script([]string{unguarded})
}

func TestScreenPeekAndGoThere(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 100, 30)
	a := newAsker(t, s.spool, colour)
	s.run(a, reading(a))
	peeks(t, place{terminal: s.terminal, spool: s.spool}, a, ctrlP, ctrlO, func() bool {
		out, _ := s.command("-S", s.name, "-Q", "number").Output()
		return strings.HasPrefix(string(out), "1 (")
	})
}

func TestKittyPeekAndGoThere(t *testing.T) {
	t.Parallel()
	k := newKitty(t, 100, 30)
	a := newAsker(t, k.spool, colour)
	k.run(reading(a))
	peeks(t, place{terminal: &terminal{t: t, screens: k}, spool: k.spool}, a, ctrlP, ctrlO, func() bool { return true }) // see has told
}

// zellij keeps Ctrl+P and Ctrl+O for itself; F3 and F4 do the same, and are what
// the help shows there.
func TestZellijPeekAndGoThere(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 100, 30)
	a := newAsker(t, s.spool, colour)
	s.run(a, reading(a))
	s.see("Which colour?")
	s.press("?")
	s.see("F3  peek at the pane", "F4  go there, answer later")
	s.unsee("Ctrl+P")
	s.press(esc)
	peeks(t, place{terminal: s.terminal, spool: s.spool}, a, "\x1bOR", "\x1bOS", func() bool {
		tabs := s.tabs()
		return len(tabs) == 2 && tabs[1].Active && !tabs[0].Active
	})
}

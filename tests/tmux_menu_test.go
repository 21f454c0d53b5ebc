package tests

import (
	"strings"
	"testing"
)

// Keys that a menu or a prompt of tmux's is waiting for never reach a form,
// whichever of the two was there first.
func TestTmuxKeysOfAMenu(t *testing.T) {
	for _, c := range []struct {
		name  string
		shown string // what tmux shows
		open  func(tty string) []string
		keys  []string
		left  string // of what the keys did, in @chosen
	}{
		{"menu", "Second", func(tty string) []string {
			return []string{"display-menu", "-c", tty, "-T", "Menu", "-x", "0", "-y", "S", "First", "1", "set-option -g @chosen first", "Second", "2", "set-option -g @chosen second"}
		}, []string{down, enter}, "second"},
		{"command prompt", "(name)", func(tty string) []string {
			return []string{"command-prompt", "-b", "-t", tty, "-p", "(name)", "set-option -g @chosen '%%'"}
		}, []string{"2x", enter}, "2x"},
		{"command prompt, escaped", "(name)", func(tty string) []string {
			return []string{"command-prompt", "-b", "-t", tty, "-p", "(name)", "set-option -g @chosen '%%'"}
		}, []string{"2x", esc}, ""},
	} {
		for _, formFirst := range []bool{false, true} {
			name := c.name + " before the form"
			if formFirst {
				name = c.name + " over the form"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newTmux(t)
				if !s.modal() && (formFirst || c.name != "menu") {
					t.Skip("before 3.8 a form is a popup, which has every key (docs/hosts.md, Keys)")
				}
				s.tmux("set-option", "-g", "@chosen", "")
				s.tmux("set-option", "-g", "@resized", "")
				s.tmux("set-hook", "-g", "client-resized", "set-option -g @resized once")
				v := s.attach("main", 100, 30)
				// A client that is attached tells its size once more, which closes a menu.
				eventually(t, "the client has told its size", func() bool { return s.tmux("show-options", "-gv", "@resized") == "once" })
				var a call
				if formFirst {
					a = s.ask("main", colour)
					v.see("Which colour?", "> 1. Red")
				}
				open := s.command(c.open(v.tty)...)
				if err := open.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = open.Wait() }) // it ends with what it has opened, or with the server
				v.see(c.shown)
				if !formFirst {
					a = s.ask("main", colour)
					s.spool.only(t)
					if s.modal() { // beneath
						eventually(t, "the form is up", func() bool { return s.spool.listed(t)[0].State == "shown" })
					} else { // it waits
						eventually(t, "the asking pane is marked", func() bool { return strings.Contains(s.format(a.pane, "pane_title"), "🔔") })
					}
					v.see(c.shown)
				}
				v.press(c.keys...)
				eventually(t, "tmux has done what was chosen", func() bool { return s.tmux("show-options", "-gv", "@chosen") == c.left })
				v.unsee(c.shown)
				v.see("Which colour?", "> 1. Red")
				a.waits()
				v.press("2")
				a.answered("Colour: user selected: 2. Green")
			})
		}
	}
}

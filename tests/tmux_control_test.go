package tests

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// control is a client in control mode, as iTerm2 is one: it shows each window in
// a tab of its own, and no popup and no floating pane.
type control struct {
	*tmuxServer
	in  io.Writer
	out func() string // what it was told
}

// attachControl attaches one with tmux -C, which talks through pipes, or -CC,
// which talks through a terminal.
func (s *tmuxServer) attachControl(flag, session string) control {
	s.t.Helper()
	args := []string{flag, "attach-session", "-t", session}
	c := control{tmuxServer: s}
	if flag == "-CC" {
		v := newTerminal(s.t, 100, 30)
		s.terminals = append(s.terminals, v)
		v.start(s.env, "tmux", append([]string{"-L", s.name, "-f", "/dev/null"}, args...)...)
		c.in, c.out = console{v}, v.output
	} else {
		cmd := s.command(args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			s.t.Fatal(err)
		}
		out := new(lockedBuffer)
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() {
			in.Close()
			_ = cmd.Wait() // the server may have ended first
		})
		c.in, c.out = in, out.String
	}
	eventually(s.t, "it is attached", func() bool { return strings.Contains(c.out(), "%session-changed") })
	return c
}

// lockedBuffer takes what a program prints.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// console is a terminal to write to.
type console struct{ *terminal }

func (v console) Write(p []byte) (int, error) {
	v.press(string(p))
	return len(p), nil
}

// press types into the window that the session shows, as iTerm2 does.
func (c control) press(session, key string) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, "send-keys -t %s: -- %s\n", session, key); err != nil {
		c.t.Fatal(err)
	}
}

// Where nobody is attached but in control mode, the form opens as a window, and
// nothing but tmux's protocol is written to that client.
func TestTmuxControlClient(t *testing.T) {
	for _, c := range []struct{ flag, asks string }{{"-C", "main"}, {"-CC", "main"}, {"-CC", "agents"}} {
		t.Run(c.flag+" asked in "+c.asks, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			s.session("agents")
			s.tmux("set-option", "-g", "remain-on-exit", "on") // a form that has ended would stay
			client := s.attachControl(c.flag, "main")
			a := s.askWith([]string{unguarded, "ASKPANE_NOTIFICATION_ON_QUESTION=true", "ASKPANE_NOTIFICATION_DELAY_SECONDS=0"}, c.asks, colour)
			form := func() string { return s.tmux("capture-pane", "-p", "-t", "main:") }
			eventually(t, "the form is in the session's window", func() bool { return strings.Contains(form(), "> 1. Red") })
			id := s.spool.only(t)
			eventually(t, "it is shown", func() bool { return s.spool.listed(t)[0].State == "shown" })
			if windows := s.tmux("list-windows", "-t", "main", "-F", "#{window_active} #{window_name}"); !strings.Contains(windows, "1 askpane") {
				t.Errorf("the windows are %q", windows)
			}
			if told := client.out(); !strings.Contains(told, "%window-add") {
				t.Errorf("the client was told %q", told)
			}
			// Closed like any tab, it comes back.
			s.tmux("kill-window", "-t", s.tmux("display-message", "-p", "-t", "main:", "#{window_id}"))
			eventually(t, "the form is back", func() bool { return strings.Contains(form(), "> 1. Red") })
			client.press("main", "2")
			if r := a.answered("Colour: user selected: 2. Green"); r.ID != id {
				t.Errorf("answered %s, asked %s", r.ID, id)
			}
			eventually(t, "its window is closed", func() bool {
				return !strings.Contains(s.tmux("list-windows", "-t", "main", "-F", "#{window_name}"), "askpane")
			})
			if told := client.out(); strings.ContainsAny(told, "\a") || strings.Contains(strings.TrimPrefix(told, "\x1bP1000p"), "\x1b]") {
				t.Errorf("written past the protocol: %q", told)
			}
		})
	}
}

// A question that waits for a window of a control client goes to where somebody
// sees more of it.
func TestTmuxControlAndOrdinaryClient(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	s.attachControl("-C", "main")
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	v.see("Which colour?", "> 1. Red", "[main] 0:")
	if windows := s.tmux("list-windows", "-t", "main", "-F", "#{window_name}"); strings.Contains(windows, "askpane") && !s.modal() {
		t.Errorf("the windows are %q", windows)
	}
	v.press("2")
	a.answered("Colour: user selected: 2. Green")
}

// What doctor says where somebody is attached in a way that shows no popup.
func TestTmuxDoctorOfUnfitClients(t *testing.T) {
	for _, c := range []struct {
		name   string
		attach func(s *tmuxServer)
		says   []string
		not    string
	}{
		{"control mode", func(s *tmuxServer) { s.attachControl("-C", "main") }, []string{"✓ tmux      client-", "in control mode: a form is a window of its own"}, "attach-session"},
		{"read-only", func(s *tmuxServer) {
			v := newTerminal(s.t, 100, 30)
			s.terminals = append(s.terminals, v)
			v.start(s.env, "tmux", "-L", s.name, "-f", "/dev/null", "attach-session", "-r", "-t", "main")
			eventually(s.t, "it is attached", func() bool { return len(s.clients()) == 1 })
		}, []string{"nobody is attached who could answer: /dev/", "is read-only (attached with -r)", "→ tmux attach-session, in another terminal"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			c.attach(s)
			out, _, code := s.doctor(t, t.TempDir())
			contains(t, "doctor", out, c.says...)
			if c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("doctor says %q:\n%s", c.not, out)
			}
			if code != "0" {
				t.Errorf("exit %s", code)
			}
		})
	}
}

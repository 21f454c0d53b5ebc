package tmux

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
	"github.com/askpane/askpane/tests/needs"
)

// person is a client that is attached in a pseudo-terminal.
type person struct {
	*testing.T
	device *os.File
	mu     sync.Mutex
	seen   strings.Builder
}

// attach attaches a client to the server, with that in its environment besides.
func (s *server) attach(t *testing.T, env ...string) *person {
	t.Helper()
	cmd := exec.Command("tmux", "-S", s.socket, "attach-session")
	cmd.Env = append(os.Environ(), append([]string{"TMUX=", "TMUX_PANE=", "TERM=xterm-256color", "TERM_PROGRAM=", "LC_TERMINAL="}, env...)...)
	device, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	p := &person{T: t, device: device}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(p, device) }) // ends with the client
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		reading.Wait()
		device.Close()
	})
	p.until("a client is attached", func() bool {
		_, err := s.Viewer(t.Context())
		return err == nil
	})
	return p
}

func (p *person) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Write(data)
}

func (p *person) until(what string, done func() bool) {
	p.Helper()
	until(p, what, done)
}

// until polls; each look asks tmux, which takes some time itself.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); !done(); {
		if time.Now().After(late) {
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// The viewer's idleness grows by the clock, and ends with a key.
func TestIdle(t *testing.T) {
	s := privateServer(t)
	before := time.Now()
	p := s.attach(t)
	idle := func() time.Duration {
		v, err := s.Viewer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v.Active.Before(before) {
			t.Fatalf("active at %v, and attached after %v", v.Active, before)
		}
		d, known := v.Idle(time.Now())
		if !known {
			t.Fatal("tmux does not know how idle its client is")
		}
		return d
	}
	p.until("the viewer was idle for more than a second", func() bool { return idle() > time.Second })
	pressed := time.Now()
	if _, err := p.device.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	p.until("the key counts", func() bool { return idle() <= time.Since(pressed) })
}

// A notification reaches the client's own terminal, past tmux, which would
// swallow it; what kind of terminal that is comes from the client.
func TestTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  []string
		kind string
		name string
	}{
		{nil, "", "xterm-256color"},
		{[]string{"TERM_PROGRAM=WezTerm"}, "wezterm", "xterm-256color"}, // read from /proc, on Linux
		{[]string{"TERM=vt220", "LC_TERMINAL=iTerm2"}, "iterm2", "vt220"},
	} {
		t.Run(strings.Join(c.env, " "), func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat("/proc/self/environ"); err != nil && c.kind != "" {
				needs.Cannot(t, "terminals that say by their environment what they are", "this system does not show a process's environment")
			}
			s := privateServer(t)
			p := s.attach(t, c.env...)
			got, err := s.Terminal(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.Program != c.kind || got.Name != c.name || !strings.HasPrefix(got.Device, "/dev/") {
				t.Errorf("Terminal = %+v, want kind %q, name %q", got, c.kind, c.name)
			}
			if err := tty.Tell(got.Device, "\x1b]9;Which colour?\a"); err != nil {
				t.Fatal(err)
			}
			p.until("the notification has come", func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return strings.Contains(p.seen.String(), "\x1b]9;Which colour?\a")
			})
		})
	}
}

func TestTerminalOfNobody(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	if _, err := s.Terminal(t.Context()); err == nil || !strings.Contains(err.Error(), host.ErrNoViewer.Error()) {
		t.Errorf("Terminal with nobody attached: %v", err)
	}
}

// A client in control mode shows each window whole: it has no status line, and tmux tells no height of its own.
func TestViewerInControlMode(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	attached := exec.Command("tmux", "-S", s.socket, "-C", "attach-session")
	attached.Env = append(os.Environ(), "TMUX=", "TMUX_PANE=")
	hangUp, err := attached.StdinPipe()
	if err == nil {
		err = attached.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { hangUp.Close(); _ = attached.Wait() }()
	until(t, "somebody is attached", func() bool { _, err := s.findViewer(t.Context()); return err == nil })
	if v, err := s.findViewer(t.Context()); err != nil || v.Width != 100 || v.Height != 30 {
		t.Errorf("in a window of 100x30 it shows %dx%d, %v", v.Width, v.Height, err)
	}
}

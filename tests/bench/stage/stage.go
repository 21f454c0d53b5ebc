// Package stage is a private tmux server with one client attached to it, in a
// pseudo-terminal that we read: what the benchmark and the picture play on.
//
// It touches one temporary directory and the processes it starts. The rule that
// must hold here: nobody's own tmux server, configuration or spool is involved.
package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

// Stage is the server, its one pane, and the client's terminal.
type Stage struct {
	Dir    string // temporary; goes with Close
	Client string // as display-popup -c takes it
	Pane   string // the pane's id
	Modal  bool   // the server has modal panes (tmux 3.8)

	socket string
	client *exec.Cmd
	tty    *os.File
	sink   io.Writer

	mu     sync.Mutex
	fresh  *sync.Cond // something was read
	out    []byte     // what the client's terminal got since Arm
	chunks []chunk
	last   time.Time
	ended  chan struct{}
}

// chunk is one read from the terminal: where in out it ends, and when it came.
type chunk struct {
	end int
	at  time.Time
}

// Open starts a server whose one pane runs command, and attaches a client of
// the given size. What the client's terminal gets also goes to sink, if any.
func Open(columns, rows int, sink io.Writer, command ...string) (_ *Stage, err error) {
	s := &Stage{sink: sink, last: time.Now(), ended: make(chan struct{})}
	s.fresh = sync.NewCond(&s.mu)
	if s.Dir, err = os.MkdirTemp("", "askpane-stage-"); err != nil {
		return nil, err
	}
	s.socket = filepath.Join(s.Dir, "tmux")
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	size := []string{"-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows)}
	args := append([]string{"new-session", "-d", "-s", "main", "-n", "agent"}, size...)
	if _, err := s.Tmux(append(args, command...)...); err != nil {
		return nil, err
	}
	if err := s.attach(columns, rows); err != nil {
		return nil, err
	}
	out, err := s.Tmux("display-message", "-p", "-t", "main", "#{pane_id}")
	if err != nil {
		return nil, err
	}
	s.Pane = out
	usage, _ := s.Tmux("list-commands", "new-pane") // before 3.7 there is no such command
	flags, _, _ := strings.Cut(usage, "]")
	s.Modal = strings.Contains(flags, "O")
	return s, nil
}

func (s *Stage) attach(columns, rows int) (err error) {
	s.client = s.tmuxCommand("attach-session", "-t", "main")
	s.tty, err = pty.StartWithSize(s.client, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		return fmt.Errorf("attach a client: %w", err)
	}
	go s.read()
	for deadline := time.Now().Add(10 * time.Second); ; {
		out, err := s.Tmux("list-clients", "-F", "#{client_name}")
		if err == nil && out != "" {
			s.Client = out
			return s.Quiet(200*time.Millisecond, deadline)
		}
		if time.Now().After(deadline) {
			return errors.Join(errors.New("the tmux client did not attach within 10 s"), err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Spool is where askpane's questions go on this stage.
func (s *Stage) Spool() string { return filepath.Join(s.Dir, "spool") }

// plain is an environment without anything of the person's own in it.
func (s *Stage) plain() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "LANG=C.UTF-8", "SHELL=/bin/sh", "TERM=xterm-256color"}
}

// Command is a tmux command line for this server, such as a person would run.
func (s *Stage) tmuxCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-S", s.socket, "-f", os.DevNull, "-u"}, args...)...)
	cmd.Env = s.plain()
	return cmd
}

// Popup is the bare command line that shows argv in a popup on the client: a modal
// pane where the server has those, as askpane does it.
func (s *Stage) Popup(argv ...string) []string {
	if s.Modal {
		return s.tmuxCommand(append([]string{"new-pane", "-O", "-K", "-A", "-W", "-x", "80%", "-y", "75%", "-X", "10%", "-Y", "12%", "-t", s.Pane, "--"}, argv...)...).Args
	}
	return s.tmuxCommand(append([]string{"display-popup", "-c", s.Client, "-E", "--"}, argv...)...).Args
}

// Tmux runs one tmux command and returns what it printed.
func (s *Stage) Tmux(args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := s.tmuxCommand(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// read keeps everything that the client's terminal gets, and when it came.
func (s *Stage) read() {
	defer close(s.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(buf)
		at := time.Now()
		s.mu.Lock()
		s.out = append(s.out, buf[:n]...)
		s.chunks = append(s.chunks, chunk{len(s.out), at})
		s.last = at
		if s.sink != nil {
			_, _ = s.sink.Write(buf[:n]) // a screen in memory
		}
		s.fresh.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return // EIO: the client has ended
		}
	}
}

// Arm forgets what was seen so far.
func (s *Stage) Arm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out, s.chunks = s.out[:0], s.chunks[:0]
}

// Seen waits until the terminal got marker, and says when its last byte came.
func (s *Stage) Seen(marker string, deadline time.Time) (at time.Time, err error) {
	err = s.until(deadline, func() bool {
		i := bytes.Index(s.out, []byte(marker))
		if i < 0 {
			return false
		}
		for _, c := range s.chunks {
			if c.end >= i+len(marker) {
				at = c.at
				break
			}
		}
		return true
	})
	if err != nil {
		err = fmt.Errorf("%q did not appear on the client's terminal: %w", marker, err)
	}
	return at, err
}

// Until waits until done says so, and looks again after everything that comes.
// The sink is at rest while done runs.
func (s *Stage) Until(deadline time.Time, done func() bool) error { return s.until(deadline, done) }

var errTooLate = errors.New("time is up")

func (s *Stage) until(deadline time.Time, done func() bool) error {
	wake := time.AfterFunc(time.Until(deadline), func() {
		s.mu.Lock() // or the waiter could look at the clock and miss the call
		defer s.mu.Unlock()
		s.fresh.Broadcast()
	})
	defer wake.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !done() {
		if !time.Now().Before(deadline) {
			return errTooLate
		}
		s.fresh.Wait()
	}
	return nil
}

// Quiet waits until nothing has come for a while.
func (s *Stage) Quiet(calm time.Duration, deadline time.Time) error {
	for {
		s.mu.Lock()
		left := calm - time.Since(s.last)
		s.mu.Unlock()
		if left <= 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the client's terminal does not come to rest: %w", errTooLate)
		}
		time.Sleep(left)
	}
}

// Type types keys at the client's terminal, and says when. Quiet begins anew:
// what comes of them may take a moment.
func (s *Stage) Type(keys string) (time.Time, error) {
	at := time.Now()
	s.mu.Lock()
	s.last = at
	s.mu.Unlock()
	_, err := s.tty.WriteString(keys)
	return at, err
}

// Close ends the server, the client and everything in the directory.
func (s *Stage) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	kill := exec.CommandContext(ctx, "tmux", "-S", s.socket, "kill-server")
	kill.Env = s.plain()
	_ = kill.Run() // it may never have started
	if s.tty != nil {
		_ = s.client.Process.Kill() // its server is gone, and it most likely too
		<-s.ended
		_ = s.client.Wait()
		s.tty.Close()
	}
	os.RemoveAll(s.Dir)
}

// Package agent is an agent as a host sees it: the process in a pane, whose
// children ask. A benchmark that ran askpane as its own child would measure how
// the pane is searched for, since askpane believes no pane that it does not
// come from.
//
// It starts what it is told to through a socket, and nothing else.
package agent

import (
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"os"
	"os/exec"
	"sync"
	"time"
)

// name is the first argument of the process in the pane.
const name = "agent-in-a-pane"

// Serve is the first thing that a benchmark does: it returns unless this is the
// process in the pane.
func Serve() {
	if len(os.Args) != 3 || os.Args[1] != name {
		return
	}
	if err := serve(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Command is what the pane is to run: this program again.
func Command(socket string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, name, socket}, err
}

func serve(socket string) error {
	_ = os.Remove(socket) // the last pane's, which was killed
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := rpc.NewServer()
	if err := server.RegisterName("Pane", &pane{running: map[int]*exec.Cmd{}}); err != nil {
		return err
	}
	server.Accept(l) // until the pane ends
	return nil
}

// Order is a command to start.
type Order struct {
	Args                  []string
	Env                   []string // beside what the pane has
	Dir                   string   // empty is the pane's
	Stdin, Stdout, Stderr string   // files; empty is /dev/null
}

// Started says which process it is, and when its start was begun.
type Started struct {
	PID int
	At  time.Time
}

// Ended says when a command had ended, and what was wrong with it.
type Ended struct {
	At  time.Time
	Err string
}

// pane is the side in the pane.
type pane struct {
	mu      sync.Mutex
	running map[int]*exec.Cmd
}

func (p *pane) Start(o Order, s *Started) (err error) {
	cmd := exec.Command(o.Args[0], o.Args[1:]...)
	cmd.Env, cmd.Dir = append(os.Environ(), o.Env...), o.Dir
	for _, f := range []struct {
		name string
		flag int
		set  func(*os.File)
	}{
		{o.Stdin, os.O_RDONLY, func(f *os.File) { cmd.Stdin = f }},
		{o.Stdout, os.O_WRONLY | os.O_CREATE | os.O_TRUNC, func(f *os.File) { cmd.Stdout = f }},
		{o.Stderr, os.O_WRONLY | os.O_CREATE | os.O_TRUNC, func(f *os.File) { cmd.Stderr = f }},
	} {
		if f.name == "" {
			continue
		}
		file, err := os.OpenFile(f.name, f.flag, 0o600)
		if err != nil {
			return err
		}
		defer file.Close() // the command has its own
		f.set(file)
	}
	s.At = time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	s.PID = cmd.Process.Pid
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[s.PID] = cmd
	return nil
}

func (p *pane) Wait(pid int, e *Ended) error {
	p.mu.Lock()
	cmd := p.running[pid]
	delete(p.running, pid)
	p.mu.Unlock()
	if cmd == nil {
		return fmt.Errorf("%d was not started here", pid)
	}
	err := cmd.Wait()
	e.At = time.Now()
	if err != nil {
		e.Err = err.Error()
	}
	return nil
}

// Agent is the benchmark's side.
type Agent struct{ client *rpc.Client }

// Dial waits until the process in the pane serves, until the deadline.
func Dial(socket string, deadline time.Time) (*Agent, error) {
	for {
		client, err := rpc.Dial("unix", socket)
		if err == nil {
			return &Agent{client}, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("the process in the pane does not serve: %w", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Close leaves the process in the pane alone; the pane's end is its own.
func (a *Agent) Close() error { return a.client.Close() }

// Process is a command that runs in the pane.
type Process struct {
	PID   int
	Began time.Time
	// Done is closed when it has ended; Exited and Err are of then.
	Done   chan struct{}
	Exited time.Time
	Err    error
}

// Start starts a command. The times are the clock's, which both sides share.
func (a *Agent) Start(o Order) (*Process, error) {
	var s Started
	if err := a.client.Call("Pane.Start", o, &s); err != nil {
		return nil, err
	}
	p := &Process{PID: s.PID, Began: s.At, Done: make(chan struct{})}
	go func() {
		defer close(p.Done)
		var e Ended
		err := a.client.Call("Pane.Wait", p.PID, &e)
		if p.Exited = e.At; err == nil && e.Err != "" {
			err = errors.New(e.Err)
		}
		p.Err = err
	}()
	return p, nil
}

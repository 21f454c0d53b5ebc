package notify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/text"
)

const (
	// termGrace is how long a process group has after SIGTERM, and killGrace
	// how long the kernel has after SIGKILL.
	termGrace = 300 * time.Millisecond
	killGrace = time.Second
	// outputGrace is how long somebody else may keep the output open once the
	// program has ended.
	outputGrace = 20 * time.Millisecond
	// maxOutput is how much of what a program prints is kept, in bytes.
	maxOutput  = 8 << 10
	lineRunes  = 400
	errorRunes = 120
)

// process is a program of an alert, in a session of its own, away from our
// terminal and its signals.
type process struct {
	cmd       *exec.Cmd
	terminate context.CancelFunc // ends it and its group
	ended     chan struct{}      // closed when the program has ended, by itself or not
	pipe      *os.File
	read      chan struct{} // closed when the output was read to its end
	last      string        // the last line of it; set before read is closed
}

// startProcess starts a program with no input. What it prints goes to print.
func startProcess(print func(line string), env []string, name string, args ...string) (*process, error) {
	r, w, err := os.Pipe() // and not a writer of our own, which exec would wait for
	if err != nil {
		return nil, err
	}
	ctx, terminate := context.WithCancel(context.Background())
	p := &process{cmd: exec.CommandContext(ctx, name, args...), terminate: terminate, ended: make(chan struct{}),
		pipe: r, read: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, w, w
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.cmd.Cancel = func() error { return p.signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = termGrace
	err = p.cmd.Start()
	w.Close()
	if err != nil {
		terminate()
		r.Close()
		return nil, err
	}
	go p.listen(print)
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // ProcessState says it
	}()
	return p, nil
}

// signal is for the whole group.
func (p *process) signal(s syscall.Signal) error { return syscall.Kill(-p.cmd.Process.Pid, s) }

// orphaned reports whether others are left in the group of a program that has
// ended. Where its number is a process's again it is somebody else's: the system
// gives it out anew only once nobody is left in the group.
func (p *process) orphaned() bool {
	return p.signal(0) == nil && errors.Is(syscall.Kill(p.cmd.Process.Pid, 0), syscall.ESRCH)
}

// stop ends the process and all that it started. The error is how it failed, if
// it had ended by itself before, or that it cannot be ended.
func (p *process) stop(ctx context.Context) (err error) {
	byItself := false
	select {
	case <-p.ended:
		byItself = true
	default:
	}
	p.terminate()
	switch {
	case !within(termGrace+killGrace, p.ended):
		err = fmt.Errorf("process %d cannot be ended", p.cmd.Process.Pid)
	case p.orphaned():
		_ = p.signal(syscall.SIGTERM)
		p.awaitOrphans(ctx)
		if p.orphaned() {
			_ = p.signal(syscall.SIGKILL)
		}
	}
	within(outputGrace, p.read) // somebody may have left the group and kept the output
	p.pipe.Close()
	<-p.read
	if byItself {
		err = p.failure()
	}
	return err
}

// awaitOrphans gives the rest of the group its time to end.
func (p *process) awaitOrphans(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, termGrace)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for p.orphaned() && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// finish waits until the program has ended by itself, and says how it failed.
func (p *process) finish(ctx context.Context) error {
	select {
	case <-p.ended:
		return p.failure()
	case <-ctx.Done():
		return fmt.Errorf("it still runs: %w", ctx.Err())
	}
}

// within reports whether done is closed before the time is over.
func within(limit time.Duration, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

// failure is how a process failed that has ended by itself, with the last that
// it said.
func (p *process) failure() error {
	if p.cmd.ProcessState.Success() {
		return nil
	}
	err := errors.New(p.cmd.ProcessState.String())
	if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		err = fmt.Errorf("killed by %v", s.Signal())
	}
	if within(outputGrace, p.read) && p.last != "" {
		err = fmt.Errorf("%w: %s", err, text.OneLine(p.last, errorRunes))
	}
	return err
}

// listen hands on what is printed, a line at a time, up to maxOutput, and reads
// the rest: until the last process that has the pipe ends, or stop.
func (p *process) listen(print func(line string)) {
	defer close(p.read)
	lines := bufio.NewScanner(io.LimitReader(p.pipe, maxOutput))
	for lines.Scan() {
		if line := text.OneLine(lines.Text(), lineRunes); line != "" {
			p.last = line
			print(line)
		}
	}
	_, _ = io.Copy(io.Discard, p.pipe)
}

// printer is where what the programs of an alert print goes.
func (r Routes) printer(alert string) func(string) {
	if r.Output == nil {
		return func(string) {}
	}
	return func(line string) { r.Output(alert, line) }
}

// runShort runs a program that ends by itself at once, until ctx ends.
func runShort(ctx context.Context, name string, args ...string) error {
	p, err := startProcess(func(string) {}, os.Environ(), name, args...)
	if err != nil {
		return err
	}
	err = p.finish(ctx)
	if e := p.stop(context.WithoutCancel(ctx)); err == nil && e != nil {
		err = e
	}
	return err
}

package notify

import (
	"bytes"
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
	// lookEvery is how often we look whether it has gone; only then, and only
	// while somebody waits for that.
	lookEvery = 2 * time.Millisecond
	// maxOutput is how much of what a program prints is kept, in bytes.
	maxOutput  = 8 << 10
	lineRunes  = 400
	errorRunes = 120
)

// process is a program of an alert, in a session of its own, away from our
// terminal and its signals.
//
// It is reaped only when it is stopped, even if it ends before: until then its
// number stays taken, and so stopping its group, which may have outlived it,
// cannot hit anybody else's.
type process struct {
	pid    int
	gone   bool // it was reaped
	status syscall.WaitStatus
	pipe   *os.File
	out    *output
	read   chan struct{} // closed when the output was read to its end
}

// startProcess starts cmd with no input. What it prints goes to print.
func startProcess(cmd *exec.Cmd, print func(line string)) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	p := &process{pid: cmd.Process.Pid, pipe: r, out: &output{print: print}, read: make(chan struct{})}
	_ = cmd.Process.Release() // we wait for it ourselves, without reaping it before we want to
	go func() {
		defer close(p.read)
		_, _ = io.Copy(p.out, r) // it ends with the last process that has the pipe, or in stop
		p.out.flush()
	}()
	return p, nil
}

// stop ends the process and all that it started, and reaps it. The error is how
// it failed, if it had ended by itself before, or that it cannot be ended.
func (p *process) stop(ctx context.Context) error {
	ended := p.reap()
	if p.signal(syscall.SIGTERM) && !awaitFor(ctx, termGrace, p.groupGone) && p.signal(syscall.SIGKILL) {
		// Nothing can refuse that. What is left of the others is for init to
		// reap, and in a container there may be none that does.
		awaitFor(ctx, killGrace, p.reap)
	}
	// Somebody may have left the group and kept the output.
	select {
	case <-p.read:
	case <-time.After(lookEvery):
	}
	p.pipe.Close()
	<-p.read
	switch {
	case !p.gone:
		return fmt.Errorf("process %d cannot be ended", p.pid)
	case ended:
		return p.failure()
	}
	return nil
}

// finish waits until the program has ended by itself, and says how it failed.
func (p *process) finish(ctx context.Context) error {
	if !await(ctx, p.reap) {
		return fmt.Errorf("it still runs: %w", ctx.Err())
	}
	return p.failure()
}

// reap reports whether the process has ended, and has taken note how.
func (p *process) reap() bool {
	for !p.gone {
		pid, err := syscall.Wait4(p.pid, &p.status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if pid == 0 {
			return false
		}
		p.gone = true
	}
	return true
}

// signal reports whether there was anybody in the group to get it.
func (p *process) signal(s syscall.Signal) bool { return syscall.Kill(-p.pid, s) == nil }

func (p *process) groupGone() bool { return p.reap() && !p.signal(0) }

// await reports whether it came about before ctx ended.
func await(ctx context.Context, it func() bool) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !it() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

func awaitFor(ctx context.Context, limit time.Duration, it func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return await(ctx, it)
}

// failure is how a process failed that has ended by itself, with the last that
// it said.
func (p *process) failure() error {
	var err error
	switch s := p.status; {
	case s.Signaled():
		err = fmt.Errorf("killed by %v", s.Signal())
	case s.ExitStatus() != 0:
		err = fmt.Errorf("exit status %d", s.ExitStatus())
	default:
		return nil
	}
	select {
	case <-p.read:
		if p.out.last != "" {
			err = fmt.Errorf("%w: %s", err, text.OneLine(p.out.last, errorRunes))
		}
	case <-time.After(10 * lookEvery): // somebody else still has it open
	}
	return err
}

// output hands on what a program prints, a line at a time, up to maxOutput.
type output struct {
	print func(string)
	begun []byte // a line that has not ended
	used  int
	last  string
}

func (o *output) Write(data []byte) (int, error) {
	n := len(data)
	if room := maxOutput - o.used; len(data) > room {
		data = data[:room]
	}
	o.used += len(data)
	for {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		o.begun = append(o.begun, line...)
		if !ended {
			return n, nil
		}
		data = rest
		o.flush()
	}
}

func (o *output) flush() {
	line := text.OneLine(string(o.begun), lineRunes)
	o.begun = o.begun[:0]
	if line != "" {
		o.last = line
		o.print(line)
	}
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
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	p, err := startProcess(exec.Command(path, args...), func(string) {})
	if err != nil {
		return err
	}
	err = p.finish(ctx)
	if e := p.stop(context.WithoutCancel(ctx)); err == nil && e != nil {
		err = e
	}
	return err
}

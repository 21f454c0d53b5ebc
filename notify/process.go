package notify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/text"
)

const (
	// termGrace bounds the wait for a process group after SIGTERM, and killGrace for the
	// kernel after SIGKILL.
	termGrace = 300 * time.Millisecond
	killGrace = time.Second
	// outputGrace bounds the time for which somebody else keeps the output open once the
	// program has ended.
	outputGrace = 200 * time.Millisecond
	maxOutput   = 8 << 10 // bytes of what a program prints
	lineRunes   = 400
	errorRunes  = 120
)

// process runs a program of an alert in a session of its own, away from our terminal and its
// signals.
type process struct {
	cmd   *exec.Cmd
	ended context.Context // done when the program has ended, by itself or not
	out   *os.File
	read  chan struct{} // closed when the output was read to its end
	last  string        // the last line of it; set before read is closed
}

// run starts a program. What it prints goes to Output, as that of the alert.
func (j job) run(alert string, cmd *exec.Cmd) (*process, error) {
	out, w, err := os.Pipe() // and not a writer of our own, which exec would wait for
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	ended, end := context.WithCancel(context.Background())
	p := &process{cmd: cmd, ended: ended, out: out, read: make(chan struct{})}
	go j.listen(alert, p)
	go func() {
		defer end()
		_ = cmd.Wait() // ProcessState says it
	}()
	return p, nil
}

// listen hands on what is printed, a line at a time, up to maxOutput, and reads
// the rest: until the last process that has the pipe ends, or stop.
func (j job) listen(alert string, p *process) {
	defer close(p.read)
	lines := bufio.NewScanner(io.LimitReader(p.out, maxOutput))
	for lines.Scan() {
		if line := text.OneLine(lines.Text(), lineRunes); line != "" {
			p.last = line
			if j.Output != nil {
				j.Output(alert, line)
			}
		}
	}
	_, _ = io.Copy(io.Discard, p.out)
}

// stop ends the program and all that it has started. The error says how it failed, if it had
// ended by itself before, or that it cannot be ended.
func (p *process) stop(context.Context) (err error) {
	byItself := p.hasEnded()
	if p.left() {
		_ = p.signal(syscall.SIGTERM)
	}
	for late := time.Now().Add(termGrace); p.left() && time.Now().Before(late); {
		time.Sleep(2 * time.Millisecond) // nothing tells when the last of a group has ended
	}
	if p.left() {
		_ = p.signal(syscall.SIGKILL)
	}
	if !within(killGrace, p.ended.Done()) {
		err = fmt.Errorf("process %d cannot be ended", p.cmd.Process.Pid)
	}
	within(outputGrace, p.read) // somebody may have left the group and kept the output
	p.out.Close()
	<-p.read
	if byItself && !p.cmd.ProcessState.Success() {
		err = errors.New(strings.TrimSuffix(p.cmd.ProcessState.String()+": "+text.OneLine(p.last, errorRunes), ": "))
	}
	return err
}

// left reports whether anybody is left in the program's group. Once it has ended,
// its number may be another's, and then so is the group: the system gives it out
// anew only when nobody is left in the old one.
func (p *process) left() bool {
	return !p.hasEnded() || p.signal(0) == nil && errors.Is(syscall.Kill(p.cmd.Process.Pid, 0), syscall.ESRCH)
}

// signal signals the whole group.
func (p *process) signal(s syscall.Signal) error { return syscall.Kill(-p.cmd.Process.Pid, s) }

func (p *process) hasEnded() bool { return p.ended.Err() != nil }

// within reports whether done is closed before the time is over.
func within(limit time.Duration, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

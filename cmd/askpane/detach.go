package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/cmd/internal/command"
)

// ask --detach starts askpane ask-left in a session of its own, which asks and
// waits as any bridge does, so that popups come back and alerts stay. It says
// through file descriptor 3 that the question is in the spool, or what else
// became of it, and from then on nobody reads what it writes.

// leftFD is the descriptor of the report in the process that is left.
const leftFD = 3

// report is the one line at leftFD.
type report struct {
	Envelope bridge.Envelope `json:"envelope"`
	Error    string          `json:"error,omitempty"` // a failure of ours
	Usage    bool            `json:"usage,omitempty"` // of the command line, that is
}

func leftCommand() *cli.Command {
	return &cli.Command{
		Name:   "ask-left",
		Usage:  "what ask --detach leaves behind",
		Hidden: true,
		Flags:  []cli.Flag{dialectFlag(), command.AgentFlag(), command.HostFlag(), timeoutFlag(), fileFlag(), &cli.IntFlag{Name: "pid"}},
		Action: func(c *cli.Context) error {
			signal.Ignore(syscall.SIGPIPE) // standard error is read only as long as the caller is there
			syscall.CloseOnExec(leftFD)
			l := &leaving{to: os.NewFile(leftFD, "report")}
			if _, err := l.to.Stat(); err != nil {
				return usage("this is for askpane ask --detach to run")
			}
			q, err := questionOf(c)
			if err == nil {
				q.left, q.output, q.pid = l, "envelope", c.Int("pid") // the output is seen by nobody
				err = q.ask(func() ([]byte, error) { return input(c) })
			}
			return l.failed(err)
		},
	}
}

// leaving is the report of a process that nobody waits for.
type leaving struct{ to *os.File }

// ask asks, and reports as soon as the question is in the spool. The answer
// stays there for askpane collect.
func (l *leaving) ask(ctx context.Context, b *bridge.Bridge, q bridge.Question) error {
	q.Keep = func() bool { return true }
	q.Asked = func(id string) { l.say(report{Envelope: bridge.Uncollected(id)}) }
	err := b.Ask(ctx, q, func(e bridge.Envelope) error {
		if l.to == nil { // the caller has its report
			return bridge.ErrUncollected
		}
		return l.say(report{Envelope: e})
	})
	if errors.Is(err, bridge.ErrKept) { // ended by a signal; the question is not
		return nil
	}
	return err
}

// failed reports what kept the question from being asked.
func (l *leaving) failed(err error) error {
	if err != nil && l.to != nil && err.Error() != "" {
		var e exit
		_ = l.say(report{Error: err.Error(), Usage: errors.As(err, &e) && e.Code == exitUsage}) // if nobody reads it, nobody is there
	}
	return nil
}

// say reports once.
func (l *leaving) say(r report) error {
	to := l.to
	if to == nil {
		return nil
	}
	l.to = nil
	return errors.Join(printJSON(to, r), to.Close())
}

// detach asks without waiting for the answer.
func (q question) detach(read func() ([]byte, error)) error {
	print, err := printer(q.output, q.indent)
	if err != nil {
		return err
	}
	raw, err := read()
	if err != nil {
		return err
	}
	r, err := q.leave(raw)
	switch {
	case err != nil:
		return internal(print, fmt.Errorf("leave the question to a process of its own: %w", err))
	case r.Usage:
		return usage("%s", r.Error)
	case r.Error != "":
		return internal(print, errors.New(r.Error))
	}
	if err := print(r.Envelope); err != nil {
		return err
	}
	if r.Envelope.Outcome == bridge.Pending {
		return nil // it was asked, as it should be
	}
	return exit{Code: exitCodes[r.Envelope.Outcome]}
}

// leave starts the process that asks, and returns its report.
func (q question) leave(raw []byte) (report, error) {
	var r report
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	said, to, err := os.Pipe()
	if err != nil {
		return r, err
	}
	defer said.Close()
	warnings, stderr, err := os.Pipe()
	if err != nil {
		to.Close()
		return r, err
	}
	cmd := exec.Command(self, q.leftArgs()...)
	cmd.Stdin, cmd.Stderr, cmd.ExtraFiles = bytes.NewReader(raw), stderr, []*os.File{to}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives the caller's terminal
	err = cmd.Start()
	to.Close()
	stderr.Close()
	if err != nil {
		warnings.Close()
		return r, err
	}
	go func() { _, _ = io.Copy(os.Stderr, warnings) }() // until this process ends
	line, err := bufio.NewReader(said).ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("it ended without a word: %w", errors.Join(err, cmd.Wait()))
	}
	return r, json.Unmarshal(line, &r)
}

func (q question) leftArgs() []string {
	args := []string{"ask-left", "--pid=" + strconv.Itoa(askingProcess())}
	for _, flag := range []struct{ name, value string }{{"dialect", q.dialect}, {"agent", q.agent}, {"host", q.host}} {
		if flag.value != "" {
			args = append(args, "--"+flag.name+"="+flag.value)
		}
	}
	if q.timeout != nil {
		args = append(args, "--timeout="+strconv.FormatFloat(q.timeout.Seconds(), 'f', -1, 64))
	}
	return args
}

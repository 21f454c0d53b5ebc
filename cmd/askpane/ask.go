package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
)

func askCommand() *cli.Command {
	return &cli.Command{
		Name:  "ask",
		Usage: "ask the person; the request is JSON on standard input",
		Flags: []cli.Flag{
			fileFlag(), dialectFlag(), command.AgentFlag(), command.HostFlag(), timeoutFlag(), outputFlag(),
			&cli.BoolFlag{Name: "detach", Usage: "return at once, with the question's id; askpane collect gets the answer"},
			&cli.BoolFlag{Name: "heartbeat", Usage: "say on standard error now and then that the question still waits (setting heartbeatIntervalMinutes)"},
			&cli.BoolFlag{Name: "verbose", Usage: "say on standard error too which alerts have failed; the log and askpane doctor know them"},
		},
		Action: func(c *cli.Context) error {
			q, err := questionOf(c)
			if err != nil {
				return err
			}
			if c.Bool("detach") {
				q.leave = q.toAnotherProcess
			}
			return q.ask(func() ([]byte, error) { return input(c) })
		},
	}
}

// questionOf is what the flags of a command that asks say.
func questionOf(c *cli.Context) (question, error) {
	if err := noArgs(c); err != nil {
		return question{}, err
	}
	q := question{dialect: c.String("dialect"), agent: c.String("agent"), host: c.String("host"), output: c.String("output"),
		verbose: c.Bool("verbose"), heartbeat: c.Bool("heartbeat")}
	var err error
	q.timeout, err = command.Seconds(c, "timeout")
	return q, err
}

func timeoutFlag() cli.Flag {
	return &cli.Float64Flag{Name: "timeout", Usage: "give up after so many `SECONDS`"}
}

func dialectFlag() cli.Flag {
	return &cli.StringFlag{Name: "dialect", Usage: "`NAME` of the question tool (" + strings.Join(dialect.Names(), ", ") + "); by default the request's shape decides"}
}

func fileFlag() cli.Flag {
	return &cli.StringFlag{Name: "file", Usage: "read from `FILE` instead of standard input"}
}

func outputFlag() cli.Flag {
	return &cli.StringFlag{Name: "output", Value: "envelope", Usage: "what to print: envelope, text or details"}
}

func noArgs(c *cli.Context) error {
	if c.Args().Present() {
		return usage("unexpected argument %q; the request comes on standard input or with --file", c.Args().First())
	}
	return nil
}

// input reads --file or standard input, at most a byte more than is allowed.
func input(c *cli.Context) ([]byte, error) {
	in := io.Reader(os.Stdin)
	if name := c.String("file"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usage("read the request: %v", err)
		}
		defer f.Close()
		in = f
	}
	return readInput(in)
}

func readInput(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, dialect.MaxBytes+1))
	if err != nil {
		return nil, usage("read the input: %v", err)
	}
	return data, nil
}

// question is one call of ask or demo.
type question struct {
	dialect, agent, host, output string
	session                      *string        // the agent's own name for it, once the request is read; nil: the environment's
	timeout                      *time.Duration // nil: the setting
	indent                       bool           // print for a person
	verbose                      bool           // say which alerts have failed
	heartbeat                    bool           // on standard error
	noAlerts                     bool
	deliver                      func(bridge.Envelope) error // instead of printing to standard output
	leave                        func(id string) error       // hands the question to another process, which waits for the answer; nil waits here
}

// ask asks, and prints what the agent gets.
func (q question) ask(read func() ([]byte, error)) error {
	asked := bridge.Question{Dialect: q.dialect, Origin: spool.Origin{Start: time.Now(), PID: askingProcess()}}
	print, err := q.printer()
	if err != nil {
		return err
	}
	asked.Origin.Cwd, _ = os.Getwd() // where the project's settings are, and shown to the person
	own, err := asker.New(asked.Origin.Cwd, q.host, q.asking(), warn)
	if err != nil {
		return err
	}
	find := own.Find() // goes on while the request is read
	c := begin()
	defer c.end()
	asked.Raw, err = readUntil(c, read)
	if errors.Is(err, context.Canceled) {
		return interrupted(print)
	}
	if err != nil {
		return err
	}
	sp, err := asker.OpenSpool()
	if err != nil {
		return internal(print, err)
	}
	defer sp.Close()
	asked.Timeout = own.Timeout()
	if q.timeout != nil {
		asked.Timeout = *q.timeout
	}
	asked.Keep = func() bool { return !c.withdrawn(own.KeepAfterCancel()) }
	asked.Origin.Agent, asked.Origin.Session = cmp.Or(q.agent, agentName()), asker.SessionName()
	if q.session != nil {
		asked.Origin.Session = *q.session
	}
	return q.put(c, own, own.Bridge(sp, find), asked, print)
}

// put asks what has been read, and prints how it ended.
func (q question) put(ctx context.Context, own asker.Asker, b *bridge.Bridge, asked bridge.Question, print func(bridge.Envelope) error) error {
	var id string
	var lost error
	asked.Leave = q.leave != nil
	asked.Asked = func(entry string) {
		if id = entry; asked.Leave {
			lost = q.leave(id)
		}
	}
	code := exitInternal
	err := b.Ask(ctx, asked, func(e bridge.Envelope) error {
		code = exitCodes[e.Outcome]
		err := print(e)
		own.Log().Info("question over", "id", e.ID, "outcome", e.Outcome, "seconds", time.Since(asked.Origin.Start).Seconds())
		return err
	})
	switch {
	case lost != nil:
		return internal(print, lost)
	case errors.Is(err, bridge.ErrKept) && asked.Leave:
		return print(bridge.Uncollected(id)) // it was asked, as it should be
	case errors.Is(err, bridge.ErrKept):
		_ = print(bridge.Uncollected(id)) // it may be the terminal that has gone
		return exit{Code: exitAborted}
	case err != nil:
		return internal(print, err)
	}
	return exit{Code: code}
}

// asking is what is particular to this call.
func (q question) asking() asker.Asking {
	a := asker.Asking{Verbose: q.verbose, NoAlerts: q.noAlerts}
	if q.heartbeat {
		a.Heartbeat, a.Beat = true, asker.BeatAside
	}
	return a
}

// printer is how the envelope goes out. It also looks at the dialect, before
// anything is asked.
func (q question) printer() (func(bridge.Envelope) error, error) {
	if q.dialect != "" {
		if _, err := dialect.ByName(q.dialect); err != nil {
			return nil, usage("%v", err)
		}
	}
	if q.deliver != nil {
		return q.deliver, nil
	}
	return printer(q.output, q.indent)
}

// interrupted reports a call that ended before its request was there.
func interrupted(print func(bridge.Envelope) error) error {
	e := bridge.Envelope{Outcome: form.Aborted, Text: "Error: interrupted before the request was read", Details: json.RawMessage(`{}`), IsError: true}
	if err := print(e); err != nil {
		return err
	}
	return exit{Code: exitCodes[form.Aborted]}
}

// readUntil is read, given up when ctx ends: a reader of standard input cannot
// be interrupted.
func readUntil(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// internal reports a failure of ours: an envelope all the same, and exit 1.
func internal(print func(bridge.Envelope) error, err error) error {
	var e exit
	if errors.As(err, &e) {
		return err
	}
	_ = print(bridge.Envelope{Outcome: form.Unavailable, Text: "Error: " + err.Error(), Details: json.RawMessage(`{}`), IsError: true})
	return exitWith(exitInternal, err)
}

// askingProcess is the process that has started us: an agent, or a shell of its.
// Of one that has ended nothing is known; then we are the only one of ours.
func askingProcess() int {
	if parent := os.Getppid(); parent > 1 {
		return parent
	}
	return os.Getpid()
}

// agentName guesses who asks from what the agents set for their children
// (docs/agents.md, What was measured).
func agentName() string {
	for _, known := range []struct{ env, name string }{
		{"CLAUDECODE", "claude"}, {"OPENCODE", "opencode"}, {"GEMINI_CLI", "gemini"}, {"PI_CODING_AGENT", "pi"},
	} {
		if os.Getenv(known.env) != "" {
			return known.name
		}
	}
	return "agent"
}

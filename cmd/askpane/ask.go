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
			if err := noArgs(c); err != nil {
				return err
			}
			timeout, err := command.Seconds(c, "timeout")
			if err != nil {
				return err
			}
			q := question{Asker: asker.Asker{Host: c.String("host"), Verbose: c.Bool("verbose")},
				dialect: c.String("dialect"), agent: c.String("agent"), output: c.String("output"), timeout: timeout}
			if c.Bool("heartbeat") {
				q.Heartbeat, q.Beat = true, asker.BeatAside
			}
			if c.Bool("detach") {
				q.leave = q.toAnotherProcess
			}
			return q.ask(func() ([]byte, error) { return input(c) })
		},
	}
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
	asker.Asker
	dialect, agent, output string
	session                *string                     // the agent's own name for it, once the request is read; nil: the environment's
	timeout                *time.Duration              // nil: the setting
	indent                 bool                        // print for a person
	deliver                func(bridge.Envelope) error // instead of printing to standard output
	leave                  func(id string) error       // hands the question to another process, which waits for the answer; nil waits here
}

// ask asks, and prints what the agent gets.
func (q question) ask(read func() ([]byte, error)) error {
	c := begin()
	defer c.end()
	asked := bridge.Question{Dialect: q.dialect, Leave: q.leave != nil, Origin: spool.Origin{Start: time.Now(), PID: askingProcess(), Cwd: here()}}
	print, err := q.printer()
	if err != nil {
		return err
	}
	q.Say = warn
	if q.Asker, err = q.For(asked.Origin.Cwd); err != nil {
		return err
	}
	find := q.Find() // goes on while the request is read
	asked.Raw, err = readUntil(c, read)
	if errors.Is(err, context.Canceled) {
		if err := print(failure(form.Aborted, "interrupted before the request was read")); err != nil {
			return err
		}
		return exit{Code: exitAborted}
	}
	if err != nil {
		return err
	}
	sp, err := asker.OpenSpool()
	if err != nil {
		return internal(print, err)
	}
	defer sp.Close()
	asked.Timeout = q.Timeout()
	if q.timeout != nil {
		asked.Timeout = *q.timeout
	}
	asked.Keep = func() bool { return !c.withdrawn(q.Settings().KeepAfterCancel) }
	asked.Origin.Agent, asked.Origin.Session = cmp.Or(q.agent, agentName()), asker.SessionName()
	if q.session != nil {
		asked.Origin.Session = *q.session
	}
	return q.put(c, q.Bridge(sp, find), asked, print)
}

// put asks what has been read, and prints how it ended.
func (q question) put(ctx context.Context, b *bridge.Bridge, asked bridge.Question, print func(bridge.Envelope) error) error {
	var id string
	var lost error
	asked.Asked = func(entry string) {
		if id = entry; asked.Leave {
			lost = q.leave(id)
		}
	}
	code := exitInternal
	err := b.Ask(ctx, asked, func(e bridge.Envelope) error {
		code = exitCodes[e.Outcome]
		err := print(e)
		q.Log().Info("question over", "id", e.ID, "outcome", e.Outcome, "seconds", time.Since(asked.Origin.Start).Seconds())
		return err
	})
	switch {
	case lost != nil:
		return internal(print, lost)
	case errors.Is(err, bridge.ErrKept):
		if err := print(bridge.Uncollected(id)); asked.Leave {
			return err
		}
		return exit{Code: exitAborted} // it may be the terminal that has gone
	case err != nil:
		return internal(print, err)
	}
	return exit{Code: code}
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

// failure is the envelope of a question that nobody was asked.
func failure(o form.Outcome, why string) bridge.Envelope {
	return bridge.Envelope{Outcome: o, Text: "Error: " + why, Details: json.RawMessage(`{}`), IsError: true}
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
	_ = print(failure(form.Unavailable, err.Error()))
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

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/settings"
)

func askCommand() *cli.Command {
	return &cli.Command{
		Name:  "ask",
		Usage: "ask the person; the request is JSON on standard input",
		Flags: []cli.Flag{
			fileFlag(), dialectFlag(),
			&cli.StringFlag{Name: "agent", EnvVars: []string{"ASKPANE_AGENT"}, Usage: "`NAME` of who asks, shown to the person"},
			&cli.StringFlag{Name: "host", Usage: "where to ask: " + strings.Join(integrations.Names(), ", ")},
			&cli.Float64Flag{Name: "timeout", Usage: "give up after so many `SECONDS`"},
			outputFlag(),
		},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			q := question{dialect: c.String("dialect"), agent: c.String("agent"), host: c.String("host"), output: c.String("output")}
			if q.timeout = time.Duration(c.Float64("timeout") * float64(time.Second)); q.timeout < 0 {
				return usage("--timeout is %g; it must not be negative", c.Float64("timeout"))
			}
			return q.ask(func() ([]byte, error) { return input(c) })
		},
	}
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
	data, err := io.ReadAll(io.LimitReader(in, dialect.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	return data, nil
}

// question is one call of ask or demo.
type question struct {
	dialect, agent, host, output string
	timeout                      time.Duration
	indent                       bool // print for a person
}

func (q question) ask(read func() ([]byte, error)) error {
	start := time.Now()
	s, problems := settings.Load()
	for _, p := range problems {
		warn(p)
	}
	host := cmp.Or(q.host, s.Host)
	if err := integrations.Known(host); err != nil {
		if q.host != "" {
			return usage("%v", err)
		}
		warn(fmt.Errorf("ASKPANE_HOST: %w; using %s", err, integrations.Auto)) // a setting never stops a question
		host = integrations.Auto
	}
	place := findPlace(host, s) // goes on while the request is read
	if q.dialect != "" {
		if _, err := dialect.ByName(q.dialect); err != nil {
			return usage("%v", err)
		}
	}
	print, err := printer(q.output, q.indent)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	raw, err := read()
	if err != nil {
		return err
	}
	sp, err := openSpool()
	if err != nil {
		return internal(print, err)
	}
	defer sp.Close()
	b := bridge.Bridge{Spool: sp, Context: resultContext(s), Place: place, Warn: warn, HostWait: time.Duration(s.HostWaitSeconds) * time.Second}
	cwd, _ := os.Getwd() // only shown to the person
	code := exitInternal
	err = b.Ask(ctx, bridge.Question{
		Dialect: q.dialect, Raw: raw,
		Timeout: cmp.Or(q.timeout, time.Duration(s.TimeoutSeconds)*time.Second),
		Origin:  spool.Origin{Agent: cmp.Or(q.agent, agentName()), Cwd: cwd, PID: os.Getpid(), Start: start},
	}, func(e bridge.Envelope) error {
		code = exitCodes[e.Outcome]
		return print(e)
	})
	if err != nil {
		return internal(print, err)
	}
	return exit{code: code}
}

// resultContext is what of the settings shows in results.
func resultContext(s settings.Settings) dialect.Context {
	return dialect.Context{DebounceMs: s.DebounceMs, DangerCheck: s.DangerCheckEnabled}
}

func openSpool() (*spool.Spool, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	return spool.Open(dir)
}

// internal reports a failure of ours: an envelope all the same, and exit 1.
func internal(print func(bridge.Envelope) error, err error) error {
	var e exit
	if errors.As(err, &e) {
		return err
	}
	_ = print(bridge.Envelope{Outcome: "error", Text: "Error: " + err.Error(), Details: json.RawMessage(`{}`), IsError: true})
	return exit{exitInternal, err}
}

// printer is how --output prints an envelope.
func printer(output string, indent bool) (func(bridge.Envelope) error, error) {
	switch output {
	case "envelope":
		return func(e bridge.Envelope) error {
			if !indent {
				return printJSON(os.Stdout, e)
			}
			text, err := json.MarshalIndent(e, "", "  ")
			if err == nil {
				_, err = fmt.Printf("%s\n", text)
			}
			return err
		}, nil
	case "pretty": // not offered: for demo, whose output a person reads
		return func(e bridge.Envelope) error {
			enc := json.NewEncoder(os.Stdout)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(e)
		}, nil
	case "details":
		return func(e bridge.Envelope) error { return printJSON(os.Stdout, e.Details) }, nil
	case "text":
		return func(e bridge.Envelope) error {
			_, err := fmt.Println(e.Text)
			return err
		}, nil
	}
	return nil, usage("unknown --output %q; there are envelope, text and details", output)
}

// printJSON prints one line of JSON, with <, > and & as they are.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// agentName guesses who asks from what the agents set for their children
// (CLIENTS.md has where each was seen).
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

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
	"unicode"
	"unicode/utf16"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
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
				return q.detach(func() ([]byte, error) { return input(c) })
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
		told: asker.Told{Verbose: c.Bool("verbose")}, heartbeat: c.Bool("heartbeat")}
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
	pid                          int            // the asking process; 0 is our parent
	timeout                      *time.Duration // nil: the setting
	indent                       bool           // print for a person
	left                         *leaving       // the question is asked by a process that the caller does not wait for
	told                         asker.Told
	heartbeat                    bool // on standard error
	noAlerts                     bool
	deliver                      func(bridge.Envelope) error // instead of printing to standard output
}

func (q question) ask(read func() ([]byte, error)) error {
	start := time.Now()
	cwd, _ := os.Getwd() // where the project's settings are, and shown to the person
	how := asker.Asking{Told: q.told, NoAlerts: q.noAlerts}
	if q.heartbeat {
		how.Heartbeat, how.Beat = true, asker.BeatAside
	}
	own, err := asker.New(cwd, q.host, how, warn)
	if err != nil {
		return err
	}
	find := own.Find() // goes on while the request is read
	if q.dialect != "" {
		if _, err := dialect.ByName(q.dialect); err != nil {
			return usage("%v", err)
		}
	}
	print := q.deliver
	if print == nil {
		var err error
		if print, err = printer(q.output, q.indent); err != nil {
			return err
		}
	}
	ctx, hungUp, stop := callEnds()
	defer stop()
	// A reader of ours that has gone is an error of that write, and no reason to
	// die with a question open.
	signal.Ignore(syscall.SIGPIPE)
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	if q.left == nil {
		whenReaderGone(func() { leave(errReaderGone) })
	}
	raw, err := readUntil(ctx, read)
	if errors.Is(err, context.Canceled) {
		code := exitCodes[form.Aborted]
		if err := print(bridge.Envelope{Outcome: form.Aborted, Text: "Error: interrupted before the request was read", Details: json.RawMessage(`{}`), IsError: true}); err != nil {
			return err
		}
		return exit{Code: code}
	}
	if err != nil {
		return err
	}
	sp, err := asker.OpenSpool()
	if err != nil {
		return internal(print, err)
	}
	defer sp.Close()
	b := own.Bridge(sp, find)
	timeout := own.Timeout()
	if q.timeout != nil {
		timeout = *q.timeout
	}
	asked := bridge.Question{
		Dialect: q.dialect, Raw: raw,
		Timeout: timeout,
		Keep:    func() bool { return context.Cause(ctx) == errReaderGone || hungUp() && own.KeepAfterCancel() },
		Origin: spool.Origin{Agent: cmp.Or(q.agent, agentName()), Cwd: cwd, PID: cmp.Or(q.pid, askingProcess()),
			Session: asker.SessionName(), Start: start},
	}
	if q.session != nil {
		asked.Origin.Session = *q.session
	}
	if q.left != nil {
		return q.left.ask(ctx, b, asked)
	}
	var id string
	asked.Asked = func(entry string) { id = entry }
	code := exitInternal
	err = b.Ask(ctx, asked, func(e bridge.Envelope) error {
		code = exitCodes[e.Outcome]
		err := print(e)
		own.Told.Log().Info("question over", "id", e.ID, "outcome", e.Outcome, "seconds", time.Since(start).Seconds())
		return err
	})
	if errors.Is(err, bridge.ErrKept) {
		_ = print(bridge.Uncollected(id)) // it may be the terminal that has gone
		return exit{Code: exitAborted}
	}
	if err != nil {
		return internal(print, err)
	}
	return exit{Code: code}
}

// errReaderGone: nobody is there any more to read the answer, and nobody has
// withdrawn the question. It stays open, as if we had been killed too.
var errReaderGone = errors.New("the reader of standard output has gone")

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

// printer is how --output prints an envelope.
func printer(output string, indent bool) (func(bridge.Envelope) error, error) {
	switch output {
	case "envelope":
		return func(e bridge.Envelope) error {
			if indent {
				return encodeJSON(os.Stdout, e, "  ")
			}
			return printJSON(os.Stdout, e)
		}, nil
	case "details":
		return func(e bridge.Envelope) error {
			noteAside(e)
			return printJSON(os.Stdout, e.Details)
		}, nil
	case "text":
		return func(e bridge.Envelope) error {
			noteAside(e)
			said := e.Text
			if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				said = text.Visible(said) // the labels in it are the agent's
			}
			_, err := fmt.Println(said)
			return err
		}, nil
	}
	return nil, usage("unknown --output %q; there are envelope, text and details", output)
}

// noteAside says on standard error what the output has no place for.
func noteAside(e bridge.Envelope) {
	if e.Note != "" {
		warn(errors.New(e.Note))
	}
}

// printJSON prints one line of JSON, with <, > and & as they are.
func printJSON(w io.Writer, v any) error { return encodeJSON(w, v, "") }

// encodeJSON also escapes what JSON itself leaves alone and a terminal does not:
// DEL and the C1 controls, of which U+009B begins an escape sequence, and what
// cannot be seen there.
func encodeJSON(w io.Writer, v any, indent string) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escapeUnseen(b.String()))
	return err
}

// escapeUnseen escapes in JSON text what a terminal should not get.
func escapeUnseen(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f }) {
		return s
	}
	var b strings.Builder
	marks, last := 0, rune(0)
	for _, r := range s {
		if marks++; r < 0x300 || !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		}
		switch {
		case marks <= text.MostMarks && !unseen(r) && !(r == last && (r == 0x200c || r == 0x200d)):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, "\\u%04x\\u%04x", high, low)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
		last = r
	}
	return b.String()
}

// unseen is what text.Visible makes visible: DEL, C1, the direction of writing,
// zero widths. Not joiners, which emoji are made of.
func unseen(r rune) bool {
	return r >= 0x7f && r != 0x200c && r != 0x200d && text.Visible("x"+string(r)) != "x"+string(r)
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

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/plan"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
)

func ask(c *cli.Context) error {
	q := question{Asker: asker.Asker{Host: c.String("host"), Beat: asker.BeatAside},
		dialect: c.String("dialect"), agent: c.String("agent"), print: printer(c, ""), timeout: command.Time(c, "timeout")}
	if c.Bool("detach") {
		q.leave = q.toAnotherProcess
	}
	var warned sync.WaitGroup // beside the way to the form
	defer warned.Wait()
	read := func() ([]byte, error) {
		raw, err := input(c, "request")
		if err == nil {
			warned.Go(func() { warnOfUnknown(c.String("dialect"), raw) })
		}
		return raw, err
	}
	if c.Args().Present() {
		if err := q.prompted(c); err != nil {
			return err
		}
		q.agent = cmp.Or(q.agent, agentName(text.Script))
		if !c.Bool("json") && !c.IsSet("output") {
			q.print = func(e bridge.Envelope) error { return printAnswer(e, c.Bool("detach")) }
		}
	} else if i := slices.IndexFunc(promptFlags(), func(f cli.Flag) bool { return c.IsSet(f.Names()[0]) }); i >= 0 {
		return usage("--%s is for a question on the command line, and there is none; see askpane ask --help", promptFlags()[i].Names()[0])
	}
	q.usualKeys = c.Bool("number") // made of a dialect whose Enter opens the entry
	if c.Bool("confirm") && c.Args().Present() {
		q.yes = func(e bridge.Envelope) bool {
			answers, _ := answersOf(e)
			return slices.Equal(answers, []string{"yes"}) // words of their own are no yes
		}
	}
	return q.ask(read)
}

// input reads --file or standard input. Before it reads from a terminal, it says what it waits for.
func input(c *cli.Context, what string) ([]byte, error) {
	in, name := os.Stdin, c.String("file")
	if name != "" {
		var err error
		if in, err = os.Open(name); err != nil {
			return nil, usage("read the %s: %v", what, err)
		}
		defer in.Close()
	} else if term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(os.Stderr, "askpane: reading the %s in JSON, Ctrl+D ends; askpane %s --help has examples\n", what, c.Command.Name)
	}
	return readInput(in)
}

// readInput reads more than a request may have: around one a hook gets other things, too.
func readInput(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, mostSent))
	if err != nil {
		return nil, usage("read the input: %v", err)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil // with which some editors begin a file
}

// question holds one call of whatever asks.
type question struct {
	asker.Asker
	dialect, agent string
	prompt         []byte                      // the request, which the command line has; nil is still to be read
	usualKeys      bool                        // bridge.Question.UsualKeys
	session        *string                     // the agent's own name for it, once the request is read; nil: the environment's
	timeout        *time.Duration              // nil: the setting
	print          func(bridge.Envelope) error // hands over what the agent gets
	ours           bool                        // no call but this one can use the answer: it goes with its caller, whatever that ends by
	native         native                      // the agent's own dialog for it; nil where it has none
	yes            func(bridge.Envelope) bool  // reports whether an answer is the yes that was asked for; nil where none was
	leave          func(id string) error       // hands the question to another process, which waits for the answer; nil waits here
}

// native is a question that an agent asks with its own tool, as its hook has it.
type native interface {
	// begin says where its own dialog stands, once the request is read. That may end the question.
	begin(end context.CancelCauseFunc) (stands string)
	asked(ctx context.Context, a asker.Asker, sp *spool.Spool, id string)
}

// ask asks, and prints what the agent gets.
func (q question) ask(read func() ([]byte, error)) error {
	c := newCall()
	defer c.end()
	asked := bridge.Question{Dialect: q.dialect, UsualKeys: q.usualKeys, Leave: q.leave != nil, Origin: spool.Origin{Start: time.Now(), PID: os.Getppid(), Cwd: here()}}
	if asked.Origin.PID <= 1 { // the agent, or its shell, has ended: nothing is known of it, and we stand for it
		asked.Origin.PID = os.Getpid()
	}
	q.Say = warn
	q.Asker = q.For(asked.Origin.Cwd)
	find := q.Find() // goes on while the request is read
	var err error
	if asked.Raw = q.prompt; asked.Raw == nil {
		asked.Raw, err = programs.Read(c, read)
	}
	if errors.Is(err, context.Canceled) {
		return cmp.Or(q.print(failure(form.Aborted, "interrupted before the request was read")), error(exit{Code: programs.Aborted}))
	}
	if err != nil {
		return err
	}
	sp, err := asker.OpenSpool()
	if err != nil {
		e := bridge.Unkept(q.dialect, asked.Raw, err)
		return cmp.Or(q.print(e), q.over(e))
	}
	defer sp.Close()
	asked.Timeout = *cmp.Or(q.timeout, new(q.Timeout()))
	asked.Keep = func() bool { return !q.ours && !c.withdrawn(q.Now().KeepAfterCancel) }
	asked.Origin.Agent, asked.Origin.Session = cmp.Or(q.agent, agentName("agent")), *cmp.Or(q.session, new(asker.SessionName()))
	ctx := context.Context(c)
	if q.native != nil {
		var end context.CancelCauseFunc
		ctx, end = context.WithCancelCause(c)
		asked.Origin.Native, asked.Origin.PID = q.native.begin(end), os.Getpid()
	}
	return q.put(ctx, q.Bridge(sp, find), asked)
}

// envelope asks a request of our own, and returns what an agent would get; nil where it
// ended without.
func (q question) envelope(request []byte) (got *bridge.Envelope, err error) {
	q.ours = true
	q.print = func(e bridge.Envelope) error {
		got = &e
		return nil
	}
	err = q.ask(func() ([]byte, error) { return request, nil })
	return got, err
}

// put asks what has been read, and prints how it ended.
func (q question) put(ctx context.Context, b *bridge.Bridge, asked bridge.Question) error {
	id, lost := "", error(nil)
	asked.Asked = func(entry string) {
		if id = entry; asked.Leave {
			lost = q.leave(id)
		}
		if q.native != nil {
			q.native.asked(ctx, q.Asker, b.Spool, id)
		}
	}
	over, unread := error(exit{Code: programs.Internal}), error(nil)
	deliver := func(e bridge.Envelope) error {
		over = exit{Code: exitCodes[e.Outcome]}
		if q.native != nil || q.yes != nil {
			over = q.over(e)
		}
		unread = q.print(e)
		if level := q.Now().LogLevel; level == "info" || level == "debug" {
			q.Log().Info("question over", "id", e.ID, "outcome", e.Outcome, "seconds", time.Since(asked.Origin.Start).Seconds())
		}
		return unread
	}
	var err error
	if q.prompt != nil { // on the command line nobody asks about a plan
		err = b.Ask(ctx, asked, deliver)
	} else {
		err = plan.Ask(ctx, b, asked, deliver)
	}
	switch {
	case lost != nil:
		return internal(q.print, lost)
	case errors.Is(err, bridge.ErrKept):
		if err := q.print(bridge.Uncollected(id)); asked.Leave {
			return err
		}
		return exit{Code: programs.Aborted} // it may be the terminal that has gone
	case unread != nil: // nor would whoever asked read why
		return exitWith(programs.Internal, err)
	case err != nil:
		return internal(q.print, err)
	}
	return over
}

// failure returns the envelope of a question that nobody was asked.
func failure(o form.Outcome, why string) bridge.Envelope {
	return bridge.Envelope{Reply: dialect.Reply{Outcome: o, Text: "Error: " + why, Details: []byte("{}"), IsError: true}}
}

// internal reports a failure of ours: an envelope all the same, and exit 1.
func internal(print func(bridge.Envelope) error, err error) error {
	var e exit
	if errors.As(err, &e) {
		return err
	}
	_ = print(failure(form.Unavailable, err.Error()))
	return exitWith(programs.Internal, err)
}

// agentName guesses who asks from what the agents set for what they start, and returns
// otherwise without a sign.
func agentName(otherwise string) string {
	for _, a := range text.Agents {
		if a.Sets != "" && os.Getenv(a.Sets) != "" {
			return a.Name
		}
	}
	return otherwise
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/integrations/agents/denial"
	"github.com/askpane/askpane/integrations/agents/transcript"
)

// denialCommands lists the hooks that answer by refusing the call.
func denialCommands() (all []*cli.Command) {
	for _, a := range denial.All {
		all = append(all, &cli.Command{
			Name: a.Name, Usage: "answer the own question tool of " + text.Product(a.Name) + ", as claude does",
			UsageText:       "askpane hook " + a.Name + " < call.json",
			Action:          func(c *cli.Context) error { return hookDenial(a, c.Args().First() == agents.Permissions) },
			SkipFlagParsing: true, // an error would be told to the model
		})
	}
	return all
}

// hookDenial prints nothing unless the person has said something: then the agent's own
// dialog shows.
func hookDenial(a denial.Agent, permission bool) error {
	defer survive()
	var call denial.Call
	q := question{dialect: a.Dialect, agent: a.Name, native: serial{&call, a.Stopped, time.Now()}, session: &call.Session}
	read := a.Read
	q.print = func(e bridge.Envelope) error {
		_, err := os.Stdout.WriteString(refusalOf(a, e))
		return err
	}
	if permission {
		q.dialect, read = "permission", a.ReadPermission
		q.print = func(e bridge.Envelope) error {
			d, err := decided(e)
			if err == nil && (!e.SettledAt.IsZero() || e.Outcome == form.Timeout) { // else nobody was asked
				_, err = os.Stdout.WriteString(a.Decide(d))
			}
			return err
		}
	}
	_ = inLog(q.ask(func() ([]byte, error) {
		data, err := readInput(os.Stdin)
		if err == nil {
			call, err = read(data)
		}
		return call.Input, err
	})) // a failure of the hook would be told to the model
	return nil
}

// serial is a question whose agent shows no dialog of its own until it is handed back.
type serial struct {
	*denial.Call
	stopped string    // denial.Agent.Stopped
	began   time.Time // the hook
}

// begin says that the agent has no dialog where it was given its prompt on the command line (-p): what is handed back
// there it decides by itself.
func (serial) begin(context.CancelCauseFunc) (stands string) {
	given := func(arg string) bool { return arg == "-p" || arg == "--prompt" || strings.HasPrefix(arg, "--prompt=") }
	return text.If(startedWith(given), "", spool.Serial)
}

// asked ends this hook where the transcript says that the person has stopped the agent: others send the hook that signal.
func (s serial) asked(ctx context.Context, a asker.Asker, sp *spool.Spool, id string) {
	if s.stopped == "" {
		return
	}
	stopped := false
	lines := transcript.File{Path: s.Transcript, Take: func(line []byte) { // also old ones, where the file becomes shorter
		var said struct{ Timestamp time.Time }
		stopped = stopped || bytes.Contains(line, []byte(s.stopped)) && json.Unmarshal(line, &said) == nil && said.Timestamp.After(s.began)
	}}
	go func() {
		if lines.Follow(ctx, func() (time.Duration, bool) { return 0, stopped }) == nil {
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}
	}()
}

// refusalOf returns what the hook prints; empty where the question is to be the agent's own.
func refusalOf(a denial.Agent, e bridge.Envelope) string {
	switch e.Outcome {
	case form.Answered, form.NeedsDiscussion:
		return a.Refuse(denial.Answered + strings.TrimSpace(e.Text+" "+e.Note))
	case form.Cancelled:
		var why struct{ Reason string }
		if json.Unmarshal(e.Details, &why) == nil && why.Reason != "" {
			return a.Refuse(denial.Declined + why.Reason)
		}
	}
	return ""
}

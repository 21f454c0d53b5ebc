package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents/denial"
)

// denialCommands lists the hooks that answer by refusing the call.
func denialCommands() (all []*cli.Command) {
	for _, a := range denial.All {
		all = append(all, &cli.Command{
			Name: a.Name, Usage: "answer the own question tool of " + text.Product(a.Name) + ", as claude does",
			UsageText:       "askpane hook " + a.Name + " < call.json",
			Action:          func(*cli.Context) error { return hookDenial(a) },
			SkipFlagParsing: true, // an error would be told to the model
		})
	}
	return all
}

// hookDenial prints nothing unless the person has said something: then the agent's own
// dialog shows.
func hookDenial(a denial.Agent) error {
	defer func() {
		if r := recover(); r != nil {
			warn(fmt.Errorf("failure in the hook: %v", r))
		}
	}()
	var call denial.Call
	q := question{dialect: a.Dialect, agent: a.Name, native: spool.Serial, session: &call.Session}
	q.print = func(e bridge.Envelope) error {
		said := refusalOf(e)
		if said == "" {
			return nil
		}
		out, err := a.Refuse(said)
		if err == nil {
			_, err = os.Stdout.Write(out)
		}
		return err
	}
	err := q.ask(func() ([]byte, error) {
		data, err := readInput(os.Stdin)
		if err == nil {
			call, err = a.Read(data)
		}
		return call.Input, err
	})
	_ = programs.ExitCode(err) // only to say it on standard error: a failure of the hook would be told to the model
	return nil
}

// refusalOf returns what the model is to read; empty where the question is to be the agent's
// own.
func refusalOf(e bridge.Envelope) string {
	switch e.Outcome {
	case form.Answered, form.NeedsDiscussion:
		return denial.Answered(strings.TrimSpace(e.Text + " " + e.Note))
	case form.Cancelled:
		var why struct{ Reason string }
		if json.Unmarshal(e.Details, &why) == nil && why.Reason != "" {
			return denial.Declined(why.Reason)
		}
	}
	return ""
}

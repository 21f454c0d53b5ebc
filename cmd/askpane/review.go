package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/plan"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
)

func reviewCommand() *cli.Command {
	return &cli.Command{
		Name: "review", Usage: "have the person comment on a Markdown file line by line, and approve it", ArgsUsage: "FILE", Action: review,
		UsageText: "askpane review plan.md && ./carry-out\naskpane review --json docs/plan.md",
		Flags: []cli.Flag{
			flag("json", "print the envelope"), option("title", "a `TITLE` for the document"), command.AgentFlag(), command.HostFlag(),
			command.TimeFlag("timeout", "give up after that `TIME`: 90 (seconds), 5m, 1h30m"),
		},
	}
}

// review asks about a document. It ends with an exit code of its own where that is not approved.
func review(c *cli.Context) error {
	q := question{Asker: asker.Asker{Host: c.String("host")}, dialect: plan.Name, agent: cmp.Or(c.String("agent"), agentName(text.Script)),
		timeout: command.Time(c, "timeout"), yes: plan.Approved}
	q.print = func(e bridge.Envelope) error {
		switch {
		case c.Bool("json"):
			return printJSON(os.Stdout, e)
		case e.Outcome != form.Answered: // standard error says why
			warn(errors.New(strings.TrimPrefix(e.Text, "Error: ")))
			return nil
		case command.ScreenOf(os.Stdout).Width > 0:
			e.Text = text.Visible(e.Text)
		}
		_, err := fmt.Println(e.Text)
		return err
	}
	return q.ask(func() ([]byte, error) {
		return []byte(hint.JSON(map[string]string{"file": c.Args().First(), "title": c.String("title"), "question": "Approve this document?", "revise": "Ask for changes"})), nil
	})
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/settings"
)

// settled is the one line that answer prints.
type settled struct {
	OK      bool         `json:"ok"`
	ID      string       `json:"id"`
	Outcome form.Outcome `json:"outcome,omitempty"`
	Error   string       `json:"error,omitempty"`
}

func answer(c *cli.Context) error {
	id := c.Args().First()
	outcome, err := settle(c, id)
	if err == nil {
		return printJSON(os.Stdout, settled{OK: true, ID: id, Outcome: outcome})
	}
	if !errors.As(err, new(refusal)) && !errors.Is(err, spool.ErrNotFound) {
		return err
	}
	return cmp.Or(printJSON(os.Stdout, settled{ID: text.OneLine(id, 40), Error: err.Error()}), exitWith(command.Rejected, err))
}

// refusal is an answer that was not taken; nothing has changed.
type refusal struct{ error }

// settle ends the question id as the command line says.
func settle(c *cli.Context, id string) (form.Outcome, error) {
	sp, err := lookSpool()
	if err != nil {
		return "", err
	}
	defer sp.Close()
	entry, err := sp.Find(id)
	if err != nil {
		return "", err
	}
	defer entry.Close()
	if err := unanswered(entry); err != nil {
		return "", err
	}
	req, err := entry.Request() // one of a later format is left alone
	if err != nil {
		return "", err
	}
	r := form.Result{Outcome: form.Cancelled}
	if !c.Bool("cancel") {
		raw, err := input(c)
		if err != nil {
			return "", err
		}
		l := settings.Load(req.Origin.Cwd) // the bridge has said what is wrong with them
		if r, err = dialect.Answered(bridge.ResultContext(l.Settings), &req.Form, raw); err != nil {
			return "", refusal{err}
		}
	}
	r.By, r.At = form.ByAnswer, time.Now()
	err = entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		err = unanswered(entry)
	}
	return r.Outcome, err
}

// unanswered refuses an entry that has its answer, and says whose it is.
func unanswered(entry *spool.Entry) error {
	r, ok, err := entry.Answer()
	if err != nil || !ok {
		return err
	}
	return refusal{fmt.Errorf("this question was %s already, by %s at %s", r.Outcome, r.By, r.At.Format(time.RFC3339))}
}

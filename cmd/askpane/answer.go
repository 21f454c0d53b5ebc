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
	id, outcome, err := settle(c)
	if err == nil {
		return printJSON(os.Stdout, settled{OK: true, ID: id, Outcome: outcome})
	}
	if !errors.As(err, new(refusal)) && !errors.Is(err, spool.ErrNotFound) {
		return err
	}
	return cmp.Or(printJSON(os.Stdout, settled{ID: text.OneLine(cmp.Or(id, c.Args().First()), 40), Error: err.Error()}), exitWith(command.Rejected, err))
}

// refusal is an answer that was not taken; nothing has changed.
type refusal struct{ error }

// settle ends the question that the command line names, as it says.
func settle(c *cli.Context) (id string, outcome form.Outcome, err error) {
	sp, id, err := pick(c)
	if err != nil {
		return id, "", err
	}
	defer sp.Close()
	entry, err := sp.Find(id)
	if err != nil {
		return id, "", err
	}
	defer entry.Close()
	if err := unanswered(entry); err != nil {
		return id, "", err
	}
	req, err := entry.Request() // one of a later format is left alone
	if err != nil {
		return id, "", err
	}
	r := form.Result{Outcome: form.Cancelled}
	if !c.Bool("cancel") {
		raw := []byte(c.String("json"))
		if !c.IsSet("json") {
			if raw, err = input(c, "answers"); err != nil {
				return id, "", err
			}
		}
		l := settings.Load(req.Origin.Cwd) // the bridge has said what is wrong with them
		if r, err = dialect.Answered(bridge.ResultContext(&l.Settings), &req.Form, raw); err != nil {
			return id, "", refusal{err}
		}
	}
	r.By, r.At = form.ByAnswer, time.Now()
	err = entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		err = unanswered(entry)
	}
	if machine := req.Origin.Machine(); err == nil && machine != "" {
		err = heard(entry, machine)
	}
	return id, r.Outcome, err
}

// unanswered refuses an entry that has its answer, and says whose it is.
func unanswered(entry *spool.Entry) error {
	r, ok, err := entry.Answer()
	if err != nil || !ok {
		return err
	}
	return refusal{fmt.Errorf("this question was %s already, %s at %s", r.Outcome, r.Surface(), r.At.Format(time.RFC3339))}
}

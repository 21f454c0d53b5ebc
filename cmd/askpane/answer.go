package main

import (
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
	"github.com/askpane/askpane/settings"
)

// settled is the one line that answer prints.
type settled struct {
	OK      bool         `json:"ok"`
	ID      string       `json:"id"`
	Outcome form.Outcome `json:"outcome,omitempty"`
	Error   string       `json:"error,omitempty"`
}

func answerCommand() *cli.Command {
	return &cli.Command{
		Name:      "answer",
		Usage:     "answer a waiting question without a form; the answers are JSON on standard input",
		ArgsUsage: "ID",
		Flags: []cli.Flag{
			fileFlag(),
			&cli.StringFlag{Name: "json", Usage: "the answers, instead of standard input"},
			&cli.BoolFlag{Name: "cancel", Usage: "cancel the question"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("askpane answer takes one question's ID, after the options; askpane list shows them")
			}
			id := c.Args().First()
			read := func() ([]byte, error) { return input(c) }
			if c.IsSet("json") {
				read = func() ([]byte, error) { return []byte(c.String("json")), nil }
			}
			outcome, err := answer(id, c.Bool("cancel"), read)
			if err != nil && !errors.As(err, new(refusal)) {
				return err
			}
			line := settled{OK: err == nil, ID: text.OneLine(id, 40), Outcome: outcome}
			if err != nil {
				line.Error = err.Error()
			}
			if e := printJSON(os.Stdout, line); e != nil {
				return e
			}
			if err != nil {
				return exitWith(exitRejected, err)
			}
			return nil
		},
	}
}

// refusal is an answer that was not taken; nothing has changed.
type refusal struct{ error }

func answer(id string, cancel bool, read func() ([]byte, error)) (form.Outcome, error) {
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		return "", refusal{err}
	}
	if err != nil {
		return "", err
	}
	defer sp.Close()
	entry, err := sp.Open(id)
	if errors.Is(err, spool.ErrNotFound) {
		return "", delivered(sp, id, err)
	}
	if err != nil {
		return "", err
	}
	defer entry.Close()
	if err := unanswered(entry); err != nil {
		return "", err
	}
	if _, err := entry.Request(); err != nil { // one of a later format is left alone
		return "", err
	}
	r := form.Result{Outcome: form.Cancelled, By: form.ByAnswer, At: time.Now()}
	if !cancel {
		if r, err = decodeAnswers(entry, r, read); err != nil {
			return "", err
		}
	}
	if err := entry.Settle(r); errors.Is(err, spool.ErrAnswered) {
		return "", unanswered(entry)
	} else if err != nil {
		return "", err
	}
	return r.Outcome, nil
}

func decodeAnswers(entry *spool.Entry, r form.Result, read func() ([]byte, error)) (form.Result, error) {
	req, err := entry.Request()
	if err != nil {
		return r, err
	}
	d, err := dialect.ByName(req.Form.Dialect)
	if err != nil {
		return r, err
	}
	l := settings.Load(req.Origin.Cwd) // the bridge has said what is wrong with them
	raw, err := read()
	if err != nil {
		return r, err
	}
	answers, err := d.AnswersIn(bridge.ResultContext(l.Settings), &req.Form, raw)
	if err != nil {
		return r, refusal{err}
	}
	r.Outcome, r.Answers = dialect.Outcome(&req.Form, answers), answers
	return r, nil
}

// unanswered refuses an entry that has its answer, and says whose it is.
func unanswered(entry *spool.Entry) error {
	r, ok, err := entry.Answer()
	if err != nil || !ok {
		return err
	}
	return refusal{fmt.Errorf("this question was %s already, by %s at %s", r.Outcome, r.By, r.At.Format(time.RFC3339))}
}

// delivered tells a question that is over from one that never was.
func delivered(sp *spool.Spool, id string, notFound error) error {
	entry, err := sp.Find(id)
	if errors.Is(err, spool.ErrNotFound) {
		err = refusal{notFound}
	}
	if err != nil {
		return err
	}
	defer entry.Close()
	if err := unanswered(entry); err != nil {
		return err
	}
	return refusal{notFound}
}

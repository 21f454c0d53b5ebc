package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/settings"
)

// answerResult is the line that answer prints.
type answerResult struct {
	OK      bool         `json:"ok"`
	ID      string       `json:"id"`
	Outcome form.Outcome `json:"outcome,omitempty"`
	// Delivered says of a question of another machine whether that has the answer.
	Delivered *bool  `json:"delivered,omitempty"`
	Error     string `json:"error,omitempty"`
}

func answer(c *cli.Context) error {
	id, outcome, delivered, err := answerEntry(c)
	if err == nil {
		err = printJSON(os.Stdout, answerResult{OK: true, ID: id, Outcome: outcome, Delivered: delivered})
		if err == nil && delivered != nil && !*delivered {
			err = programs.With(programs.Pending, nil)
		}
		return err
	}
	if !errors.As(err, new(refusal)) && !errors.Is(err, spool.ErrNotFound) {
		return err
	}
	return cmp.Or(printJSON(os.Stdout, answerResult{ID: text.OneLine(cmp.Or(id, c.Args().First()), 40), Error: err.Error()}), exitWith(programs.Rejected, err))
}

// refusal says why an answer was not accepted; nothing has changed.
type refusal struct{ error }

// answerEntry answers or cancels the question that the command line names. Of one of another
// machine it says whether that has the answer.
func answerEntry(c *cli.Context) (id string, outcome form.Outcome, delivered *bool, err error) {
	sp, id, err := pick(c)
	if err != nil {
		return id, "", nil, err
	}
	defer sp.Close()
	entry, err := sp.Find(id)
	if err != nil {
		return id, "", nil, err
	}
	defer entry.Close()
	if err := unanswered(entry); err != nil {
		return id, "", nil, err
	}
	req, err := entry.Request() // one of a later format is left alone
	if err != nil {
		return id, "", nil, err
	}
	r, err := given(c, req)
	if err != nil {
		return id, "", nil, err
	}
	r.By, r.At = form.ByAnswer, time.Now()
	err = req.Check(r)
	if err == nil && req.Origin.Away == nil {
		err = change.Holds(&req.Form, r)
	}
	if err != nil {
		return id, "", nil, refusal{err}
	}
	attached, err := attach(entry, c.StringSlice("attach"))
	if err == nil {
		err = entry.Settle(r)
	}
	if err != nil { // they go with these answers alone
		for _, name := range attached {
			_ = entry.Detach(name)
		}
	}
	if errors.Is(err, spool.ErrAnswered) {
		err = unanswered(entry)
	}
	if away := req.Origin.Away; err == nil && away != nil {
		var has bool
		has, err = heard(entry, away)
		delivered = &has
	}
	return id, r.Outcome, delivered, err
}

// given reads the answers to a question, or that it is cancelled.
func given(c *cli.Context, req spool.Request) (r form.Result, err error) {
	if c.Bool("cancel") {
		if c.IsSet("attach") || c.IsSet("json") || c.IsSet("file") {
			return r, usage("--cancel goes without answers: no --json, --file or --attach")
		}
		return form.Result{Outcome: form.Cancelled}, nil
	}
	raw := []byte(c.String("json"))
	if !c.IsSet("json") {
		if raw, err = input(c, "answers"); err != nil {
			return r, err
		}
	}
	l := settings.Load(req.Origin.Cwd) // the bridge has said what is wrong with them
	if r, err = dialect.Answered(bridge.ResultContext(&l.Settings), &req.Form, raw); err != nil {
		err = refusal{err}
	}
	return r, err
}

// attach puts the pictures in files beside the answer, and returns their names there, with an error
// those so far.
func attach(entry *spool.Entry, files []string) (names []string, err error) {
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return names, refusal{err}
		}
		a, err := entry.Attach(data)
		if err != nil {
			return names, refusal{fmt.Errorf("%s %w", path, err)}
		}
		names = append(names, filepath.Base(a.Path))
	}
	return names, nil
}

// unanswered refuses an entry that has its answer, and says whose it is: of another machine's
// question, whose that took, where it is not the one that was given here.
func unanswered(entry *spool.Entry) error {
	r, ok, err := entry.Answer()
	if err != nil || !ok {
		return err
	}
	if verdict := entry.Away().Verdict; verdict != "" {
		return refusal{errors.New(verdict)}
	}
	return refusal{fmt.Errorf("this question was %s already, %s at %s", r.Outcome.Words(), r.Surface(), r.At.Format(time.RFC3339))}
}

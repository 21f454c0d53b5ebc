package main

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// waitingQuestion is one object of list --json.
type waitingQuestion struct {
	ID       string      `json:"id"`
	Dialect  string      `json:"dialect"`
	Agent    string      `json:"agent"`
	Cwd      string      `json:"cwd"`
	Host     string      `json:"host"`
	State    spool.State `json:"state"`
	Header   string      `json:"header"`
	Since    time.Time   `json:"since"`
	Deadline *time.Time  `json:"deadline"` // null where there is none
}

func listCommand() *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "list the questions that wait",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print an array of objects"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q", c.Args().First())
			}
			questions, err := waitingQuestions()
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return printJSON(os.Stdout, questions)
			}
			return printQuestions(questions)
		},
	}
}

func waitingQuestions() ([]waitingQuestion, error) {
	sp, err := openSpool()
	if err != nil {
		return nil, err
	}
	defer sp.Close()
	ids, err := sp.IDs()
	if err != nil {
		return nil, err
	}
	questions := []waitingQuestion{}
	for _, id := range ids {
		q, err := describe(sp, id)
		if errors.Is(err, spool.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			continue // delivered while we looked
		}
		if err != nil {
			warn(err)
			continue
		}
		if q.State != spool.Delivered { // the history could not take it
			questions = append(questions, q)
		}
	}
	return questions, nil
}

func describe(sp *spool.Spool, id string) (waitingQuestion, error) {
	entry, err := sp.Open(id)
	if err != nil {
		return waitingQuestion{}, err
	}
	defer entry.Close()
	req, err := entry.Request()
	if err != nil {
		return waitingQuestion{}, err
	}
	return waitingQuestion{
		ID: id, Dialect: req.Form.Dialect, Agent: req.Origin.Agent, Cwd: req.Origin.Cwd, Host: req.Origin.Host,
		State: entry.State(), Header: form.Line(req.Form.Header(), 80), Since: req.Origin.Start, Deadline: req.Deadline,
	}, nil
}

func printQuestions(questions []waitingQuestion) error {
	if len(questions) == 0 {
		fmt.Fprintln(os.Stderr, "No question waits.")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATE\tWAITS\tAGENT\tQUESTION\tDIRECTORY")
	for _, q := range questions {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", q.ID, q.State, time.Since(q.Since).Round(time.Second),
			form.Line(q.Agent, 24), form.Line(q.Header, 50), form.Line(q.Cwd, 80))
	}
	return w.Flush()
}

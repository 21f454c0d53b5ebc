package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
)

// waitingQuestion is one object of list --json.
type waitingQuestion struct {
	ID       string     `json:"id"`
	Dialect  string     `json:"dialect"`
	Agent    string     `json:"agent"`
	Cwd      string     `json:"cwd"`
	Host     string     `json:"host"`
	State    string     `json:"state"`
	Header   string     `json:"header"`
	Since    time.Time  `json:"since"`
	Deadline *time.Time `json:"deadline"` // null where there is none
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
			questions, unread := waitingQuestions()
			if unread != nil && len(questions) == 0 {
				return unread
			}
			var err error
			if c.Bool("json") {
				err = printJSON(os.Stdout, questions)
			} else {
				err = printQuestions(questions)
			}
			return cmp.Or(err, unread)
		},
	}
}

// lookSpool opens the spool for a command that reads: it makes nothing. The error
// wraps spool.ErrNotFound where there is none.
func lookSpool() (*spool.Spool, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	return spool.Look(dir)
}

// errUnread ends a command that has said what it could not read.
var errUnread error = exit{Code: exitInternal}

// waitingQuestions are those that can be read; with an error there may be more.
func waitingQuestions() ([]waitingQuestion, error) {
	questions := []waitingQuestion{}
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		return questions, nil
	}
	if err != nil {
		return nil, err
	}
	defer sp.Close()
	ids, answered, unread := sp.Scan()
	ids = append(ids, answered...)
	slices.Sort(ids)
	for _, id := range ids {
		q, err := describe(sp, id)
		if errors.Is(err, spool.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			continue // delivered while we looked
		}
		if unread != nil && errors.Is(err, os.ErrPermission) {
			continue // which the scan has found
		}
		if err != nil {
			warn(err)
			unread = cmp.Or(unread, errUnread)
			continue
		}
		if q.State != "delivered" { // the history could not take it
			questions = append(questions, q)
		}
	}
	return questions, unread
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
		State: entry.Status().State(), Header: text.OneLine(req.Form.Header(), 80), Since: req.Origin.Start, Deadline: req.Deadline,
	}, nil
}

func printQuestions(questions []waitingQuestion) error {
	if len(questions) == 0 {
		fmt.Fprintln(os.Stderr, "No question waits.")
		return nil
	}
	rows := [][]string{{"ID", "STATE", "WAITS", "AGENT", "QUESTION", "DIRECTORY"}}
	for _, q := range questions {
		rows = append(rows, []string{q.ID, q.State, time.Since(q.Since).Round(time.Second).String(),
			cut(q.Agent, 24), cut(q.Header, 50), cut(q.Cwd, 80)})
	}
	return printTable(os.Stdout, rows)
}

// cut is text in one line of at most width cells.
func cut(s string, width int) string { return cells.Shorten(text.Bare(text.OneLine(s, 0)), width) }

// printTable prints rows in columns, as wide as a terminal draws them.
func printTable(w io.Writer, rows [][]string) error {
	_, err := io.WriteString(w, strings.Join(cells.Columns(rows), "\n")+"\n")
	return err
}

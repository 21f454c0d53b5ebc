package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
)

// waitingQuestion is one object of list --json.
type waitingQuestion struct {
	subject
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
			return list(c.Bool("json"))
		},
	}
}

func list(asJSON bool) error {
	records, unread := records(func(sp *spool.Spool) ([]string, error) {
		ids, answered, err := sp.Scan()
		return append(ids, answered...), err
	})
	questions := []waitingQuestion{}
	rows := [][]string{{"ID", "STATE", "WAITS", "AGENT", "QUESTION", "DIRECTORY"}}
	for _, r := range records {
		if s := r.Status; s.Delivered || s.Removed { // the history could not take it, or just has
			continue
		}
		q := waitingQuestion{subjectOf(r), r.Status.State(), text.OneLine(r.Request.Form.Header(), 80), r.Request.Origin.Start, r.Request.Deadline}
		questions = append(questions, q)
		rows = append(rows, []string{q.ID, q.State, time.Since(q.Since).Round(time.Second).String(), cut(q.Agent, 24), cut(q.Header, 50), cut(q.Cwd, 80)})
	}
	return printed(asJSON, questions, rows, "No question waits.", unread)
}

// printed prints all as JSON or as a table of rows, which begins with a heading;
// none is for where there are none. With unread there may be more.
func printed[T any](asJSON bool, all []T, rows [][]string, none string, unread error) (err error) {
	switch {
	case unread != nil && len(all) == 0:
	case asJSON:
		err = printJSON(os.Stdout, all)
	case len(all) > 0:
		_, err = fmt.Println(strings.Join(cells.Columns(rows), "\n"))
	default:
		fmt.Fprintln(os.Stderr, none)
	}
	if err == nil {
		err = unread
	}
	return err
}

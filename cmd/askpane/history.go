package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
)

func historyCommand() *cli.Command {
	return &cli.Command{
		Name:  "history",
		Usage: "list the questions that are over, the one that ended last first",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "search", Usage: "only those in which `TEXT` was asked or said"},
			&cli.BoolFlag{Name: "json", Usage: "print an array of objects"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q; askpane show ID shows one question", c.Args().First())
			}
			return history(c.String("search"), c.Bool("json"))
		},
	}
}

func history(search string, asJSON bool) error {
	read, unread := records(func(sp *spool.Spool) ([]string, error) {
		ids, err := sp.History()
		_, answered, err2 := sp.Scan()
		return append(ids, answered...), cmp.Or(err, err2)
	})
	all := []recorded{}
	for _, r := range read {
		if rec := recordOf(r); (r.Result != nil || r.Status.Delivered) && rec.matches(strings.ToLower(search)) {
			all = append(all, rec)
		}
	}
	slices.SortFunc(all, func(a, b recorded) int { return cmp.Or(b.over().Compare(a.over()), cmp.Compare(b.ID, a.ID)) })
	rows := [][]string{{"ID", "ENDED", "OUTCOME", "AGENT", "QUESTION: ANSWER"}}
	for _, r := range all {
		rows = append(rows, r.row())
	}
	none := "No question is over."
	if search != "" {
		none = fmt.Sprintf("No question that is over has %q in it.", search)
	}
	return printed(asJSON, all, rows, none, unread)
}

// over is when the question ended, or was asked where that is not known.
func (r recorded) over() time.Time {
	if r.Ended != nil {
		return *r.Ended
	}
	return r.Asked
}

func (r recorded) row() []string {
	ended, outcome := "", string(r.Outcome)
	if r.Ended != nil {
		ended = r.Ended.Local().Format("2006-01-02 15:04")
	}
	if !r.Delivered {
		outcome += "*" // explained in docs/inbox.md
	}
	line := cut(r.Header, 50)
	if s := r.summary(); s != "" {
		line += ": " + cut(s, 80)
	}
	return []string{r.ID, ended, outcome, cut(r.Agent, 10), line}
}

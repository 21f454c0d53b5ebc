package main

import (
	"cmp"
	"fmt"
	"os"
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
	all, unread := over(strings.ToLower(search))
	switch {
	case unread != nil && len(all) == 0:
		return unread
	case asJSON:
		return cmp.Or(printJSON(os.Stdout, all), unread)
	case len(all) > 0:
		return cmp.Or(printTable(os.Stdout, table(all)), unread)
	case search == "":
		fmt.Fprintln(os.Stderr, "No question is over.")
	default:
		fmt.Fprintf(os.Stderr, "No question that is over has %q in it.\n", search)
	}
	return nil
}

// over is every question that is over and has search in it, the one that ended
// last first. With an error there may be more.
func over(search string) ([]recorded, error) {
	read, unread := records(func(sp *spool.Spool) ([]string, error) {
		ids, err := sp.History()
		_, answered, err2 := sp.Scan()
		return append(ids, answered...), cmp.Or(err, err2)
	})
	all := []recorded{}
	for _, r := range read {
		if rec := recordOf(r); (r.Result != nil || r.Status.Delivered) && rec.matches(search) {
			all = append(all, rec)
		}
	}
	slices.SortFunc(all, func(a, b recorded) int { return cmp.Or(b.over().Compare(a.over()), cmp.Compare(b.ID, a.ID)) })
	return all, unread
}

// over is when the question ended, or was asked where that is not known.
func (r recorded) over() time.Time {
	if r.Ended != nil {
		return *r.Ended
	}
	return r.Asked
}

func table(all []recorded) [][]string {
	rows := [][]string{{"ID", "ENDED", "OUTCOME", "AGENT", "QUESTION: ANSWER"}}
	for _, r := range all {
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
		rows = append(rows, []string{r.ID, ended, outcome, cut(r.Agent, 10), line})
	}
	return rows
}

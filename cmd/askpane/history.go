package main

import (
	"bufio"
	"cmp"
	"errors"
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
			search := c.String("search")
			records, unread := over(search)
			if unread != nil && len(records) == 0 {
				return unread
			}
			var err error
			if c.Bool("json") {
				err = historyJSON(records)
			} else {
				err = historyTable(records, search)
			}
			return cmp.Or(err, unread)
		},
	}
}

// over is every question that is over and matches search, the one that ended last
// first. What cannot be read is reported and hides nothing else; with an error
// there may be more.
func over(search string) ([]recorded, error) {
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer sp.Close()
	ids, unread := sp.History()
	_, answered, err := sp.Scan()
	ids, unread = append(ids, answered...), cmp.Or(unread, err)
	slices.Sort(ids)
	search = strings.ToLower(search)
	var records []recorded
	for _, id := range slices.Compact(ids) { // one may have been delivered in between
		entry, err := sp.Find(id)
		if errors.Is(err, spool.ErrNotFound) {
			continue // removed while we looked
		}
		var r spool.Record
		if err == nil {
			r, err = entry.Record()
			entry.Close()
		}
		if err != nil {
			warn(err)
			unread = cmp.Or(unread, errUnread)
			continue
		}
		if r.Result == nil && !r.Status.Delivered {
			continue
		}
		if rec := recordOf(r); search == "" || rec.matches(search) {
			records = append(records, rec)
		}
	}
	slices.SortFunc(records, func(a, b recorded) int {
		return cmp.Or(b.over().Compare(a.over()), cmp.Compare(b.ID, a.ID))
	})
	return records, unread
}

// over is when the question ended, or was asked where that is not known.
func (r recorded) over() time.Time {
	if r.Ended != nil {
		return *r.Ended
	}
	return r.Asked
}

func historyTable(records []recorded, search string) error {
	switch {
	case len(records) > 0:
	case search == "":
		fmt.Fprintln(os.Stderr, "No question is over.")
		return nil
	default:
		fmt.Fprintf(os.Stderr, "No question that is over has %q in it.\n", search)
		return nil
	}
	rows := [][]string{{"ID", "ENDED", "OUTCOME", "AGENT", "QUESTION: ANSWER"}}
	for _, r := range records {
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
	return printTable(os.Stdout, rows)
}

func historyJSON(records []recorded) error {
	w := bufio.NewWriter(os.Stdout) // keeps an error until Flush
	sep := "["
	for _, r := range records {
		_, _ = w.WriteString(sep)
		if err := printJSON(w, r); err != nil {
			return err
		}
		sep = ","
	}
	if len(records) == 0 {
		_, _ = w.WriteString(sep)
	}
	_, _ = w.WriteString("]\n")
	return w.Flush()
}

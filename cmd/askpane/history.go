package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/settings"
)

func historyCommand() *cli.Command {
	return &cli.Command{
		Name:  "history",
		Usage: "list the questions that are over, the newest first",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "search", Usage: "only those in which `TEXT` was asked or said"},
			&cli.BoolFlag{Name: "json", Usage: "print an array of objects"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q; askpane show ID shows one question", c.Args().First())
			}
			sp, err := openSpool()
			if err != nil {
				return err
			}
			defer sp.Close()
			prune(sp, warn)
			w := bufio.NewWriter(os.Stdout)
			if c.Bool("json") {
				err = historyJSON(w, sp, c.String("search"))
			} else {
				err = historyTable(w, sp, c.String("search"))
			}
			return errors.Join(err, w.Flush())
		},
	}
}

// prune removes from the history what is older than the setting historyDays says,
// at most once a day. It is the person's own setting: a project's file has no say
// in what is kept of others.
func prune(sp *spool.Spool, warn func(error)) {
	keep := func() time.Duration { return time.Duration(settings.Load("").HistoryDays) * 24 * time.Hour }
	if _, err := sp.Prune(keep, time.Now()); err != nil {
		warn(err)
	}
}

// pruneBeside is prune while something else goes on. Whoever ends in the middle
// of it leaves the rest for another day.
func pruneBeside(warn func(error)) {
	sp, err := openSpool()
	if err != nil {
		warn(err)
		return
	}
	defer sp.Close()
	prune(sp, warn)
}

// overIDs are the entries that are over, the newest first: those in the history
// and those whose answer the agent has not got.
func overIDs(sp *spool.Spool) ([]string, error) {
	over, err := sp.History()
	if err != nil {
		return nil, err
	}
	all, err := sp.IDs()
	if err != nil {
		return nil, err
	}
	waiting, err := spool.Unanswered(sp.Path())
	if err != nil {
		return nil, err
	}
	for _, id := range all {
		if _, waits := slices.BinarySearch(waiting, id); !waits {
			over = append(over, id)
		}
	}
	slices.Sort(over)
	slices.Reverse(over)
	return slices.Compact(over), nil // one may have been delivered in between
}

// eachOver calls each with every question that is over and matches search. What
// cannot be read is reported and hides nothing else.
func eachOver(sp *spool.Spool, search string, each func(recorded) error) error {
	ids, err := overIDs(sp)
	if err != nil {
		return err
	}
	search = strings.ToLower(search)
	for _, id := range ids {
		entry, delivered, err := openAnywhere(sp, id)
		if errors.Is(err, spool.ErrNotFound) {
			continue // removed while we looked
		}
		var r popup.Record
		if err == nil {
			r, err = popup.ReadRecord(entry, delivered)
			entry.Close()
		}
		if err != nil {
			warn(err)
			continue
		}
		if r.Result == nil && !delivered {
			continue
		}
		rec := recordOf(r)
		if search != "" && !rec.matches(search) {
			continue
		}
		if err := each(rec); err != nil {
			return err
		}
	}
	return nil
}

// historyTable prints each line as it is found: the newest are there at once,
// however many there are.
func historyTable(w *bufio.Writer, sp *spool.Spool, search string) error {
	found := false
	err := eachOver(sp, search, func(r recorded) error {
		if !found {
			found = true
			fmt.Fprintf(w, "%-26s  %-16s  %-16s  %-10s  %s\n", "ID", "ENDED", "OUTCOME", "AGENT", "QUESTION: ANSWER")
		}
		ended, outcome := "", string(r.Outcome)
		if r.Ended != nil {
			ended = r.Ended.Local().Format("2006-01-02 15:04")
		}
		if !r.Delivered {
			outcome += "*" // explained in docs/inbox.md
		}
		line := form.Line(r.Header, 50)
		if s := r.summary(); s != "" {
			line += ": " + form.Line(s, 80)
		}
		_, err := fmt.Fprintf(w, "%-26s  %-16s  %-16s  %-10s  %s\n", r.ID, ended, outcome, form.Line(r.Agent, 10), line)
		return err
	})
	if err == nil && !found {
		if search == "" {
			fmt.Fprintln(os.Stderr, "No question is over.")
		} else {
			fmt.Fprintf(os.Stderr, "No question that is over has %q in it.\n", search)
		}
	}
	return err
}

func historyJSON(w *bufio.Writer, sp *spool.Spool, search string) error {
	sep := "["
	err := eachOver(sp, search, func(r recorded) error {
		if _, err := w.WriteString(sep); err != nil {
			return err
		}
		sep = ","
		return printJSON(w, r)
	})
	if sep == "[" {
		sep = "[]\n"
	} else {
		sep = "]\n"
	}
	_, werr := w.WriteString(sep)
	return errors.Join(err, werr)
}

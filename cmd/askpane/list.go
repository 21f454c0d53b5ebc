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
	for _, r := range records {
		if s := r.Status; !s.Delivered && !s.Removed { // else the history could not take it, or just has
			questions = append(questions, describe(r))
		}
	}
	if unread != nil && len(questions) == 0 {
		return unread
	}
	if asJSON {
		return cmp.Or(printJSON(os.Stdout, questions), unread)
	}
	return cmp.Or(printQuestions(questions), unread)
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

// records are the questions that pick chooses and that can be read, in the order of
// their ids. What cannot be read is reported and hides nothing else; with an error
// there may be more.
func records(pick func(*spool.Spool) ([]string, error)) (all []spool.Record, unread error) {
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer sp.Close()
	ids, unread := pick(sp)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) { // one may have been delivered in between
		r, err := record(sp, id)
		switch {
		case err == nil:
			all = append(all, r)
		case errors.Is(err, spool.ErrNotFound) || errors.Is(err, os.ErrNotExist): // removed while we looked
		case unread != nil && strings.Contains(unread.Error(), id): // pick has said so
		default:
			warn(err)
			unread = cmp.Or(unread, errUnread)
		}
	}
	return all, unread
}

func record(sp *spool.Spool, id string) (spool.Record, error) {
	entry, err := sp.Find(id)
	if err != nil {
		return spool.Record{}, err
	}
	defer entry.Close()
	return entry.Record()
}

func describe(r spool.Record) waitingQuestion {
	f, o := &r.Request.Form, r.Request.Origin
	return waitingQuestion{ID: r.Request.ID, Dialect: f.Dialect, Agent: o.Agent, Cwd: o.Cwd, Host: o.Host,
		State: r.Status.State(), Header: text.OneLine(f.Header(), 80), Since: o.Start, Deadline: r.Request.Deadline}
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

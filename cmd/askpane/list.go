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
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/integrations/host"
)

// waitingQuestion is one object of list --json.
type waitingQuestion struct {
	subject
	State    string     `json:"state"`
	Header   string     `json:"header"`
	Since    time.Time  `json:"since"`
	Deadline *time.Time `json:"deadline"` // null where there is none
}

func list(c *cli.Context) error {
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
	return printed(c, questions, rows, "No question waits.", unread)
}

func history(c *cli.Context) error {
	search := c.String("search")
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
	return printed(c, all, rows, none, unread)
}

// printed prints all as JSON or as a table of rows, which begins with a heading;
// none is for where there are none. With unread there may be more.
func printed[T any](c *cli.Context, all []T, rows [][]string, none string, unread error) (err error) {
	switch {
	case unread != nil && len(all) == 0:
	case c.Bool("json"):
		err = printJSON(os.Stdout, all)
	case len(all) > 0:
		_, err = fmt.Println(strings.Join(cells.Columns(rows), "\n"))
	default:
		fmt.Fprintln(os.Stderr, none)
	}
	return cmp.Or(err, unread)
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

// cut is text in one line of at most width cells.
func cut(s string, width int) string { return cells.Shorten(text.Bare(text.OneLine(s, 0)), width) }

// waitingNow is what status --format json prints.
type waitingNow struct {
	Waiting int        `json:"waiting"`
	Since   *time.Time `json:"since"`         // when the oldest was asked; null where none waits
	Seconds int64      `json:"oldestSeconds"` // how long ago that is
}

// status prints how many questions have no answer yet, whether or not somebody
// looks at them or their agent is still there. With an error it is those that
// could be found.
func status(c *cli.Context) error {
	var ids []string
	sp, err := lookSpool()
	if err == nil {
		defer sp.Close()
		ids, _, err = sp.Scan()
	}
	if err = unlessNone(err); err != nil && len(ids) == 0 {
		return err
	}
	now, age := waitingNow{Waiting: len(ids)}, ""
	if len(ids) > 0 {
		asked := spool.AskedAt(ids[0])
		ago := max(0, time.Since(asked))
		now.Since, now.Seconds, age = &asked, int64(ago/time.Second), text.Age(ago)
	}
	return cmp.Or(printStatus(c.String("format"), now, age), err)
}

// printStatus prints nothing for tmux where nothing waits, so that a status line
// stays empty, and never anything that tmux takes for a format.
func printStatus(format string, now waitingNow, age string) (err error) {
	switch n := now.Waiting; {
	case format == "json":
		return printJSON(os.Stdout, now)
	case format == "tmux" && n > 0:
		_, err = fmt.Printf("%s%d %s\n", host.MarkSign, n, age)
	case format == "tmux":
	case n == 0:
		_, err = fmt.Println("No question waits.")
	case n == 1:
		_, err = fmt.Printf("1 question waits, for %s.\n", age)
	default:
		_, err = fmt.Printf("%d questions wait, the oldest for %s.\n", n, age)
	}
	return err
}

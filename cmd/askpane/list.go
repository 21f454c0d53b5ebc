package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/integrations/host"
	runhost "github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/settings"
)

// waitingQuestion stands in the array of list --json.
type waitingQuestion struct {
	subject
	State    string     `json:"state"`
	Header   string     `json:"header"`
	Since    time.Time  `json:"since"`
	Deadline *time.Time `json:"deadline"` // null where there is none
	// Unreachable says since when nothing was heard of its machine.
	Unreachable time.Time `json:"unreachableSince,omitzero"`
}

func list(c *cli.Context) error {
	s := command.ScreenOf(os.Stdout)
	records, short, unread := records(s, func(sp *spool.Spool) ([]string, error) {
		ids, answered, err := sp.Scan()
		return append(ids, answered...), err
	})
	questions := []waitingQuestion{}
	rows := [][]string{{"ID", "STATE", "WAITS", "AGENT", "QUESTION", "DIRECTORY"}}
	for _, r := range records {
		if s := r.Status; s.Delivered || s.Removed || c.IsSet("machine") && r.Request.Origin.Machine() != c.String("machine") { // delivered: the history could not take it, or just has
			continue
		}
		state := r.Status.State()
		if r.Result != nil && r.Result.Outcome != form.Answered {
			state = string(r.Result.Outcome)
		}
		q := waitingQuestion{subjectOf(r), state, text.OneLine(r.Request.Form.Header(), 80), r.Request.Origin.Start, r.Request.Deadline, r.Status.Unreachable}
		questions = append(questions, q)
		if dir := text.Tilde(q.Cwd); q.Machine != "" {
			q.Cwd = text.Agent(q.Machine, 24) + ":" + dir
		}
		rows = append(rows, []string{short(q.ID), q.State, text.Age(time.Since(q.Since)), cut(q.Agent, 24), cut(q.Header, 50), cut(text.Tilde(q.Cwd), 80)})
	}
	none := emptyList()
	if c.IsSet("machine") {
		none = fmt.Sprintf("No question of %s waits.", text.Quoted(c.String("machine"), 40))
	}
	table := s.Table(rows, cellStyle)
	if !c.IsSet("machine") && s.Width > 0 { // a script reads questions
		dialogs := strings.Join(append(runhost.Waiting(c.Context), ""), "\n")
		table, none = table+dialogs, dialogs+none
	}
	if said := settings.SayMuted(); said != "" && s.Width > 0 {
		table += "askpane is " + said + "\n"
	}
	return printed(c, questions, table, none, unread)
}

func history(c *cli.Context) error {
	search := c.String("search")
	s := command.ScreenOf(os.Stdout)
	read, short, unread := records(s, func(sp *spool.Spool) ([]string, error) {
		ids, err := sp.History()
		_, answered, err2 := sp.Scan()
		return append(ids, answered...), cmp.Or(err, err2)
	})
	read = slices.DeleteFunc(read, func(r spool.Record) bool {
		kind := text.If(r.Request.Form.Subject() != nil, "permission", "question")
		return r.Result == nil && !r.Status.Delivered || c.IsSet("kind") && c.String("kind") != kind || !record.Has(r, strings.ToLower(search))
	})
	slices.SortFunc(read, func(a, b spool.Record) int {
		return cmp.Or(record.Over(b).Compare(record.Over(a)), cmp.Compare(b.Request.ID, a.Request.ID))
	})
	all, rows := []recorded{}, [][]string{{"ID", "ENDED", "OUTCOME", "AGENT", "QUESTION: ANSWER"}}
	for _, r := range read {
		all, rows = append(all, recordOf(r)), append(rows, append([]string{short(r.Request.ID)}, historyRow(r)...))
	}
	none := "No " + cmp.Or(c.String("kind"), "question") + " has ended yet."
	if search != "" {
		none = fmt.Sprintf("No question that has ended has %q in it.", search)
	}
	table := s.Table(rows, cellStyle)
	if s.Width > 0 && slices.ContainsFunc(read, func(r spool.Record) bool { return !r.Status.Delivered }) {
		table += notCollected + " the agent has not got it yet\n"
	}
	return printed(c, all, table, none, unread)
}

// cellStyle styles the cells of a table. A state or an outcome is in one of the columns that
// hold no text of an agent's.
func cellStyle(column int, said string) command.Style {
	if column == 0 {
		return command.Bold
	}
	if column > 2 {
		return command.Plain
	}
	switch said {
	case "pending", "shown", "unreachable", "unconfirmed", "denied", "answered allow", "answered deny", string(form.Cancelled), string(form.Timeout):
		return command.Yellow
	case string(form.Answered), string(form.Answered) + notCollected, "allowed":
		return command.Green
	case "agent gone", string(form.Unavailable), string(form.Aborted):
		return command.Red
	}
	return command.Plain
}

// printed prints all as JSON, or the table of them, or none where there are none. With unread
// there may be more.
func printed[T any](c *cli.Context, all []T, table, none string, unread error) (err error) {
	switch {
	case unread != nil && len(all) == 0:
	case c.Bool("json"):
		err = printJSON(os.Stdout, all)
	case len(all) > 0:
		_, err = fmt.Print(table)
	default:
		fmt.Fprintln(os.Stderr, none)
	}
	return cmp.Or(err, unread)
}

// ago says how long ago that was, or names the day where that is more than a week.
func ago(t time.Time) string {
	if d := time.Since(t); d < 7*24*time.Hour {
		return text.Age(d) + " ago"
	}
	return t.Local().Format(time.DateOnly)
}

// notCollected marks an answer that the agent has not got; a terminal is told so below
// the table, and docs/inbox.md explains it.
const notCollected = "*"

func historyRow(r spool.Record) []string {
	ended, outcome := "", ""
	if r.Result != nil {
		ended, outcome = ago(r.Result.At), string(r.Result.Outcome)
	}
	switch {
	case !r.Status.Delivered:
		outcome += notCollected
	case r.Unconfirmed:
		outcome = "unconfirmed"
	}
	outcome = cmp.Or(record.Decided(r), outcome)
	line := cut(text.OneLine(r.Request.Form.Header(), 80), 50)
	if s := record.Summary(r); s != "" {
		line += ": " + cut(s, 80)
	}
	return []string{ended, outcome, cut(r.Request.Origin.Agent, 24), line}
}

// cut shortens a text to one line of at most width cells.
func cut(s string, width int) string { return cells.Shorten(text.Bare(text.OneLine(s, 0)), width) }

// waitingNow is printed by status --format json.
type waitingNow struct {
	Waiting    int        `json:"waiting"`
	Since      *time.Time `json:"since"`               // when the oldest was asked; null where none waits
	Seconds    int64      `json:"oldestSeconds"`       // how long ago that is
	MutedUntil time.Time  `json:"mutedUntil,omitzero"` // zero where askpane is not muted
}

func (w waitingNow) age() string { return text.Age(time.Duration(w.Seconds) * time.Second) }

// countWaiting counts the questions that have no answer yet, whether or not somebody looks at them
// or their agent is still there. With an error it counts those that could be found.
func countWaiting() (now waitingNow, err error) {
	now.MutedUntil = settings.MutedUntil()
	sp, err := lookSpool()
	if err != nil {
		return now, unlessNone(err)
	}
	defer sp.Close()
	ids, _, err := sp.Scan()
	now.Waiting = len(ids)
	for _, id := range ids { // which has the time of the machine that asked, by its own clock
		if r, unread := recordIn(sp, id); unread == nil && (now.Since == nil || r.Request.Origin.Start.Before(*now.Since)) {
			now.Since = &r.Request.Origin.Start
			now.Seconds = int64(max(0, time.Since(*now.Since)) / time.Second)
		}
	}
	return now, err
}

// status prints how many questions wait. It prints nothing for tmux where none does and nothing is
// muted, so that a status line stays empty, and never anything that tmux takes for a format.
func status(c *cli.Context) error {
	now, unread := countWaiting()
	if unread != nil && now.Waiting == 0 {
		return unread
	}
	s, said, muted := command.ScreenOf(os.Stdout), "", settings.SayMuted()
	format, n := c.String("format"), now.Waiting
	switch {
	case c.Bool("json") || format == "json":
		return cmp.Or(printJSON(os.Stdout, now), unread)
	case format == "tmux" && n > 0:
		said = fmt.Sprintf("%s%d %s", host.MarkSign, n, now.age())
	case format == "tmux":
	case n == 0:
		said = emptyList()
	case n == 1:
		said = fmt.Sprintf("%s, for %s.", s.Paint(command.Yellow, "1 question waits"), now.age())
	default:
		said = fmt.Sprintf("%s, the oldest for %s.", s.Paint(command.Yellow, fmt.Sprintf("%d questions wait", n)), now.age())
	}
	if muted != "" && format != "tmux" {
		muted = "askpane is " + muted + "."
	}
	if said = strings.TrimSpace(said + " " + muted); said == "" {
		return unread
	}
	_, err := fmt.Println(said)
	return cmp.Or(err, unread)
}

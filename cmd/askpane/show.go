package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/popups"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/settings"
)

func show(c *cli.Context) error {
	var r spool.Record
	sp, id, err := pick(c)
	if err == nil {
		defer sp.Close()
		r, err = recordIn(sp, id)
	}
	switch {
	case errors.Is(err, spool.ErrNotFound):
		return exitWith(programs.Rejected, err)
	case err != nil:
		return err
	case c.Bool("json"):
		return printJSON(os.Stdout, recordOf(r))
	case onScreen():
		ctx, stop := programs.UntilTold()
		defer stop()
		return popup.Read(ctx, r, settings.Load(r.Request.Origin.Cwd).Settings, programs.Preview.Cmd, popups.Boxed())
	}
	return printRecord(os.Stdout, r)
}

// onScreen reports whether a person is at both ends of this command, and their
// terminal can draw.
func onScreen() bool {
	return !popups.Plain() && term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// printRecord writes a record as plain text.
func printRecord(w io.Writer, r spool.Record) error {
	var b strings.Builder
	q, o := subjectOf(r), r.Request.Origin
	fmt.Fprintf(&b, "%s asked at %s in %s\n", text.Asker(q.Agent, q.Machine, 40), o.Start.Local().Format(time.DateTime), text.OneLine(q.Cwd, 0))
	for _, note := range record.Notes(r) {
		fmt.Fprintln(&b, indented("", note))
	}
	m, _ := record.Reading(r)
	review := scene.Of(m, scene.Status{})
	for i, a := range review.Answers {
		said := m.Form().Questions[i].Say(m.Answer(i), "", nil) // with its lines
		fmt.Fprintf(&b, "\n%s\n%s\n", a.Asked, indented("  ", cmp.Or(said, "("+a.Value+")")))
		for _, remark := range a.Remarks {
			fmt.Fprintln(&b, indented("  ", remark))
		}
	}
	if review.Comment != "" {
		fmt.Fprintf(&b, "\n%s\n", review.Comment)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented puts indent before each line of a text from outside.
func indented(indent, s string) string {
	return indent + strings.ReplaceAll(text.Visible(s), "\n", "\n"+indent)
}

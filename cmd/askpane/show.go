package main

import (
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
	rec := recordOf(r)
	fmt.Fprintf(&b, "%s asked at %s in %s\n", text.Asker(rec.Agent, rec.Machine, 40), rec.Asked.Local().Format(time.DateTime), text.OneLine(rec.Cwd, 0))
	for _, note := range record.Notes(r) {
		fmt.Fprintln(&b, indented("", note))
	}
	for _, s := range rec.Answers {
		fmt.Fprintf(&b, "\n%s\n", indented("", s.Prompt))
		answer := "(not answered)"
		if s.Answer != nil {
			answer = *s.Answer
		}
		fmt.Fprintf(&b, "%s\n", indented("  ", answer))
		if s.Note != "" {
			fmt.Fprintf(&b, "%s\n", indented("  ", "note: "+s.Note))
		}
		for _, c := range s.Comments {
			fmt.Fprintf(&b, "%s\n", indented("  ", "on "+text.Quoted(c.Option, 40)+": "+c.Comment))
		}
	}
	if rec.Comment != "" {
		fmt.Fprintf(&b, "\n%s\n", indented("", "comment: "+rec.Comment))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented puts indent before each line of a text from outside.
func indented(indent, s string) string {
	return indent + strings.ReplaceAll(text.Visible(s), "\n", "\n"+indent)
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
)

// waitingNow is what status --format json prints.
type waitingNow struct {
	Waiting int        `json:"waiting"`
	Since   *time.Time `json:"since"`         // when the oldest was asked; null where none waits
	Seconds int64      `json:"oldestSeconds"` // how long ago that is
}

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "print how many questions wait, and for how long",
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT`: tmux (for a status line), json or text"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q", c.Args().First())
			}
			return status(c.String("format"))
		},
	}
}

// status prints how many questions have no answer yet, whether or not somebody
// looks at them or their agent is still there. With an error it is those that
// could be found.
func status(format string) error {
	if !slices.Contains([]string{"tmux", "json", "text"}, format) {
		return usage("unknown --format %q; there are tmux, json and text", format)
	}
	var ids []string
	sp, err := lookSpool()
	if err == nil {
		defer sp.Close()
		ids, _, err = sp.Scan()
	} else if errors.Is(err, spool.ErrNotFound) {
		err = nil
	}
	now := waitingNow{Waiting: len(ids)}
	switch {
	case now.Waiting > 0:
		asked := spool.AskedAt(ids[0])
		ago := max(0, time.Since(asked))
		now.Since, now.Seconds = &asked, int64(ago/time.Second)
		err = cmp.Or(printStatus(format, now, text.Age(ago)), err)
	case err == nil:
		err = printStatus(format, now, "")
	}
	return err
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

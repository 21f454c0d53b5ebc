package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
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

const formatUsage = "tmux (for a status line), json or text"

func statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "print how many questions wait, and for how long",
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT`: " + formatUsage}},
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
	print, known := map[string]func(n int, oldest time.Time) error{"tmux": statusTmux, "json": statusJSON, "text": statusText}[format]
	if !known {
		return usage("unknown --format %q; there are tmux, json and text", format)
	}
	var ids []string
	sp, err := lookSpool()
	switch {
	case err == nil:
		defer sp.Close()
		ids, _, err = sp.Scan()
	case errors.Is(err, spool.ErrNotFound):
		err = nil
	}
	if len(ids) > 0 {
		return cmp.Or(print(len(ids), spool.AskedAt(ids[0])), err)
	}
	if err != nil {
		return err
	}
	return print(0, time.Time{})
}

// statusTmux prints nothing where nothing waits, so that a status line stays
// empty, and never anything that tmux takes for a format.
func statusTmux(n int, oldest time.Time) error {
	if n > 0 {
		fmt.Printf("%s%d %s\n", host.MarkSign, n, age(oldest))
	}
	return nil
}

func statusJSON(n int, oldest time.Time) error {
	now := waitingNow{Waiting: n}
	if n > 0 {
		now.Since, now.Seconds = &oldest, int64(max(0, time.Since(oldest))/time.Second)
	}
	return printJSON(os.Stdout, now)
}

func statusText(n int, oldest time.Time) error {
	switch n {
	case 0:
		fmt.Println("No question waits.")
	case 1:
		fmt.Printf("1 question waits, for %s.\n", age(oldest))
	default:
		fmt.Printf("%d questions wait, the oldest for %s.\n", n, age(oldest))
	}
	return nil
}

func age(asked time.Time) string { return text.Age(max(0, time.Since(asked))) }

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
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

// quickStatus is the format that a plain status command line names. It is
// recognised without the command-line library: status lines run it every few
// seconds.
func quickStatus(args []string) (format string, ok bool) {
	switch {
	case len(args) == 1 && args[0] == "status":
		return "text", true
	case len(args) == 2 && args[0] == "status":
		return strings.CutPrefix(args[1], "--format=")
	case len(args) == 3 && args[0] == "status" && args[1] == "--format":
		return args[2], true
	}
	return "", false
}

func status(format string) error {
	show, known := map[string]func(counted, time.Duration) error{"tmux": statusTmux, "json": statusJSON, "text": statusText}[format]
	if !known {
		return usage("unknown --format %q; there are tmux, json and text", format)
	}
	count, unread := countWaiting()
	if unread != nil && count.Waiting == 0 {
		return unread
	}
	return cmp.Or(show(count, max(0, time.Since(count.Oldest))), unread)
}

// counted is how many questions have no answer yet, whether or not somebody looks
// at them or their agent is still there.
type counted struct {
	Waiting int
	Oldest  time.Time // when that was asked; zero where none waits
}

// countWaiting counts; with an error it is those that could be found.
func countWaiting() (c counted, err error) {
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer sp.Close()
	ids, _, err := sp.Scan()
	if c.Waiting = len(ids); c.Waiting > 0 {
		c.Oldest = spool.AskedAt(ids[0])
	}
	return c, err
}

// statusTmux prints nothing where nothing waits, so that a status line stays
// empty, and never anything that tmux takes for a format.
func statusTmux(c counted, oldest time.Duration) error {
	if c.Waiting > 0 {
		fmt.Printf("%s%d %s\n", host.MarkSign, c.Waiting, text.Age(oldest))
	}
	return nil
}

func statusJSON(c counted, oldest time.Duration) error {
	now := waitingNow{Waiting: c.Waiting}
	if c.Waiting > 0 {
		now.Since, now.Seconds = &c.Oldest, int64(oldest/time.Second)
	}
	return printJSON(os.Stdout, now)
}

func statusText(c counted, oldest time.Duration) error {
	switch c.Waiting {
	case 0:
		fmt.Println("No question waits.")
	case 1:
		fmt.Printf("1 question waits, for %s.\n", text.Age(oldest))
	default:
		fmt.Printf("%d questions wait, the oldest for %s.\n", c.Waiting, text.Age(oldest))
	}
	return nil
}

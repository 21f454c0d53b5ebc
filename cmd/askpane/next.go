package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
)

func nextCommand() *cli.Command {
	return &cli.Command{
		Name:  "next",
		Usage: "show the oldest waiting question on this terminal; in tmux: bind a display-popup -E 'askpane next'",
		Flags: []cli.Flag{plainFlag()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q; askpane popup ID shows a question of your choice", c.Args().First())
			}
			return showNext(c.Bool("plain") || plainHere())
		},
	}
}

// showNext shows the first that nobody looks at, the oldest first, and last
// those whose agent is gone: their answers are kept, but nobody waits for them.
// One that somebody opens, or answers, at the same moment is passed over.
func showNext(lines bool) error {
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		fmt.Fprintln(os.Stderr, "No question waits.")
		return nil
	}
	if err != nil {
		return err
	}
	defer sp.Close()
	ids, _, unread := sp.Scan()
	shown := 0
	var gone []string
	for _, id := range ids { // the first that can be shown ends it, however many wait
		switch s := statusOf(sp, id); {
		case s.Over():
		case s.Shown:
			shown++
		case s.AgentGone:
			gone = append(gone, id)
		default:
			over, elsewhere, err := showOne(id, lines)
			if over {
				return err
			}
			shown += elsewhere
		}
	}
	for _, id := range gone {
		over, elsewhere, err := showOne(id, lines)
		if over {
			return err
		}
		shown += elsewhere
	}
	switch {
	case shown == 0 && unread != nil: // it has none of its own to say
	case shown == 0:
		fmt.Fprintln(os.Stderr, "No question waits.")
	case shown == 1:
		fmt.Fprintln(os.Stderr, "The one question that waits is open on another terminal; askpane inbox takes it over.")
	default:
		fmt.Fprintf(os.Stderr, "All %d questions that wait are open on other terminals; askpane inbox takes them over.\n", shown)
	}
	return unread
}

// statusOf is over where the question cannot be read.
func statusOf(sp *spool.Spool, id string) spool.Status {
	entry, err := sp.Open(id)
	if err != nil {
		if !errors.Is(err, spool.ErrNotFound) {
			warn(err)
		}
		return spool.Status{Removed: true}
	}
	defer entry.Close()
	return entry.Status()
}

// showOne shows the question, unless somebody else was quicker: elsewhere is 1 then.
func showOne(id string, lines bool) (over bool, elsewhere int, err error) {
	err = showPopup(id, lines)
	if errors.Is(err, spool.ErrNewer) {
		warn(err)
		return false, 0, nil
	}
	var e exit
	if errors.As(err, &e) && e.Code == exitRejected {
		return false, 1, nil
	}
	return true, 0, err
}

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

// showNext shows the first that nobody looks at. One that somebody opens, or
// answers, at the same moment is passed over.
func showNext(lines bool) error {
	ids, shown, err := toShow()
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := showPopup(id, lines)
		if errors.Is(err, spool.ErrNewer) {
			warn(err)
			continue
		}
		var e exit
		if !errors.As(err, &e) || e.code != exitRejected {
			return err
		}
		shown++
	}
	switch {
	case shown == 0:
		fmt.Fprintln(os.Stderr, "No question waits.")
	case shown == 1:
		fmt.Fprintln(os.Stderr, "The one question that waits is open on another terminal.")
	default:
		fmt.Fprintf(os.Stderr, "All %d questions that wait are open on other terminals.\n", shown)
	}
	return nil
}

// toShow are the questions that nobody looks at, the oldest first, and last
// those whose agent is gone: their answers are kept, but nobody waits for them.
func toShow() (ids []string, shown int, err error) {
	sp, err := openSpool()
	if err != nil {
		return nil, 0, err
	}
	defer sp.Close()
	all, err := sp.IDs()
	if err != nil {
		return nil, 0, err
	}
	var gone []string
	for _, id := range all {
		entry, err := sp.Open(id)
		if errors.Is(err, spool.ErrNotFound) {
			continue // delivered while we looked
		}
		if err != nil {
			warn(err)
			continue
		}
		switch entry.State() {
		case spool.Pending:
			ids = append(ids, id)
		case spool.AgentGone:
			gone = append(gone, id)
		case spool.Shown:
			shown++
		}
		entry.Close()
	}
	return append(ids, gone...), shown, nil
}

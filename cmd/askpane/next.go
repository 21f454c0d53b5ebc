package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup"
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

// showNext shows the one that popup.Next chooses, or says why there is none.
func showNext(lines bool) error {
	shown, elsewhere := false, 0
	sp, err := lookSpool()
	if err == nil {
		defer sp.Close()
		shown, elsewhere, err = popup.Next(sp, warn, func(id string) error { return showPopup(id, lines, form.ByPopup) })
	} else if errors.Is(err, spool.ErrNotFound) {
		err = nil
	}
	switch {
	case shown:
	case elsewhere > 1:
		fmt.Fprintf(os.Stderr, "All %d questions that wait are open on other terminals; askpane inbox takes them over.\n", elsewhere)
	case elsewhere == 1:
		fmt.Fprintln(os.Stderr, "The one question that waits is open on another terminal; askpane inbox takes it over.")
	case err == nil: // else the error says what there is
		fmt.Fprintln(os.Stderr, "No question waits.")
	}
	return err
}

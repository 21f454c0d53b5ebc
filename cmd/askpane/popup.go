package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/plain"
)

func popupCommand() *cli.Command {
	return &cli.Command{
		Name:      "popup",
		Usage:     "show a waiting question on this terminal; this is what the host runs",
		ArgsUsage: "ID",
		Flags:     []cli.Flag{plainFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("askpane popup takes one question's ID; askpane list shows them")
			}
			return showPopup(c.Args().First(), c.Bool("plain") || plainHere(), form.ByPopup)
		},
	}
}

func plainFlag() cli.Flag {
	return &cli.BoolFlag{Name: "plain", Usage: "line by line, for a screen reader or a terminal without a screen"}
}

// plainHere reports whether the terminal is to be asked on line by line: the
// host says so, or it has no screen to draw on.
func plainHere() bool {
	term := os.Getenv("TERM")
	return os.Getenv(bridge.PlainEnv) != "" || term == "" || term == "dumb"
}

// showPopup shows the form of id on this terminal until it is closed. by is what its
// answer says of where it was given; from the inbox it can be left for the list.
func showPopup(id string, lines bool, by string) error {
	// Which of these a closing popup gets depends on the host, and some send two:
	// the draft is saved and the question stays.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	sp, err := asker.OpenSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	entry, err := sp.Open(id)
	if err == nil {
		defer entry.Close()
		run := popup.Run
		if lines {
			run = plain.Run
		}
		quirks := integrations.Quirks()
		err = run(ctx, popup.Config{
			Entry: entry, Spool: sp, By: by, Back: by == form.ByInbox,
			Viewer: os.Getenv(bridge.ViewerEnv), Borrowed: os.Getenv(bridge.BorrowedEnv) != "",
			NoMouse: quirks.NoMouse, Kept: quirks.Keeps, Pane: paneOf, Preview: programs.Preview.Cmd,
		})
	}
	if errors.Is(err, popup.ErrShown) || errors.Is(err, popup.ErrSeated) || errors.Is(err, spool.ErrAnswered) || errors.Is(err, spool.ErrNotFound) {
		return exitWith(exitRejected, err)
	}
	return err
}

// paneOf is where o asked from.
func paneOf(o spool.Origin) host.Pane { return integrations.Pane(o.Host, o.Ref) }

package main

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/popup/inbox"
	"github.com/askpane/askpane/settings"
)

func inboxCommand() *cli.Command {
	return &cli.Command{
		Name:  "inbox",
		Usage: "all questions that wait, of every agent, on this terminal: answer, go there, dismiss",
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q", c.Args().First())
			}
			if !onScreen() {
				return usage("the inbox needs a terminal that can draw; askpane list prints what waits, and askpane next --plain asks line by line")
			}
			return showInbox()
		},
	}
}

func showInbox() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		sp, err = asker.OpenSpool() // it waits for what will come there
	}
	if err != nil {
		return err
	}
	defer sp.Close()
	go bridge.Prune(sp, func(error) {}) // the screen is taken; askpane history says what is wrong
	return inbox.Run(ctx, inbox.Config{
		Spool:  sp,
		Theme:  settings.Load("").Theme,
		Answer: func(id string) error { return showPopup(id, false, form.ByInbox) },
		Pane:   paneOf,
		Quirks: integrations.Quirks(),
	})
}

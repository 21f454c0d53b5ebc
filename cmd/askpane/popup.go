package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/settings"
)

func popupCommand() *cli.Command {
	return &cli.Command{
		Name:      "popup",
		Usage:     "show a waiting question on this terminal; this is what the host runs",
		ArgsUsage: "ID",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("askpane popup takes one question's ID; askpane list shows them")
			}
			return showPopup(c.Args().First())
		},
	}
}

func showPopup(id string) error {
	// SIGHUP and SIGTERM are what a closing popup gets (HOSTS.md A2): the draft
	// is saved and the question stays.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	s, _ := settings.Load() // the bridge has said what is wrong with them
	sp, err := openSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	entry, err := sp.Open(id)
	if errors.Is(err, spool.ErrNotFound) {
		return exit{exitRejected, err}
	}
	if err != nil {
		return err
	}
	defer entry.Close()
	err = popup.Run(ctx, popup.Config{
		Entry: entry, Viewer: os.Getenv(viewerEnv),
		Guard: time.Duration(s.GuardMs) * time.Millisecond,
		Theme: s.Theme, DangerCheck: s.DangerCheckEnabled,
		Borrowed: os.Getenv(borrowedEnv) != "",
	})
	if errors.Is(err, popup.ErrShown) || errors.Is(err, spool.ErrAnswered) {
		return exit{exitRejected, err}
	}
	return err
}

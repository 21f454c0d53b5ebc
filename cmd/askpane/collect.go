package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
)

func collectCommand() *cli.Command {
	return &cli.Command{
		Name:      "collect",
		Usage:     "get the answer to a question asked before, once: after ask --detach, or when the asking call died",
		ArgsUsage: "ID",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "wait", Usage: "wait for the answer; where nobody else does, popups open from here"},
			&cli.BoolFlag{Name: "unread", Usage: "instead of an ID: every answer that nobody has got, one a line"},
			&cli.StringFlag{Name: "agent", Usage: "with --unread: only to questions of the agent `NAME`"},
			&cli.BoolFlag{Name: "here", Usage: "with --unread: only to questions asked in this directory"},
			command.HostFlag(), outputFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("unread") == c.Args().Present() || c.NArg() > 1 {
				return usage("askpane collect takes one question's ID, or --unread; askpane list shows them")
			}
			if c.Bool("unread") && c.Bool("wait") {
				return usage("--unread takes what is there; --wait takes one question's ID")
			}
			print, err := printer(c.String("output"), false)
			if err != nil {
				return err
			}
			return collect(c, print)
		},
	}
}

func collect(c *cli.Context, print func(bridge.Envelope) error) error {
	own, err := asker.Asker{Host: c.String("host"), Say: warn}.For(here())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // an answer that could not be printed stays
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		if c.Bool("unread") {
			return nil
		}
		return exitWith(exitRejected, err)
	}
	if err != nil {
		return internal(print, err)
	}
	defer sp.Close()
	b := own.Bridge(sp, own.FindLater)
	ids, missed := []string{c.Args().First()}, error(nil)
	if c.Bool("unread") {
		ids, missed = unread(sp, c.String("agent"), c.Bool("here"))
	}
	code := exitOK
	for _, id := range ids {
		err := b.Collect(ctx, id, c.Bool("wait"), func(e bridge.Envelope) error {
			if n := exitCodes[e.Outcome]; n != exitOK {
				code = n
			}
			return print(e)
		})
		switch {
		case errors.Is(err, bridge.ErrKept): // we were interrupted
			if err := print(bridge.Uncollected(id)); err != nil {
				return err
			}
			return exitWith(exitAborted, err)
		case c.Bool("unread") && (errors.Is(err, spool.ErrNotFound) || errors.Is(err, bridge.ErrDelivered)):
			continue // somebody else was quicker
		case errors.Is(err, spool.ErrNotFound), errors.Is(err, bridge.ErrDelivered):
			return exitWith(exitRejected, err)
		case err != nil:
			return internal(print, err)
		}
	}
	return cmp.Or(missed, error(exit{Code: code}))
}

// unread are the answered questions that nobody waits for, oldest first. With an
// error there may be more.
func unread(sp *spool.Spool, agent string, here bool) ([]string, error) {
	cwd, err := os.Getwd()
	if err != nil && here {
		return nil, err
	}
	_, ids, missed := sp.Scan()
	var all []string
	for _, id := range ids {
		entry, err := sp.Open(id)
		if errors.Is(err, spool.ErrNotFound) {
			continue // delivered meanwhile
		}
		if err != nil {
			warn(err)
			missed = cmp.Or(missed, errUnread)
			continue
		}
		if s := entry.Status(); !s.Delivered && s.AgentGone {
			req, err := entry.Request()
			if err != nil {
				warn(err)
				missed = cmp.Or(missed, errUnread)
			} else if (agent == "" || agent == req.Origin.Agent) && (!here || cwd == req.Origin.Cwd) {
				all = append(all, id)
			}
		}
		entry.Close()
	}
	return all, missed
}

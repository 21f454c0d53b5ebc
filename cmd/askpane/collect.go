package main

import (
	"cmp"
	"errors"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
)

func collect(c *cli.Context) error {
	all := c.Bool("unread")
	switch {
	case all == c.Args().Present():
		return usage("askpane collect takes one question's ID, or --unread; askpane list shows the IDs")
	case all && c.Bool("wait"):
		return usage("--unread takes what is there; --wait takes one question's ID")
	}
	signal.Ignore(syscall.SIGPIPE) // an answer that could not be printed stays
	ctx, stop := command.UntilTold()
	defer stop()
	print, own := printer(c, ""), asker.Asker{Host: c.String("host"), Say: warn}.For(here())
	sp, err := lookSpool()
	switch {
	case errors.Is(err, spool.ErrNotFound) && all:
		return nil
	case errors.Is(err, spool.ErrNotFound):
		return exitWith(command.Rejected, err)
	case err != nil:
		return internal(print, err)
	}
	defer sp.Close()
	b := own.Bridge(sp, own.FindLater)
	ids, missed := []string{c.Args().First()}, error(nil)
	if all {
		ids, missed = unread(sp, c.String("agent"), c.Bool("here"))
	}
	code := command.OK
	for _, id := range ids {
		err := b.Collect(ctx, id, c.Bool("wait"), func(e bridge.Envelope) error {
			code = cmp.Or(exitCodes[e.Outcome], code)
			return print(e)
		})
		nothing := errors.Is(err, spool.ErrNotFound) || errors.Is(err, bridge.ErrDelivered)
		switch {
		case errors.Is(err, bridge.ErrKept): // we were interrupted
			return cmp.Or(print(bridge.Uncollected(id)), exitWith(command.Aborted, err))
		case nothing && all:
			continue // somebody else was quicker
		case nothing:
			return exitWith(command.Rejected, err)
		case err != nil:
			return internal(print, err)
		}
	}
	return cmp.Or(missed, error(exit{Code: code}))
}

// unread are the answered questions that nobody waits for, oldest first. With an
// error there may be more.
func unread(sp *spool.Spool, agent string, inHere bool) (ids []string, missed error) {
	_, answered, err := sp.Scan()
	all, missed := recordsOf(sp, answered, err)
	for _, r := range all {
		o := r.Request.Origin
		if s := r.Status; !s.Delivered && s.AgentGone && (agent == "" || agent == o.Agent) && (!inHere || o.Cwd == here()) {
			ids = append(ids, r.Request.ID)
		}
	}
	return ids, missed
}

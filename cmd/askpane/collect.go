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
	"github.com/askpane/askpane/cmd/internal/programs"
)

func collect(c *cli.Context) error {
	all := c.Bool("unread")
	switch {
	case all && (c.Args().Present() || c.Bool("wait")):
		return usage("--unread takes every answer that is there: it goes with no ID, and not with --wait")
	case !all && (c.IsSet("agent") || c.IsSet("here")):
		return usage("--agent and --here go with --unread; without it one question is collected, by its ID")
	}
	signal.Ignore(syscall.SIGPIPE) // an answer that could not be printed stays
	ctx, stop := programs.UntilTold()
	defer stop()
	print, own := printer(c, ""), asker.Asker{Host: c.String("host"), Say: warn}.For(here())
	sp, ids, missed, err := collected(c)
	if err != nil {
		return uncollected(err, all, print)
	}
	defer sp.Close()
	b, code := own.Bridge(sp, own.FindLater), programs.OK
	for _, id := range ids {
		err := b.Collect(ctx, id, c.Bool("wait"), func(e bridge.Envelope) error {
			code = cmp.Or(exitCodes[e.Outcome], code)
			return print(e)
		})
		if errors.Is(err, bridge.ErrKept) { // we were interrupted
			return cmp.Or(print(bridge.Uncollected(id)), exitWith(programs.Aborted, err))
		}
		missed = cmp.Or(missed, uncollected(err, all, print))
	}
	return cmp.Or(missed, error(exit{Code: code}))
}

// collected lists the questions whose answers are to be got. With missed there may be more.
func collected(c *cli.Context) (sp *spool.Spool, ids []string, missed, err error) {
	if !c.Bool("unread") {
		var id string
		sp, id, err = pick(c)
		return sp, []string{id}, nil, err
	}
	if sp, err = lookSpool(); err == nil {
		ids, missed = unread(sp, c.String("agent"), c.Bool("here"))
	}
	return sp, ids, missed, err
}

// uncollected decides how an answer that could not be had ends the command. One of all that
// there are may be gone: somebody else was quicker.
func uncollected(err error, all bool, print func(bridge.Envelope) error) error {
	switch gone := errors.Is(err, spool.ErrNotFound) || errors.Is(err, bridge.ErrDelivered) || errors.Is(err, bridge.ErrAway); {
	case err == nil, gone && all:
		return nil
	case gone:
		return exitWith(programs.Rejected, err)
	}
	return internal(print, err)
}

// unread lists the answered questions that nobody waits for, oldest first. With an error there
// may be more.
func unread(sp *spool.Spool, agent string, inHere bool) (ids []string, missed error) {
	_, answered, err := sp.Scan()
	all, missed := recordsOf(sp, answered, err)
	for _, r := range all {
		o := r.Request.Origin
		if s := r.Status; o.Away == nil && !s.Delivered && s.AgentGone && (agent == "" || agent == o.Agent) && (!inHere || o.Cwd == here()) {
			ids = append(ids, r.Request.ID)
		}
	}
	return ids, missed
}

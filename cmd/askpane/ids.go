package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
)

// pick opens the spool and finds the id of the question that a command is about:
// the one whose id begins with what was given; where nothing was, the one that
// waits, or that collect can get.
func pick(c *cli.Context) (sp *spool.Spool, id string, err error) {
	sp, err = lookSpool()
	switch {
	case err == nil:
		if id, err = chosen(c, sp); err != nil {
			sp.Close()
		}
	case errors.Is(err, spool.ErrNotFound) && !c.Args().Present():
		err = noneWaits(c)
	}
	return sp, id, err
}

func noneWaits(c *cli.Context) error { return usage("no question waits; %s", c.Command.Description) }

func chosen(c *cli.Context, sp *spool.Spool) (string, error) {
	given, prefix := c.Args().Present(), strings.ToUpper(c.Args().First())
	switch signs := "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; { // Crockford's
	case spool.ValidID(prefix):
		return prefix, nil
	case given && (prefix == "" || strings.Trim(prefix, signs) != ""):
		return c.Args().First(), nil // whoever opens it says what it is not
	}
	found, answered, unread := sp.Scan()
	switch {
	case given:
		found, unread = allIDs(sp)
		found = slices.DeleteFunc(found, func(id string) bool { return !strings.HasPrefix(id, prefix) })
	case c.Command.Name == "collect":
		found = append(found, answered...)
	}
	several := fmt.Sprintf("%d questions wait", len(found))
	if given {
		several = fmt.Sprintf("%d ids begin with %s", len(found), prefix)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case unread != nil:
		return "", unread
	case len(found) > 1:
		return "", usage("%s; say which:%s", several, candidates(sp, found))
	case !given:
		return "", noneWaits(c)
	}
	return "", fmt.Errorf("%w: no id begins with %s; %s", spool.ErrNotFound, text.OneLine(prefix, 40), c.Command.Description)
}

// allIDs lists every question that is known, the oldest first. With an error there may be more.
func allIDs(sp *spool.Spool) ([]string, error) {
	waiting, answered, err := sp.Scan()
	history, err2 := sp.History()
	all := slices.Concat(waiting, answered, history)
	slices.Sort(all)
	return slices.Compact(all), cmp.Or(err, err2)
}

// candidates writes a row for each of ids, the newest first.
func candidates(sp *spool.Spool, ids []string) (rows string) {
	const most = 8
	short := shortened(sp)
	for n, id := range slices.Backward(ids) {
		if n < len(ids)-most {
			return rows + fmt.Sprintf("\n  and %d more", n+1)
		}
		rows += "\n  " + short(id)
		if r, err := recordIn(sp, id); err == nil {
			rows += "  " + cut(r.Request.Origin.Agent, 24) + "  " + cut(r.Request.Form.Header(), 50)
		}
	}
	return rows
}

// shortened shortens ids for a person: to as much as no other question's begins with.
func shortened(sp *spool.Spool) func(id string) string {
	const least = 6 // the ids of some minutes begin alike
	all, _ := allIDs(sp)
	return func(id string) string {
		i, _ := slices.BinarySearch(all, id)
		n := least
		for _, near := range all[max(0, i-1):min(i+2, len(all))] {
			for n < len(id) && near != id && strings.HasPrefix(near, id[:n]) {
				n++
			}
		}
		return id[:n]
	}
}

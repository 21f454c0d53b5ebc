package main

import (
	"errors"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/popups"
)

// emptyList says that no question waits, and no more than is known: without a desk none
// comes from other machines.
func emptyList() string {
	person, _ := address.Joined()
	if _, up := address.Up(); person && !up {
		return "No question of this machine waits. No desk is up, so that none comes from others: askpane desk --stay"
	}
	return "No question waits."
}

// hearLimit bounds the wait of askpane answer for another machine's verdict.
const hearLimit = 3 * time.Second

// heard waits for what the machine of a mirrored question makes of the answer that was
// given to it here: another one may have been earlier. It reports whether that machine has
// it.
func heard(e *spool.Entry, away *spool.Away) (delivered bool, err error) {
	popups.HaveDesk()
	w := e.Watch()
	defer w.Stop()
	for late := time.After(hearLimit); ; {
		s := e.Status()
		if verdict := e.Away().Verdict; verdict != "" {
			return false, refusal{errors.New(verdict)}
		}
		if s.Delivered || s.Removed {
			return true, nil
		}
		select {
		case <-w.Changed:
		case <-late:
			fix := "it goes there as soon as both machines reach the hub"
			if away.Via != "" {
				fix = "it goes there as soon as askpane forward is connected with it"
			}
			warn(hint.New(fix, "%s has not got the answer yet", text.OneLine(away.Machine, 40)))
			return false, nil
		}
	}
}

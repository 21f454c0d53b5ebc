package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents/claude"
)

// confirms has a process of ours see which answer Claude takes.
const confirms = "--confirm"

// confirmWithin bounds how long that takes: the transcript told after 149 to 424 ms
// (docs/dev/agents.md, What was measured).
const confirmWithin = 5 * time.Second

// confirmation tells that process what it needs of the hook.
type confirmation struct {
	ID   string // of the question
	Call claude.Call
	Said claude.Decision
}

// confirm starts the process, which outlives the hook.
func confirm(id string, call claude.Call, said claude.Decision) error {
	cmd, err := ourselves("hook", "claude", confirms)
	if err != nil {
		return err
	}
	left, err := cmd.StdinPipe() // what is in it stays there when we have gone
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(left).Encode(confirmation{id, call, said}), left.Close())
}

// confirmClaude notes in the history whose answer Claude has taken, as far as that is known soon.
func confirmClaude() error {
	ctx, stop := programs.UntilTold()
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, confirmWithin)
	defer cancel()
	var c confirmation
	if err := json.NewDecoder(os.Stdin).Decode(&c); err != nil {
		return err
	}
	end, err := c.Call.Follow(ctx)
	if err != nil {
		return nil // the history says that it is not confirmed
	}
	verdict := text.If(c.Call.Took(c.Said, end), spool.Confirmed, spool.Outrun)
	return inSpool(c.ID, func(e *spool.Entry) error { return e.Took(verdict) })
}

// inSpool opens a question that waits, or is over.
func inSpool(id string, do func(*spool.Entry) error) error {
	sp, err := asker.OpenSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	e, err := sp.Find(id)
	if err != nil {
		return err
	}
	defer e.Close()
	return do(e)
}

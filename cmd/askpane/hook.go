package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/integrations/agents/claude"
)

// claudeHook is one call of Claude Code's own tool for questions.
type claudeHook struct {
	in    claude.Input
	began time.Time
	ctx   context.Context
	end   context.CancelCauseFunc // by the end of its dialog
	id    string                  // of the question
	call  claudeCall              // where its dialog stands beside ours
	said  *claude.Decision        // that was printed
	lost  error                   // why nobody was asked

	permission *claude.Permission // that is asked for; nil of a question
}

// hookClaude never stands in Claude's way: whatever goes wrong, it prints
// nothing and ends well, and then Claude's own dialog shows.
func hookClaude(args []string) error {
	// An exit code of 2, which is a panic's, would forbid Claude to ask at all.
	defer func() {
		if r := recover(); r != nil {
			warn(fmt.Errorf("failure in the hook: %v", r))
		}
	}()
	what := ""
	if len(args) == 1 {
		what = args[0]
	}
	switch what {
	case agents.Auto:
		if err := askInAuto(); err != nil {
			asker.Asker{Say: warn}.For(here()).Warn(err)
		}
	case agents.Permissions:
		askPermission()
	case agents.Plans:
		askPlan()
	case agents.Elicitations:
		askElicitation()
	case confirms:
		return confirmClaude()
	default:
		askQuestions()
	}
	return nil
}

// askQuestions asks what Claude asks with its own tool.
func askQuestions() {
	h := &claudeHook{began: time.Now()}
	h.ask(claude.Tool, h, h.print, func(data []byte) ([]byte, error) {
		var err error
		h.in, err = claude.Read(data)
		return h.in.Ask, err
	})
}

// ask asks in a dialect what read makes of the hook's input. print gets the envelope of what was asked.
func (h *claudeHook) ask(dialect string, n native, print func(bridge.Envelope) error, read func(data []byte) ([]byte, error)) {
	q := question{dialect: dialect, agent: "claude", session: &h.in.Session, native: n}
	q.print = func(e bridge.Envelope) error {
		if e.Outcome == form.Rejected || e.Outcome == form.Unavailable {
			h.lost = errors.New(e.Text)
			return nil
		}
		return print(e)
	}
	h.ends(q.ask(func() ([]byte, error) {
		data, err := readInput(os.Stdin)
		if err != nil {
			return nil, err
		}
		if askedByServer() {
			return nil, claude.ErrNotOurs
		}
		return read(data)
	}))
}

// say prints what Claude is to do. Whether it takes that is not known before the hook has ended.
func (h *claudeHook) say(d claude.Decision) error {
	if err := printJSON(os.Stdout, d); err != nil {
		return err
	}
	if h.said = &d; h.in.Beside() {
		return bridge.ErrUnconfirmed
	}
	return nil
}

// ends leaves the confirmation to another process, and tells of what failed.
func (h *claudeHook) ends(err error) {
	if err = cmp.Or(besideCode(err), h.lost); err == nil && h.said != nil && h.in.Beside() {
		err = confirm(h.id, h.call, *h.said)
	}
	if err != nil && !errors.Is(err, claude.ErrNotOurs) {
		asker.Asker{Say: warn}.For(here()).Warn(err) // standard error is in Claude's log
	}
}

// stands says where Claude's dialog stands.
func (h *claudeHook) stands() string {
	if h.in.Beside() {
		return spool.Beside
	}
	return spool.Serial
}

func (h *claudeHook) begin(ctx context.Context) context.Context {
	h.ctx, h.end = context.WithCancelCause(ctx)
	return h.ctx
}

// asked follows what becomes of the question beside our form.
func (h *claudeHook) asked(a asker.Asker, id string) {
	h.id = id
	if !h.in.Beside() {
		go a.HandBack(h.ctx, id)
		return
	}
	h.call = claudeCall{h.in.Ask, h.began, equalBefore(id), h.in.Transcript, h.permission}
	go func() {
		switch _, err := h.call.follow(h.ctx); {
		case err == nil:
			h.end(bridge.ErrElsewhere)
		case h.ctx.Err() == nil:
			a.Warn(fmt.Errorf("the end of Claude's own dialog is not seen: %w", err))
		}
	}()
}

// equalBefore counts the questions before this one that ask the same in the same session and
// wait, too.
func equalBefore(id string) (n int) {
	sp, err := asker.OpenSpool()
	if err != nil {
		return 0
	}
	defer sp.Close()
	request := func(id string) (req spool.Request, waits bool) {
		e, err := sp.Open(id)
		if err != nil {
			return req, false
		}
		defer e.Close()
		req, err = e.Request()
		return req, err == nil && e.Waits()
	}
	ours, _ := request(id)
	for _, other := range sp.Again(ours.Digest) {
		if req, waits := request(other); other < id && waits && req.Origin.Session == ours.Origin.Session {
			n++
		}
	}
	return n
}

// print prints Claude's decision.
func (h *claudeHook) print(e bridge.Envelope) error {
	if e.Outcome != form.Answered && e.Outcome != form.Cancelled {
		return nil
	}
	a := claude.Answer{Declined: e.Outcome == form.Cancelled, Note: e.Note}
	if err := json.Unmarshal(e.Details, &a); err != nil {
		return err
	}
	d, err := h.in.Decide(a)
	if err != nil {
		return err
	}
	return h.say(d)
}

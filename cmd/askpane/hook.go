package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/integrations/agents/claude"
	"github.com/askpane/askpane/integrations/agents/tools"
	"github.com/askpane/askpane/integrations/process"
)

// claudeHook is one prompt of Claude Code's.
type claudeHook struct {
	claude.Call
	end  context.CancelCauseFunc // by the end of its dialog
	id   string                  // of the question
	said *claude.Decision        // that was printed
}

// hookClaude never stands in Claude's way: whatever goes wrong, it prints
// nothing and ends well, and then Claude's own dialog shows.
func hookClaude(what string) error {
	defer survive() // an exit code of 2, which is a panic's, would forbid Claude to ask at all
	switch what {
	case agents.Auto:
		_ = inLog(askInAuto())
	case agents.Permissions:
		askClaude("permission", claude.ReadPermission)
	case agents.Plans:
		askClaude("plan", claude.ReadPlan)
	case agents.Elicitations:
		askClaude("elicitation", func(data []byte) (claude.Prompt, error) { return claude.ReadElicitation(data, agents.ServerName) })
	case confirms:
		return confirmClaude()
	default:
		askClaude(claude.Tool, claude.ReadQuestions)
	}
	return nil
}

// survive has a hook that fails by a panic print nothing and end well.
func survive() {
	if r := recover(); r != nil {
		warn(fmt.Errorf("failure in the hook: %v", r))
	}
}

// askClaude asks in a dialect what read makes of the hook's input. Which answer Claude takes is left to
// another process to see.
func askClaude(dialect string, read func(data []byte) (claude.Prompt, error)) {
	h := &claudeHook{Call: claude.Call{Began: time.Now(), Equal: func() int { return 0 }}}
	q := question{dialect: dialect, agent: "claude", session: &h.Session, native: h, print: h.print}
	err := inLog(q.ask(func() ([]byte, error) {
		data, err := readInput(os.Stdin)
		if err != nil {
			return nil, err
		}
		if startedWith(claude.Prompted) { // our server asks
			return nil, tools.ErrUnasked
		}
		if h.Prompt, err = read(data); err != nil {
			return nil, err
		}
		if h.begin(nil) == spool.Beside && !h.Kept() {
			return nil, errors.New("ask beside Claude's own dialog: Claude keeps no transcript, which alone tells when that is answered (to be asked here, unset CLAUDE_CODE_SKIP_PROMPT_HISTORY)")
		}
		_, request, err := h.Request()
		return request, err
	})) // standard error is in Claude's log
	if err == nil && h.said != nil && h.Beside() {
		_ = inLog(confirm(h.id, h.Call, *h.said))
	}
}

// print prints what Claude is to do; nothing where its own dialog is to decide. Whether Claude takes it is
// not known before the hook has ended.
func (h *claudeHook) print(e bridge.Envelope) error {
	if e.Outcome != form.Answered && e.Outcome != form.Cancelled {
		return nil
	}
	d, err := h.Decide(e.Outcome == form.Answered, e.Details, e.Note)
	if d == nil || err != nil {
		return err
	}
	if err := printJSON(os.Stdout, d); err != nil {
		return err
	}
	if h.said = d; h.Beside() {
		h.Rank = max(h.Rank, h.Equal())
		return bridge.ErrUnconfirmed
	}
	return nil
}

func (h *claudeHook) begin(end context.CancelCauseFunc) (stands string) {
	h.end = end
	if h.Tool != "" && h.Tool != claude.Tool && strings.HasPrefix(os.Getenv("CLAUDE_CODE_ENTRYPOINT"), "sdk-") {
		return "" // claude -p has no prompt at all
	}
	return text.If(h.Beside(), spool.Beside, spool.Serial)
}

// asked follows what becomes of the question beside our form.
func (h *claudeHook) asked(ctx context.Context, a asker.Asker, sp *spool.Spool, id string) {
	h.id, h.Equal = id, func() int { return equalBefore(sp, id) }
	h.Rank = h.Equal() // counted now: the hooks of earlier permissions may be over when the end is read
	call := h.Call
	call.Equal = func() int {
		all, stop := context.WithDeadline(ctx, h.Began.Add(together))
		defer stop()
		<-all.Done()
		return h.Equal()
	}
	if h.Event == claude.Elicitation {
		go func() {
			if h.Rank > 0 || call.Equal() > 0 { // another hook of ours asks it, in a plugin, and Claude waits for both
				h.end(bridge.ErrElsewhere)
			}
		}()
	}
	if !h.Beside() {
		return
	}
	go func() {
		_, err := call.Follow(ctx)
		switch {
		case err == nil:
			h.end(bridge.ErrElsewhere)
		case ctx.Err() == nil:
			a.Warn(fmt.Errorf("the end of Claude's own dialog is not seen: %w", err))
		}
	}()
	if command := h.Command(); command != "" {
		go h.watchFor(ctx, a, id, command)
	}
}

// together passes from the start of a hook until those that Claude starts at once, for the equal questions of a message, have all asked.
const together = 2 * time.Second

// equalBefore counts the questions that ask the same in the same session and wait, too, and whose hooks
// Claude started before: their shells' numbers tell, or their own, and not which of them asks first.
func equalBefore(sp *spool.Spool, id string) (n int) {
	ours, _ := recordIn(sp, id)
	hook, _ := process.Of(os.Getpid())
	for _, other := range sp.Again(ours.Request.Digest) {
		r, err := recordIn(sp, other)
		its, lives := process.Of(r.Request.Origin.PID) // not where its form was taken over from a hook that was killed
		before := lives && cmp.Or(its.Parent-hook.Parent, its.PID-hook.PID) < 0 || !lives && other < id
		if before && err == nil && !r.Status.AgentGone && r.Request.Origin.Session == ours.Request.Origin.Session {
			n++
		}
	}
	return n
}

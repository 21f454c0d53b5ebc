package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/agents/claude"
	"github.com/askpane/askpane/integrations/process"
)

// permissionHook is one prompt of Claude Code's for a permission.
type permissionHook struct{ claudeHook }

// askPermission asks for what Claude asks for, beside its own prompt. Whatever goes wrong, it prints
// nothing, and that prompt counts.
func askPermission() {
	h := &permissionHook{claudeHook{began: time.Now()}}
	h.ask("permission", h, h.print, func(data []byte) ([]byte, error) {
		p, err := claude.ReadPermission(data)
		if err != nil {
			return nil, err
		}
		h.in, h.permission = p.Input, &p
		return p.Request()
	})
}

// ranEvery passes between looks for the command among Claude's processes, which tell before the
// transcript does where it runs long.
const ranEvery = time.Second

func (h *permissionHook) asked(a asker.Asker, id string) {
	h.claudeHook.asked(a, id)
	var in struct{ Command string }
	if h.in.Beside() && h.in.Tool == "Bash" && json.Unmarshal(h.in.Ask, &in) == nil {
		go h.watchFor(h.ctx, in.Command)
	}
}

// watchFor ends the question when Claude runs the command: then it was allowed in its own prompt.
func (h *permissionHook) watchFor(ctx context.Context, command string) {
	ticks := time.NewTicker(ranEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if runs(command) {
				h.end(bridge.ErrElsewhere)
				return
			}
		}
	}
}

// runs reports whether whoever started us has begun a shell with the command since.
func runs(command string) bool {
	line := process.Line()
	for _, above := range line[min(1, len(line)):min(3, len(line))] { // there may be a shell between us and Claude
		for _, args := range process.Begun(above.PID) {
			if claude.Runs(args, command) {
				return true
			}
		}
	}
	return false
}

// print prints Claude's decision; nothing where the person left it to Claude's own prompt.
func (h *permissionHook) print(e bridge.Envelope) error {
	var decided claude.Decided
	if err := json.Unmarshal(e.Details, &decided); err != nil || decided.Decision != string(form.Allow) && decided.Decision != string(form.Deny) {
		return err
	}
	d, err := h.permission.Decide(decided)
	if err != nil {
		return err
	}
	return h.say(d)
}

package main

import (
	"encoding/json"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/plan"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/integrations/agents/claude"
)

// planHook is one plan of Claude Code's.
type planHook struct {
	claudeHook
	plan claude.Plan
}

// askPlan asks about the plan beside Claude's own dialog.
func askPlan() {
	h := &planHook{claudeHook: claudeHook{began: time.Now()}}
	h.ask(plan.Name, h, h.print, func(data []byte) (request []byte, err error) {
		if h.plan, err = claude.ReadPlan(data); err != nil {
			return nil, err
		}
		h.in, h.permission = h.plan.Input, &h.plan.Permission
		return h.plan.Request()
	})
}

// print prints Claude's decision; nothing where nothing was decided on the plan.
func (h *planHook) print(e bridge.Envelope) error {
	var decided claude.PlanDecided
	if err := json.Unmarshal(e.Details, &decided); err != nil {
		return err
	}
	d, ok, err := h.plan.Decide(decided)
	if !ok || err != nil {
		return err
	}
	return h.say(d)
}

// elicitationHook is one form of an MCP server.
type elicitationHook struct{ claudeHook }

// askElicitation has the form filled in here. Claude shows its own only when the hook has ended.
func askElicitation() {
	h := &elicitationHook{claudeHook{began: time.Now()}}
	h.ask("elicitation", h, h.print, func(data []byte) (request []byte, err error) {
		h.in, request, err = claude.ReadElicitation(data, agents.ServerName)
		return request, err
	})
}

// print prints what the person filled in; nothing where Claude's own form is to show.
func (h *elicitationHook) print(e bridge.Envelope) error {
	if e.Outcome != form.Answered && e.Outcome != form.Cancelled {
		return nil
	}
	d, err := claude.Fill(e.Details)
	if err != nil {
		return err
	}
	return h.say(d)
}

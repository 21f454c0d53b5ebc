package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/cmd/internal/programs"
)

// claudeCall holds what Claude Code tells a PreToolUse hook (docs/dev/agents.md, What was
// measured).
type claudeCall struct {
	Event   string          `json:"hook_event_name"`
	Tool    string          `json:"tool_name"`
	Session string          `json:"session_id"`
	Input   json.RawMessage `json:"tool_input"`
}

// claudeDecision holds what the hook answers.
type claudeDecision struct {
	Output struct {
		Event        string                     `json:"hookEventName"`
		Decision     string                     `json:"permissionDecision"`
		Reason       string                     `json:"permissionDecisionReason"`
		UpdatedInput map[string]json.RawMessage `json:"updatedInput"`
		Context      string                     `json:"additionalContext,omitempty"` // for the model
	} `json:"hookSpecificOutput"`
}

// hookClaude never stands in Claude's way: whatever goes wrong, it prints
// nothing and ends well, and then Claude's own dialog shows.
func hookClaude() error {
	// An exit code of 2, which is a panic's, would forbid Claude to ask at all.
	defer func() {
		if r := recover(); r != nil {
			warn(fmt.Errorf("failure in the hook: %v", r))
		}
	}()
	var call claudeCall
	q := question{dialect: "AskUserQuestion", agent: "claude", session: &call.Session}
	q.print = func(e bridge.Envelope) error {
		d, err := decideForClaude(call.Input, e)
		if d == nil || err != nil {
			return err
		}
		return printJSON(os.Stdout, d)
	}
	err := q.ask(func() ([]byte, error) {
		data, err := readInput(os.Stdin)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &call); err != nil {
			return nil, fmt.Errorf("read the hook's input: %w", err)
		}
		if call.Event != "PreToolUse" || call.Tool != "AskUserQuestion" {
			return nil, fmt.Errorf("expected a PreToolUse of AskUserQuestion, got %q of %q", call.Event, call.Tool)
		}
		return call.Input, nil
	})
	_ = programs.ExitCode(err) // only to say it on standard error, which is in Claude's log
	return nil
}

// decideForClaude returns nil where the question is to be Claude's own.
func decideForClaude(input json.RawMessage, e bridge.Envelope) (*claudeDecision, error) {
	if e.Outcome != form.Answered && e.Outcome != form.Cancelled {
		return nil, nil
	}
	var said struct{ Answers, Annotations json.RawMessage }
	if err := json.Unmarshal(e.Details, &said); err != nil {
		return nil, err
	}
	var d claudeDecision
	d.Output.Event, d.Output.Decision, d.Output.Reason = "PreToolUse", "allow", "asked in askpane"
	if err := json.Unmarshal(input, &d.Output.UpdatedInput); err != nil {
		return nil, err
	}
	d.Output.UpdatedInput["answers"] = said.Answers
	if said.Annotations != nil {
		d.Output.UpdatedInput["annotations"] = said.Annotations
	}
	d.Output.Context = e.Note
	if e.Outcome == form.Cancelled {
		// Without an answer Claude says that the person did not answer. Denying
		// would be told to the model as an error of the hook.
		d.Output.Context = strings.TrimSpace(e.Text + " " + e.Note)
	}
	return &d, nil
}

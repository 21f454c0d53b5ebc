package denial

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/integrations/agents/claude"
)

// asking says how an agent's hook tells of a call that may need a permission, and how it is allowed.
type asking struct {
	// tools are those that are asked about, with Claude Code's tools that do the same.
	tools map[string]string
	// members are those of their inputs, with Claude Code's; empty of those that change nothing.
	members map[string]string
	allowed string // what the hook prints
	// reads lists the commands that the agent allows by itself, and yet tells its hook of.
	reads []string
}

// ErrUnasked is of a call that needs no permission here.
var ErrUnasked = claude.ErrNotOurs

// ReadPermission reads what the hook gets of a call that may need a permission. The call's input is the
// request for that, in the dialect permission and with Claude Code's names of tools.
func (a Agent) ReadPermission(input []byte) (c Call, err error) {
	c, told, err := a.read(input)
	if err != nil {
		return c, err
	}
	tool, asks := a.asks.tools[told.Tool]
	var in map[string]json.RawMessage
	if !asks {
		return c, fmt.Errorf("the permission of %.40q is asked for in the agent's own prompt alone", told.Tool)
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return c, fmt.Errorf("read the input of %s: %w", told.Tool, err)
	}
	for theirs, ours := range a.asks.members {
		value, is := in[theirs]
		if _, both := in[ours]; !is || both {
			continue // both of them would be shown as they are
		}
		if delete(in, theirs); ours != "" {
			in[ours] = value
		}
	}
	if a.asks.allows(in["command"]) {
		return c, ErrUnasked
	}
	p := claude.Permission{Input: claude.Input{Tool: tool}, Dir: told.Dir}
	if p.Ask, err = json.Marshal(in); err == nil {
		c.Input, err = p.Request()
	}
	return c, err
}

// allows reports whether the agent asks for no permission to run a command: one that only reads.
func (k asking) allows(quoted json.RawMessage) bool {
	var command string
	if json.Unmarshal(quoted, &command) != nil || strings.ContainsAny(command, "\n;&|<>$`(){}\\") {
		return false
	}
	words := strings.Fields(command)
	return len(words) > 0 && slices.Contains(k.reads, words[0])
}

// Decide makes what the hook prints where somebody has decided.
func (a Agent) Decide(d claude.Decided) ([]byte, error) {
	switch d.Decision {
	case "allow":
		return []byte(a.asks.allowed + "\n"), nil
	case "deny":
		return a.Refuse(strings.TrimSpace("The person does not allow this. " + d.Reason))
	}
	return nil, nil
}

// ofCopilot: its hook is told of every call, before its own rules are applied.
var ofCopilot = asking{
	tools: map[string]string{"bash": "Bash", "create": "Write", "edit": "Edit", "web_fetch": "WebFetch"},
	members: map[string]string{"path": "file_path", "file_text": "content", "old_str": "old_string", "new_str": "new_string",
		"initial_wait": "", "mode": "", "shellId": ""},
	allowed: `{"permissionDecision":"allow"}`,
	reads:   []string{"ls", "cat", "pwd", "head", "tail", "wc", "grep", "rg", "du", "df", "stat", "file", "which", "echo", "date", "whoami"},
}

var ofQwen = asking{
	tools:   map[string]string{"run_shell_command": "Bash", "write_file": "Write", "edit": "Edit", "web_fetch": "WebFetch"},
	members: map[string]string{"is_background": "run_in_background"},
	allowed: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
}

package plugin

import "encoding/json"

// Call is a call of a tool of which an agent tells before it is made: pi, which asks for no permission
// itself, and Copilot CLI and Qwen Code, which ask afterwards.
type Call struct {
	Agent              string `json:"-"`
	Session, Directory string
	Tool               string
	Input              any
}

// callers has each agent's own tools, and their inputs.
var callers = map[string]map[string]names{
	"pi": {
		"bash":       {"command": "command", "timeout": ""},
		"powershell": {"command": "command", "timeout": ""},
		"write":      {"path": "path", "content": "content"},
		"edit":       {"path": "path", "edits": "replace", "oldText": "old", "newText": "new"},
	},
	"copilot": {
		"bash":      {"command": "command", "description": "why", "initial_wait": "", "mode": "", "shellId": ""},
		"create":    {"path": "path", "file_text": "content"},
		"edit":      {"path": "path", "old_str": "old", "new_str": "new"},
		"web_fetch": {"url": "url", "raw": "", "max_length": "", "start_index": ""},
	},
	"qwen": {
		"run_shell_command": {"command": "command", "description": "why", "is_background": "", "timeout": ""},
		"write_file":        {"file_path": "path", "content": "content"},
		"edit":              {"file_path": "path", "old_string": "old", "new_string": "new", "replace_all": "all"},
		"web_fetch":         {"url": "url", "prompt": ""},
	},
}

// Known reports whether the tool is one of those that change something or reach out.
func (c Call) Known() bool { return callers[c.Agent][c.Tool] != nil }

// Command returns what the call would run; empty of a call that runs no command.
func (c Call) Command() string {
	command, _ := callers[c.Agent][c.Tool].asked(c.Input)["command"].(string)
	return command
}

// Request says in the dialect permission what the call would do.
func (c Call) Request() ([]byte, error) {
	asked := callers[c.Agent][c.Tool].asked(c.Input)
	if asked == nil {
		asked = map[string]any{"arguments": c.Input}
	}
	asked["tool"], asked["directory"] = c.Tool, c.Directory
	return json.Marshal(asked)
}

// Gate is what pi's event tool_call takes: the zero Gate lets the call go on.
type Gate struct {
	Block  bool   `json:"block,omitempty"`
	Reason string `json:"reason,omitempty"` // for the model
}

// Blocked keeps a call back.
func Blocked(reason string) Gate { return Gate{true, reason} }

// denied is what the model reads where the person gave no reason.
const denied = "The person does not allow this."

// Gate returns what becomes of a call; otherwise is the reason where nobody has decided.
func (d Decided) Gate(otherwise string) Gate {
	switch {
	case d.Decision == "allow":
		return Gate{}
	case d.Decision == "deny" && d.Reason == "":
		return Blocked(denied)
	case d.Decision == "deny":
		return Blocked(d.Reason)
	}
	return Blocked(otherwise)
}

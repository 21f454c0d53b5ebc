package plugin

import "encoding/json"

// Call is a call of a tool in pi, which asks for no permission itself.
type Call struct {
	Session, Directory string
	Tool               string
	Input              any
}

// pi has its own tools, and their inputs.
var pi = map[string]names{
	"bash":       {"command": "command", "timeout": ""},
	"powershell": {"command": "command", "timeout": ""},
	"write":      {"path": "path", "content": "content"},
	"edit":       {"path": "path", "edits": "replace", "oldText": "old", "newText": "new"},
}

// Command returns what the call would run; empty of a call that runs no command.
func (c Call) Command() string {
	command, _ := pi[c.Tool].asked(c.Input)["command"].(string)
	return command
}

// Request says in the dialect permission what the call would do.
func (c Call) Request() ([]byte, error) {
	asked := pi[c.Tool].asked(c.Input)
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

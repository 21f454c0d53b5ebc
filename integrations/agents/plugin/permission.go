// Package plugin has the permissions that our plugins of opencode, Kilo and pi bring: what they send,
// and what they get back.
//
// It turns one into the other and touches nothing. The rule that must hold here: nothing is allowed but
// by a decision that says so.
package plugin

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askpane/askpane/integrations/agents/tools"
)

// Permission holds what a plugin sends: of opencode the event permission.asked, and the call that needs it.
type Permission struct {
	Session    string `json:"sessionID"`
	Permission string // bash, edit, webfetch, external_directory, … or the name of a tool
	Directory  string // of the agent
	Input      any    // of the call; nil where there is none

	// These are opencode's alone.
	Patterns []string       // what its rules are compared with
	Metadata map[string]any // what the permission has to say besides
	Always   []string       // the patterns that it would allow from then on
}

// Request says in the dialect permission what the agent asks; Kilo is opencode here.
func (p Permission) Request(agent string) map[string]any {
	asked := tools.Request(agent, p.Permission, p.Directory, p.Input)
	more := len(p.Metadata) > 0 || p.Patterns != nil && !slices.Equal(p.Patterns, []string{"*"}) // opencode says it besides
	if _, unknown := asked["arguments"]; unknown && more {
		asked["arguments"] = map[string]any{"patterns": p.Patterns, "metadata": p.Metadata, "input": p.Input}
	}
	if len(p.Always) > 0 {
		asked["always"] = []string{p.Permission + " " + strings.Join(p.Always, ", ") + ", until the agent is restarted"}
	}
	return asked
}

// Literal reports whether opencode would make of a file what the request shows. It also replaces what is
// only like the text that it looks for, and in the new text of all places it gives $ a meaning.
func (p Permission) Literal(read func(path string) ([]byte, error)) bool {
	in, _ := p.Input.(map[string]any)
	old, edits := in["oldString"].(string)
	if p.Permission != "edit" || !edits || old == "" {
		return true
	}
	path, _ := in["filePath"].(string)
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Directory, path)
	}
	data, err := read(path)
	first := strings.Index(string(data), old)
	if err != nil || first < 0 {
		return false
	}
	if in["replaceAll"] == true {
		to, _ := in["newString"].(string)
		return !strings.Contains(to, "$")
	}
	return first == strings.LastIndex(string(data), old)
}

// Reply answers opencode.
type Reply struct {
	Reply   string `json:"reply"`
	Message string `json:"message,omitempty"` // for the model, which goes on then; without one the turn ends
}

// Reply puts a decision into opencode's words, as a Reply; nil where none can be told.
func (p Permission) Reply(d tools.Decided) any {
	switch {
	case d.Decision == "deny":
		return Reply{"reject", d.Reason}
	case d.Decision != "allow", d.Always != nil && (*d.Always != 0 || len(p.Always) == 0):
		return nil
	case d.Always != nil:
		return Reply{Reply: "always"}
	}
	return Reply{Reply: "once"}
}

// Gate answers pi's event tool_call: the zero Gate lets the call go on.
type Gate struct {
	Block  bool   `json:"block,omitempty"`
	Reason string `json:"reason,omitempty"` // for the model
}

// GateOf returns what becomes of a call by a decision; where there is none, it is blocked, and otherwise says why.
func GateOf(d tools.Decided, otherwise string) Gate {
	switch d.Decision {
	case "allow":
		return Gate{}
	case "deny":
		return Gate{true, cmp.Or(d.Reason, tools.Denied)}
	}
	return Gate{true, otherwise}
}

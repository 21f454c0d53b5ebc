package plugin

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Permission is opencode's event permission.asked, with what our plugin adds to it.
type Permission struct {
	Session    string         `json:"sessionID"`
	Permission string         // its kind: bash, edit, webfetch, external_directory, … or the name of a tool
	Patterns   []string       // what its rules are compared with
	Metadata   map[string]any // what the kind has to say
	Always     []string       // the patterns that it would allow from then on

	Directory string // of opencode
	Input     any    // of the call that needs it; nil where there is none
}

// opencode has the kinds of which opencode's own tools ask, and their inputs.
var opencode = map[string]names{
	"bash":     {"command": "command", "workdir": "directory", "description": "why", "timeout": ""},
	"edit":     {"filePath": "path", "content": "content", "oldString": "old", "newString": "new", "replaceAll": "all"},
	"webfetch": {"url": "url", "format": "", "timeout": ""},
}

// Request says in the dialect permission what opencode asks.
func (p Permission) Request() ([]byte, error) {
	asked := opencode[p.Permission].asked(p.Input)
	if asked == nil {
		asked = map[string]any{"arguments": p.arguments()}
	}
	dir, _ := asked["directory"].(string)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Directory, dir)
	}
	asked["tool"], asked["directory"] = p.Permission, dir
	if len(p.Always) > 0 {
		asked["always"] = []string{p.Permission + " " + strings.Join(p.Always, ", ")}
	}
	return json.Marshal(asked)
}

// arguments returns all that is known of a permission.
func (p Permission) arguments() map[string]any {
	all := map[string]any{}
	if !slices.Equal(p.Patterns, []string{"*"}) {
		all["patterns"] = p.Patterns
	}
	if len(p.Metadata) > 0 {
		all["metadata"] = p.Metadata
	}
	if p.Input != nil {
		all["input"] = p.Input
	}
	return all
}

// Reply is what opencode takes for an answer.
type Reply struct {
	Reply   string `json:"reply"`
	Message string `json:"message,omitempty"` // for the model, which goes on then; without one the turn ends
}

// Reply puts a decision into opencode's words.
func (p Permission) Reply(d Decided) (Reply, error) {
	switch {
	case d.Decision == "deny":
		return Reply{"reject", d.Reason}, nil
	case d.Decision != "allow", d.Always != nil && (*d.Always != 0 || len(p.Always) == 0):
		return Reply{}, fmt.Errorf("no decision of %q can be told", d.Decision)
	case d.Always != nil:
		return Reply{Reply: "always"}, nil
	}
	return Reply{Reply: "once"}, nil
}

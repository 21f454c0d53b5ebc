package denial

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/integrations/agents/tools"
)

// ReadPermission reads what the hook gets of a call that may need a permission. The call's input is the
// request for that, in the dialect permission.
func (a Agent) ReadPermission(input []byte) (c Call, err error) {
	c, err = a.read(input)
	if err != nil {
		return c, err
	}
	var in any
	if !tools.Known(a.Name, c.Tool) {
		return c, fmt.Errorf("the permission of %.40q is asked for in the agent's own prompt alone", c.Tool)
	}
	_ = json.Unmarshal(c.Input, &in) // it is valid
	asked := tools.Request(a.Name, c.Tool, c.Dir, in)
	if command, _ := asked["command"].(string); a.reads(command) {
		return c, tools.ErrUnasked
	}
	c.Input, err = json.Marshal(asked)
	return c, err
}

// reads reports whether a command is one of those that only read.
func (a Agent) reads(command string) bool {
	if strings.ContainsAny(command, "\n;&|<>$`(){}\\") {
		return false
	}
	words := strings.Fields(command)
	return len(words) > 0 && slices.Contains(a.readers, words[0])
}

// Decide makes what the hook prints where somebody has decided, or was asked and has not.
func (a Agent) Decide(d tools.Decided) string {
	switch d.Decision {
	case "allow":
		return a.allowed + "\n"
	case "deny":
		return a.Refuse(strings.TrimSpace(tools.Denied + " " + d.Reason))
	}
	return a.asks
}

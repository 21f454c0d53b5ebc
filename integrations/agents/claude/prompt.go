package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/agents/tools"
)

// PromptTool names the tool of our server for claude -p --permission-prompt-tool.
const PromptTool = "permission_prompt"

// Prompted reports whether a Claude with those arguments asks by that tool.
func Prompted(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "mcp__") && strings.HasSuffix(arg, "__"+PromptTool)
	})
}

// Prompt holds a call of it. With that tool Claude shows no prompt of its own, and asks its questions by
// such a call as well.
type Prompt struct{ Plan }

// ReadPrompt reads a call's arguments. dir is where Claude works.
func ReadPrompt(data []byte, dir string) (p Prompt, err error) {
	var call struct {
		Tool  string `json:"tool_name"`
		Input json.RawMessage
	}
	if err := json.Unmarshal(data, &call); err != nil {
		return p, fmt.Errorf("read the prompt: %w", err)
	}
	if call.Tool == "" || len(call.Input) == 0 {
		return p, errors.New("expected a prompt with tool_name and input")
	}
	p.Input, p.Dir = Input{Event: PermissionRequest, Tool: call.Tool, Ask: call.Input}, dir
	if call.Tool == planTool {
		err = p.read()
	}
	return p, err
}

// Request says in a dialect, which it names, what Claude asks.
func (p Prompt) Request() (dialect string, request []byte, err error) {
	switch p.Tool {
	case Tool:
		return Tool, p.Ask, nil
	case planTool:
		request, err = p.Plan.Request()
		return "plan", request, err
	}
	request, err = p.Permission.Request()
	return "permission", request, err
}

// Result puts into Claude's words how the form has ended, by what its dialect says of that. Where
// nothing was decided Claude is refused, and reads the text.
func (p Prompt) Result(answered bool, details json.RawMessage, note, text string) string {
	d, err := p.decide(answered, details, note)
	if err != nil || d.Output.Decision == nil {
		d.Output.Decision = &decision{Behavior: "deny", Message: joined("Nobody has allowed this.", text)}
	}
	return hint.JSON(d.Output.Decision)
}

func (p Prompt) decide(answered bool, details json.RawMessage, note string) (d Decision, err error) {
	switch p.Tool {
	case Tool:
		a := Answer{Declined: !answered, Note: note}
		if err := json.Unmarshal(details, &a); err != nil || a.Declined && a.Reason == "" {
			return d, err
		}
		return p.Input.Decide(a)
	case planTool:
		var decided PlanDecided
		if err := json.Unmarshal(details, &decided); err != nil {
			return d, err
		}
		d, _, err = p.Plan.Decide(decided)
		return d, err
	}
	var decided tools.Decided
	if err := json.Unmarshal(details, &decided); err != nil {
		return d, err
	}
	return p.Permission.Decide(decided)
}

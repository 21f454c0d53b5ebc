package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Prompt is what Claude asks a person, as a hook gets it: its questions, a permission, a plan or a form of
// an MCP server. With PromptTool it asks the same by a call of that (ReadPrompt).
type Prompt struct {
	Event       string            `json:"hook_event_name"`
	Tool        string            `json:"tool_name"`
	Session     string            `json:"session_id"`
	Transcript  string            `json:"transcript_path"`
	Subagent    string            `json:"agent_id"`   // empty in the main session
	Ask         json.RawMessage   `json:"tool_input"` // of a form, the request in the dialect elicitation
	Dir         string            `json:"cwd"`
	Mode        string            `json:"permission_mode"`
	Suggestions []json.RawMessage `json:"permission_suggestions"` // what Claude would store, each for itself
}

// read reads what a hook gets. The error says what was expected, if it is not that.
func read(data []byte, expected string, is func(Prompt) bool) (p Prompt, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("read the hook's input: %w", err)
	}
	if !is(p) {
		return p, fmt.Errorf("expected %s, got %.40q of %.40q", expected, p.Event, p.Tool)
	}
	return p, nil
}

// Beside reports whether Claude's own dialog stands beside our form. A sub-agent waits for its
// hooks before its dialog.
func (p Prompt) Beside() bool { return p.Event == PermissionRequest && p.Subagent == "" }

// PromptTool names the tool of our server for claude -p --permission-prompt-tool.
const PromptTool = "permission_prompt"

// Prompted reports whether an argument of Claude's has it ask by that tool.
func Prompted(arg string) bool {
	return strings.HasPrefix(strings.TrimPrefix(arg, "--permission-prompt-tool="), "mcp__") && strings.HasSuffix(arg, "__"+PromptTool)
}

// ReadPrompt reads the arguments of a call of it. dir is where Claude works. With that tool Claude shows no
// prompt of its own, and asks its questions by such a call as well.
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
	p = Prompt{Event: PermissionRequest, Tool: call.Tool, Ask: call.Input, Dir: dir}
	if p.Tool == planTool {
		_, _, err = p.plan()
	}
	return p, err
}

// Request says in a dialect, which it names, what Claude asks.
func (p Prompt) Request() (dialect string, request []byte, err error) {
	switch {
	case p.Event == Elicitation:
		return "elicitation", p.Ask, nil
	case p.Tool == Tool:
		return Tool, p.Ask, nil
	case p.Tool == planTool:
		request, err = p.askPlan()
		return "plan", request, err
	}
	request, err = p.permission()
	return "permission", request, err
}

// Decide puts into Claude's words how the form has ended, by what its dialect says of that. It is nil where
// nothing was decided.
func (p Prompt) Decide(answered bool, details json.RawMessage, note string) (*Decision, error) {
	switch {
	case p.Event == Elicitation:
		return decide(details, func(filled output) (*Decision, error) { // the dialect's details call it as Claude does
			filled.Event = Elicitation
			return &Decision{filled}, nil
		})
	case p.Tool == Tool:
		return decide(details, func(a Answer) (*Decision, error) {
			a.Declined, a.Note = !answered, note
			return p.answer(a)
		})
	case p.Tool == planTool:
		return decide(details, p.decidePlan)
	}
	return decide(details, p.permit)
}

// decide hands over what a dialect's details say.
func decide[T any](details json.RawMessage, by func(said T) (*Decision, error)) (*Decision, error) {
	var said T
	if err := json.Unmarshal(details, &said); err != nil {
		return nil, err
	}
	return by(said)
}

// Result returns what the tool returns for how the form has ended. Where nothing was decided Claude is
// refused, and reads the text: the person has no chat there to reply in.
func (p Prompt) Result(answered bool, details json.RawMessage, note, text string) string {
	d, err := p.Decide(answered, details, note)
	if err != nil || d == nil || d.Output.Decision.Message == inChat {
		d = deny(joined("Nobody has allowed this.", text))
	}
	return hint.JSON(d.Output.Decision)
}

package claude

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/integrations/agents/tools"
	"github.com/askpane/askpane/integrations/agents/transcript"
)

// ReadPermission reads what asks for a permission. The error says what it is, if it asks for none.
func ReadPermission(data []byte) (Prompt, error) {
	p, err := read(data, "a PermissionRequest of a tool that needs a permission", func(p Prompt) bool { return p.Event == PermissionRequest && p.Tool != "" })
	if p.Tool == Tool || p.Tool == planTool {
		err = tools.ErrUnasked
	}
	return p, err
}

// ReadCall reads what a hook PreToolUse gets, before Claude decides whether a tool needs a permission.
func ReadCall(data []byte) (Prompt, error) {
	return read(data, "a PreToolUse of a tool", func(p Prompt) bool { return p.Event == PreToolUse && p.Tool != "" })
}

// AskFirst has Claude show its prompt, because of what is dangerous.
func AskFirst(danger string) Decision {
	return Decision{output{Event: PreToolUse, Permission: "ask", Reason: "dangerous by the settings of askpane: " + danger}}
}

// Command returns what is to be run; empty of another tool.
func (p Prompt) Command() string {
	var in map[string]any // not a struct, which would take the model's own "Command" for Claude's "command"
	if p.Tool == "Bash" {
		_ = json.Unmarshal(p.Ask, &in)
	}
	command, _ := in["command"].(string)
	return command
}

// mostSuggestions is how many of Claude's suggestions are offered: as many as the dialect takes.
const mostSuggestions = 8

// permission says in the dialect permission what Claude asks. A command of which not all is known, as where
// it is to leave its sandbox, is left to Claude.
func (p Prompt) permission() ([]byte, error) {
	var in any
	if err := json.Unmarshal(p.Ask, &in); err != nil {
		return nil, fmt.Errorf("read the input of %s: %w", p.Tool, err)
	}
	asked := tools.Request("claude", p.Tool, p.Dir, in)
	if _, unknown := asked["arguments"]; unknown {
		if asked["arguments"] = p.Ask; p.Tool == "Bash" {
			return nil, errors.New("askpane does not ask for a command that is more than its words, as where it leaves the sandbox: Claude's own prompt does, which claude -p does not have")
		}
	}
	var rules []string
	for _, s := range p.Suggestions[:min(len(p.Suggestions), mostSuggestions)] {
		rules = append(rules, said(s))
	}
	asked["always"] = rules
	return json.Marshal(asked)
}

// places says where Claude stores a rule.
var places = map[string]string{"session": "for this session", "localSettings": "for this project, yours alone", "projectSettings": "for this project, for everybody", "userSettings": "for all your projects"}

// said puts one of Claude's suggestions into words, in full; what is not known is its JSON.
func said(suggestion json.RawMessage) string {
	var s struct {
		Type, Behavior, Destination, Mode string
		Directories                       []string
		Rules                             []struct {
			Tool    string  `json:"toolName"`
			Content *string `json:"ruleContent"`
		}
	}
	where := ""
	if err := json.Unmarshal(suggestion, &s); err == nil {
		where = places[s.Destination]
	}
	var parts []string
	switch {
	case where == "":
	case s.Type == "addRules" && s.Behavior == "allow":
		for _, r := range s.Rules {
			if r.Content != nil {
				r.Tool += "(" + *r.Content + ")"
			}
			parts = append(parts, r.Tool)
		}
	case s.Type == "addDirectories":
		for _, dir := range s.Directories {
			parts = append(parts, "all below "+dir)
		}
	case s.Type == "setMode" && s.Mode != "":
		parts = []string{"mode " + s.Mode}
	}
	if len(parts) == 0 {
		return string(suggestion)
	}
	return strings.Join(parts, ", ") + ", " + where
}

// permit puts into Claude's words what was decided. What is allowed is what was asked, to the letter.
func (p Prompt) permit(d tools.Decided) (*Decision, error) {
	var input map[string]json.RawMessage
	var rules []json.RawMessage
	switch {
	case d.Decision == "deny":
		return deny(cmp.Or(d.Reason, tools.Denied)), nil
	case d.Decision != "allow":
		return nil, nil
	case d.Always != nil && (*d.Always < 0 || *d.Always >= len(p.Suggestions)):
		return nil, fmt.Errorf("rule %d is none of those that Claude suggested", *d.Always)
	case d.Always != nil:
		rules = p.Suggestions[*d.Always : *d.Always+1]
	}
	if err := json.Unmarshal(p.Ask, &input); err != nil {
		return nil, err
	}
	return allow(input, rules...), nil
}

// Alone reports whether the transcript has the call, and no other of the newest message that asks the same
// and was open when the hook began.
func (call Call) Alone() bool {
	c := call.Calls()
	return (&transcript.File{Path: c.Transcript, Take: c.Line}).Read() == nil && len(c.open()) == 1
}

// Runs reports whether a process with those arguments is the shell in which Claude runs a command: it
// evaluates that, in quotes.
func Runs(args []string, command string) bool {
	evaluated := []string{"eval " + command + " "}
	for _, quote := range []string{`'"'"'`, `'\''`} {
		evaluated = append(evaluated, "eval '"+strings.ReplaceAll(command, "'", quote)+"'")
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == command || slices.ContainsFunc(evaluated, func(way string) bool { return strings.Contains(arg, way) })
	})
}

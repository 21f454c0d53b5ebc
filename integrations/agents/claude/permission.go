package claude

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/agents/tools"
)

// Permission is what a hook PermissionRequest gets of any other tool than that for questions.
type Permission struct {
	Input
	Dir         string            `json:"cwd"`
	Mode        string            `json:"permission_mode"`
	Suggestions []json.RawMessage `json:"permission_suggestions"` // what Claude would store, each for itself
}

// ReadPermission reads it. The error says what it is, if it asks for no permission.
func ReadPermission(data []byte) (p Permission, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("read the hook's input: %w", err)
	}
	if p.Tool == Tool || p.Tool == planTool {
		return p, ErrNotOurs
	}
	if p.Event != PermissionRequest || p.Tool == "" {
		return p, fmt.Errorf("expected a %s of a tool that needs a permission, got %.40q of %.40q", PermissionRequest, p.Event, p.Tool)
	}
	return p, nil
}

// ReadCall reads what a hook PreToolUse gets, before Claude decides whether a tool needs a permission.
func ReadCall(data []byte) (p Permission, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("read the hook's input: %w", err)
	}
	if p.Event != PreToolUse || p.Tool == "" {
		return p, fmt.Errorf("expected a %s of a tool, got %.40q of %.40q", PreToolUse, p.Event, p.Tool)
	}
	return p, nil
}

// AskFirst has Claude show its prompt, because of what is dangerous.
func AskFirst(danger string) (d Decision) {
	d.Output.Event, d.Output.Permission = PreToolUse, "ask"
	d.Output.Reason = "dangerous by the settings of askpane: " + danger
	return d
}

// Command returns what is to be run; empty of another tool.
func (p Permission) Command() string {
	var in map[string]any // not a struct, which would take the model's own "Command" for Claude's "command"
	if p.Tool == "Bash" {
		_ = json.Unmarshal(p.Ask, &in)
	}
	command, _ := in["command"].(string)
	return command
}

// mostSuggestions is how many of Claude's suggestions are offered: as many as the dialect takes.
const mostSuggestions = 8

// Request says in the dialect permission what Claude asks. A command of which not all is known, as where
// it is to leave its sandbox, is left to Claude.
func (p Permission) Request() ([]byte, error) {
	var in any
	if err := json.Unmarshal(p.Ask, &in); err != nil {
		return nil, fmt.Errorf("read the input of %s: %w", p.Tool, err)
	}
	asked := tools.Request("claude", p.Tool, p.Dir, in)
	if _, unknown := asked["arguments"]; unknown {
		if asked["arguments"] = p.Ask; p.Tool == "Bash" {
			return nil, errors.New("this command is more than its words, and is asked for in Claude's own prompt alone")
		}
	}
	var rules []string
	for _, s := range p.Suggestions[:min(len(p.Suggestions), mostSuggestions)] {
		rules = append(rules, said(s))
	}
	if rules != nil {
		asked["always"] = rules
	}
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
			if rule := r.Tool; r.Content != nil {
				parts = append(parts, rule+"("+*r.Content+")")
			} else {
				parts = append(parts, rule)
			}
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

// Decide puts it into Claude's words. What is allowed is what was asked, to the letter.
func (p Permission) Decide(d tools.Decided) (decided Decision, err error) {
	decided.Output.Event = PermissionRequest
	if d.Decision == "deny" {
		decided.Output.Decision = &decision{Behavior: "deny", Message: cmp.Or(d.Reason, tools.Denied)}
		return decided, nil
	}
	allow := &decision{Behavior: "allow"}
	if d.Decision != "allow" || json.Unmarshal(p.Ask, &allow.UpdatedInput) != nil {
		return decided, fmt.Errorf("no decision of %q can be told", d.Decision)
	}
	if d.Always != nil {
		if *d.Always < 0 || *d.Always >= len(p.Suggestions) {
			return decided, fmt.Errorf("rule %d is none of those that Claude suggested", *d.Always)
		}
		allow.UpdatedPermissions = p.Suggestions[*d.Always : *d.Always+1]
	}
	decided.Output.Decision = allow
	return decided, nil
}

// Calls returns a follower of the permission's call, whose hook began then.
func (p Permission) Calls(began time.Time) *Calls {
	var ours map[string]any
	_ = json.Unmarshal(p.Ask, &ours)
	return &Calls{began: began, ends: map[string]End{}, tool: p.Tool, fits: func(input json.RawMessage) bool {
		var theirs map[string]any
		return json.Unmarshal(input, &theirs) == nil && within(theirs, ours)
	}}
}

// Alone reports whether the transcript has the permission's call, whose hook began then, and no other of the
// newest message that asks the same and was open then.
func (p Permission) Alone(began time.Time) bool {
	c := p.Calls(began)
	t := transcript{path: p.Transcript, lines: lines{take: c.Line}}
	defer t.Close()
	return t.read() == nil && len(c.open()) == 1
}

// refused is what the model reads first where the person has stopped a call in the dialog.
const refused = "The user doesn't want to proceed"

// Took reports whether a call ended by the decision, and not by Claude's own dialog.
func (d Decision) Took(e End) bool {
	ours := d.Output.Decision
	switch {
	case ours == nil || e.Source != "" && e.Source != "hook":
		return false
	case ours.Behavior == "deny":
		return strings.Contains(e.Said, ours.Message)
	}
	return !strings.Contains(e.Said, refused)
}

// Runs reports whether a process with those arguments is the shell in which Claude runs a command: it
// evaluates that, in quotes.
func Runs(args []string, command string) bool {
	for _, arg := range args {
		for _, quote := range []string{`'"'"'`, `'\''`} {
			if arg == command || strings.Contains(arg, "eval '"+strings.ReplaceAll(command, "'", quote)+"'") {
				return true
			}
		}
		if strings.Contains(arg, "eval "+command+" ") {
			return true
		}
	}
	return false
}

package claude

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Permission is what a hook PermissionRequest gets of any other tool than that for questions.
type Permission struct {
	Input
	Dir         string            `json:"cwd"`
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

// mostSuggestions is how many of Claude's suggestions are offered: as many as the dialect takes.
const mostSuggestions = 8

// Request says in the dialect permission what Claude asks.
func (p Permission) Request() ([]byte, error) {
	whole := p.shown()
	if p.Tool == "Bash" && !whole {
		return nil, fmt.Errorf("a command with more than %s is asked for in the agent's own prompt alone", strings.Join(known["Bash"], ", "))
	}
	asked := p.subject(whole)
	asked["tool"], asked["directory"] = p.Tool, p.Dir
	var rules []string
	for _, s := range p.Suggestions[:min(len(p.Suggestions), mostSuggestions)] {
		rules = append(rules, said(s))
	}
	if rules != nil {
		asked["always"] = rules
	}
	return json.Marshal(asked)
}

// known lists the members of an input of which all that counts is shown. With others, as those that
// open the sandbox of a command, something would be allowed that is not on view.
var known = map[string][]string{
	"Bash":      {"command", "description", "timeout", "run_in_background"},
	"WebFetch":  {"url", "prompt"},
	"Write":     {"file_path", "content"},
	"Edit":      {"file_path", "old_string", "new_string", "replace_all"},
	"MultiEdit": {"file_path", "edits", "old_string", "new_string", "replace_all"},
}

// shown reports whether the input has known members alone. Claude tells names apart by their case,
// and Go does not: of two, the one that Claude leaves aside could be shown.
func (p Permission) shown() bool {
	var in any
	return json.Unmarshal(p.Ask, &in) == nil && named(in, known[p.Tool])
}

func named(v any, names []string) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if !slices.Contains(names, name) || !named(value, names) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(part any) bool { return !named(part, names) })
	}
	return true
}

// subject is what Claude wants to do, in the members that the dialect has for it. A tool of
// somebody's, and an input that those would not show whole, has its arguments as they are.
func (p Permission) subject(whole bool) map[string]any {
	var in struct {
		Command, Description, URL, Content *string
		File                               string `json:"file_path"`
		edit
		Edits []edit
	}
	if err := json.Unmarshal(p.Ask, &in); err != nil { // its members are of other types
		in.Command, in.URL, in.File = nil, nil, ""
	}
	asked := map[string]any{}
	switch {
	case !whole:
		asked["arguments"] = p.Ask
	case p.Tool == "Bash" && in.Command != nil:
		asked["command"] = *in.Command
		if in.Description != nil {
			asked["why"] = *in.Description
		}
	case p.Tool == "WebFetch" && in.URL != nil:
		asked["url"] = *in.URL
	case p.Tool == "Write" && in.File != "" && in.Content != nil:
		asked["file"] = map[string]any{"path": in.File, "content": *in.Content}
	case p.Tool == "Edit" && in.File != "":
		asked["file"] = map[string]any{"path": in.File, "replace": replacing(in.edit)}
	case p.Tool == "MultiEdit" && in.File != "" && len(in.Edits) > 0:
		asked["file"] = map[string]any{"path": in.File, "replace": replacing(in.Edits...)}
	default:
		asked["arguments"] = p.Ask
	}
	return asked
}

// edit replaces a text in a file, once or wherever it stands.
type edit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

// replacing puts edits into the dialect's words.
func replacing(edits ...edit) (parts []map[string]any) {
	for _, e := range edits {
		parts = append(parts, map[string]any{"old": e.Old, "new": e.New, "all": e.All})
	}
	return parts
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

// Decided is what the dialect's details say.
type Decided struct {
	Decision string // allow or deny; anything else is none
	Always   *int   // of the suggestions
	Reason   string
}

// denied is what the model reads where the person gave no reason.
const denied = "The person does not allow this."

// Decide puts it into Claude's words. What is allowed is what was asked, to the letter.
func (p Permission) Decide(d Decided) (decided Decision, err error) {
	decided.Output.Event = PermissionRequest
	if d.Decision == "deny" {
		if d.Reason == "" {
			d.Reason = denied
		}
		decided.Output.Decision = &decision{Behavior: "deny", Message: d.Reason}
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

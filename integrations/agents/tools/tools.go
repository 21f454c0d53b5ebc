// Package tools knows, as data, what the tools of agents do with their input: which member is a command,
// a file's new text, an address.
//
// It says so in the members of the dialect permission, and touches nothing. The rule that must hold here:
// a call of which not all is known is shown as its agent has it.
package tools

import (
	"errors"
	"path/filepath"
	"strings"
	"unicode"
)

// Decided holds what the details of the dialect permission say.
type Decided struct {
	Decision string // allow or deny; anything else is none
	Always   *int   // the place of the rule that was chosen, among those proposed
	Reason   string
}

// Denied tells a model of a denial for which the person gave no reason.
const Denied = "The person does not allow this."

// ErrUnasked is of a call of which there is nothing to ask: its agent allows it by itself, or it is asked in
// another way.
var ErrUnasked = errors.New("there is nothing to ask")

// names has, for each member of a tool's input, the name by which the dialect permission has it;
// empty where it changes nothing of what is done.
type names map[string]string

// known has the tools of which it is known what they do with their input, by agent and permission.
var known = map[string]map[string]names{
	"claude": {
		"Bash":      {"command": "command", "description": "why", "timeout": "", "run_in_background": ""},
		"Write":     {"file_path": "path", "content": "content"},
		"Edit":      {"file_path": "path", "old_string": "old", "new_string": "new", "replace_all": "all"},
		"MultiEdit": {"file_path": "path", "edits": "replace", "old_string": "old", "new_string": "new", "replace_all": "all"},
		"WebFetch":  {"url": "url", "prompt": "", "offset": ""},
		"Monitor":   {"command": "command", "description": "why", "timeout_ms": ""},
	},
	"opencode": {
		"bash":     {"command": "command", "workdir": "directory", "description": "why", "timeout": ""},
		"edit":     {"filePath": "path", "content": "content", "oldString": "old", "newString": "new", "replaceAll": "all"},
		"webfetch": {"url": "url", "format": "", "timeout": ""},
	},
	"pi": {
		"bash":  {"command": "command", "timeout": ""},
		"write": {"path": "path", "content": "content"},
		"edit":  {"path": "path", "edits": "replace", "oldText": "old", "newText": "new"},
	},
	"copilot": {
		"bash":      {"command": "command", "description": "why", "initial_wait": "", "mode": "", "shellId": ""},
		"create":    {"path": "path", "file_text": "content"},
		"edit":      {"path": "path", "old_str": "old", "new_str": "new"},
		"web_fetch": {"url": "url", "raw": "", "max_length": "", "start_index": ""},
	},
	"qwen": {
		"run_shell_command": {"command": "command", "directory": "directory", "description": "why", "is_background": "", "timeout": ""},
		"write_file":        {"file_path": "path", "content": "content"},
		"edit":              {"file_path": "path", "old_string": "old", "new_string": "new", "replace_all": "all"},
		"web_fetch":         {"url": "url", "prompt": ""},
	},
}

// Known reports whether it is known what an agent's tool does.
func Known(agent, tool string) bool { return known[agent][tool] != nil }

// Request asks in the dialect permission for a call of an agent's tool, in a directory. Where not all of
// it is known, the input is shown as arguments.
func Request(agent, tool, directory string, input any) map[string]any {
	asked := known[agent][tool].asked(input)
	if asked == nil {
		asked = map[string]any{"arguments": input}
	}
	if dir, _ := asked["directory"].(string); !filepath.IsAbs(dir) {
		asked["directory"] = filepath.Join(directory, dir)
	}
	asked["tool"] = tool
	return asked
}

// asked says in the dialect's members what a call with the input would do. It is nil where not all of
// that is known.
func (n names) asked(input any) map[string]any {
	renamed, whole := n.rename(input)
	in, _ := renamed.(map[string]any)
	path, changes := in["path"].(string)
	switch {
	case !whole, changes && !plain(path), !changes && in["command"] == nil && in["url"] == nil:
		return nil
	case !changes:
		return in
	}
	one := map[string]any{}
	for _, name := range []string{"old", "new", "all"} {
		if value, there := in[name]; there {
			one[name] = value
			delete(in, name)
		}
	}
	switch {
	case len(one) > 0 && in["replace"] != nil:
		return nil
	case len(one) > 0 && one["old"] == "": // how opencode makes a file
		in["content"] = one["new"]
	case len(one) > 0:
		in["replace"] = []any{one}
	}
	return map[string]any{"file": in}
}

// rename returns v with the dialect's names; whole is false where a member has none.
func (n names) rename(v any) (renamed any, whole bool) {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			to, there := n[name]
			if out[to], whole = n.rename(value); !there || !whole {
				return nil, false
			}
		}
		delete(out, "")
		return out, true
	case []any:
		out := make([]any, len(v))
		for i := range v {
			if out[i], whole = n.rename(v[i]); !whole {
				return nil, false
			}
		}
		return out, true
	}
	return v, true
}

// plain reports whether a path is the file's own: pi replaces what others have in it.
func plain(path string) bool {
	odd := func(r rune) bool { return unicode.IsSpace(r) && r != ' ' }
	return path != "" && !strings.ContainsAny(path[:1], "~@") && !strings.HasPrefix(path, "file:") && !strings.ContainsFunc(path, odd)
}

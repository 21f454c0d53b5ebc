// Package plugin has the permissions that our plugins of opencode, Kilo and pi bring: what each sends,
// and what it gets back.
//
// It turns one into the other and touches nothing. The rule that must hold here: a call of which
// not all is known is shown as its agent has it, and nothing is allowed but by a decision that says so.
package plugin

import (
	"strings"
	"unicode"
)

// Decided is what the details of the dialect permission say.
type Decided struct {
	Decision string // allow or deny; anything else is none
	Always   *int   // which of the rules that were proposed
	Reason   string
}

// names has, for each member of a tool's input, the name by which the dialect permission has it;
// empty where it changes nothing of what is done.
type names map[string]string

// asked says in the dialect's members what a call with the input would do. It is nil where not all of
// that is known.
func (n names) asked(input any) map[string]any {
	renamed, known := n.rename(input)
	in, object := renamed.(map[string]any)
	if !known || !object {
		return nil
	}
	path, changes := in["path"].(string)
	if !changes {
		if in["command"] == nil && in["url"] == nil {
			return nil
		}
		return in
	}
	one := map[string]any{}
	for _, name := range []string{"old", "new", "all"} {
		if value, there := in[name]; there {
			one[name] = value
			delete(in, name)
		}
	}
	_, several := in["replace"]
	switch {
	case !plain(path), several && len(one) > 0:
		return nil
	case len(one) > 0 && one["old"] == "": // how opencode makes a file
		in["content"] = one["new"]
	case len(one) > 0:
		in["replace"] = []any{one}
	}
	return map[string]any{"file": in}
}

// rename returns v with the dialect's names; known is false where a member has none.
func (n names) rename(v any) (renamed any, known bool) {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			to, there := n[name]
			if out[to], known = n.rename(value); !there || !known {
				return nil, false
			}
		}
		delete(out, "")
		return out, true
	case []any:
		out := make([]any, len(v))
		for i := range v {
			if out[i], known = n.rename(v[i]); !known {
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

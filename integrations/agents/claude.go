package agents

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// claude is Claude Code (docs/agents.md). The hook answers its own tool
// AskUserQuestion and is subject to none of what befalls MCP calls there:
// permissions, tool search, moving to the background. The MCP server is for
// `claude -p`, which does not offer that tool.
var claude = Agent{
	Name:   "claude",
	Parts:  []string{"hook", MCP},
	Plugin: claudePlugin,
	files: func(o Options, has func(string) bool) []file {
		dir, servers := o.dir("CLAUDE_CONFIG_DIR", ".claude"), filepath.Join(o.Home, ".claude.json")
		if o.Env("CLAUDE_CONFIG_DIR") != "" {
			servers = filepath.Join(dir, ".claude.json")
		}
		if o.Project != "" {
			dir, servers = filepath.Join(o.Project, ".claude"), filepath.Join(o.Project, ".mcp.json")
		}
		settings := inJSON{}
		var what []string
		if has("hook") {
			settings.edits, what = append(settings.edits, claudeHook(hint.Word(o.Binary))), append(what, "hook")
		}
		if has(MCP) {
			settings.edits, what = append(settings.edits, claudeEnv...), append(what, "settings of the MCP server")
		}
		files := []file{{strings.Join(what, ", "), filepath.Join(dir, "settings.json"), settings}}
		if has(MCP) {
			files = append(files, file{"MCP server", servers, inJSON{[]edit{claudeServer(o, true)}}})
		}
		return files
	},
}

// claudeHook is the element of hooks.PreToolUse.
func claudeHook(binary string) edit {
	return edit{
		path: []string{"hooks", "PreToolUse"}, element: true,
		value: object{
			{"matcher", "AskUserQuestion"},
			{"hooks", []any{object{
				{"type", "command"}, {"command", binary + " hook claude"}, {"timeout", forever},
			}}},
		},
		runs: func(value []byte) string {
			var matcher struct {
				Hooks []struct{ Command string }
			}
			_ = json.Unmarshal(value, &matcher) // what is not like ours is not ours
			for _, h := range matcher.Hooks {
				if strings.HasSuffix(h.Command, " hook claude") {
					return h.Command
				}
			}
			return ""
		},
	}
}

// claudeServer is the server's entry; limit is whether claudeEnv goes with it.
func claudeServer(o Options, limit bool) edit {
	return edit{
		path: []string{"mcpServers", server},
		value: object{
			{"type", "stdio"}, {"command", o.Binary}, {"args", o.mcp(limit)},
			{"timeout", forever * 1000}, {"alwaysLoad", true},
		},
		runs: commandMember,
	}
}

// claudeEnv lets calls of our server run unasked, and wait in the foreground:
// after two minutes Claude would go on without the answer, and after half an
// hour take the call for idle.
var claudeEnv = []edit{
	{path: []string{"env", "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"}, value: "0"},
	{path: []string{"env", "CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT"}, value: "604800000"}, // forever
	{path: []string{"permissions", "allow"}, element: true, value: "mcp__" + server},
}

// commandMember is the command of a server with its arguments.
func commandMember(value []byte) string {
	var entry struct {
		Command string
		Args    []string
	}
	if err := json.Unmarshal(value, &entry); err != nil || entry.Command == "" {
		return "(nothing that can be read)"
	}
	return strings.Join(append([]string{entry.Command}, entry.Args...), " ")
}

// object is a JSON object whose members keep their order.
type object []struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var members []string
	for _, m := range o {
		members = append(members, encode(m.name)+":"+encode(m.value))
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

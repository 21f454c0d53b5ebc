package agents

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings/edit"
)

// claude is Claude Code (docs/agents.md). The hook answers its own tool
// AskUserQuestion and is subject to none of what befalls MCP calls there:
// permissions, tool search, moving to the background. The MCP server is for
// `claude -p`, which does not offer that tool.
var claude = Agent{
	Name:    "claude",
	Parts:   []string{"hook", MCP},
	Default: []string{"hook"},
	Plugin:  claudePlugin,
	files: func(o Options) []file {
		dir, servers := host.Dir(o.Home, o.Env("CLAUDE_CONFIG_DIR"), ".claude"), filepath.Join(o.Home, ".claude.json")
		if o.Env("CLAUDE_CONFIG_DIR") != "" {
			servers = filepath.Join(dir, ".claude.json")
		}
		if o.Project != "" {
			dir, servers = filepath.Join(o.Project, ".claude"), filepath.Join(o.Project, ".mcp.json")
		}
		var settings inJSON
		var what []string
		if o.has("hook") {
			settings, what = append(settings, claudeHook(hint.Word(o.Binary))), append(what, "hook")
		}
		if o.has(MCP) {
			settings, what = append(settings, claudeEnv...), append(what, "settings of the MCP server")
		}
		files := []file{{strings.Join(what, ", "), filepath.Join(dir, "settings.json"), settings}}
		if o.has(MCP) {
			files = append(files, file{"MCP server", servers, inJSON{claudeServer(o, true)}})
		}
		return files
	},
}

// claudeHook is the element of hooks.PreToolUse.
func claudeHook(binary string) entry {
	return entry{
		path: "/hooks/PreToolUse", element: true, runs: true,
		value: fmt.Sprintf(`{"matcher":"AskUserQuestion","hooks":[{"type":"command","command":%s,"timeout":%d}]}`,
			edit.JSON(binary+claudesHook), forever),
	}
}

const claudesHook = " hook claude"

// claudeServer is the server's entry; limit is whether claudeEnv goes with it.
func claudeServer(o Options, limit bool) entry {
	return entry{
		path: "/mcpServers/" + server, runs: true,
		value: fmt.Sprintf(`{"type":"stdio","command":%s,"args":%s,"timeout":%d,"alwaysLoad":true}`,
			edit.JSON(o.Binary), edit.JSON(o.mcp(limit)), forever*1000),
	}
}

// claudeEnv lets calls of our server run unasked, and wait in the foreground:
// after two minutes Claude would go on without the answer, and after half an
// hour take the call for idle.
var claudeEnv = []entry{
	{path: "/env/CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", value: `"0"`},
	{path: "/env/CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", value: `"604800000"`}, // forever
	{path: "/permissions/allow", element: true, value: `"mcp__` + server + `"`},
}

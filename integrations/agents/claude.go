package agents

import (
	"fmt"
	"go/version"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// claudeFiles puts the server into the file that Claude Code keeps servers in, and all else into its
// settings.
func claudeFiles(o Options) []file {
	dir, servers := o.dir("CLAUDE_CONFIG_DIR", ".claude", ".claude"), filepath.Join(o.Home, ".claude.json")
	switch {
	case o.Project != "":
		servers = filepath.Join(o.Project, ".mcp.json")
	case o.Env("CLAUDE_CONFIG_DIR") != "":
		servers = filepath.Join(dir, ".claude.json")
	}
	settings := filepath.Join(dir, "settings.json")
	return []file{
		{hook, "hook for questions", settings, claudeHooks(o)},
		// Those for all tools say nothing of a tool that is none of theirs.
		{Permissions, forPermissions, settings, inJSON{o.hooked("PermissionRequest", "*", "claude "+Permissions, forever)}},
		{Auto, "hook for auto mode", settings, inJSON{o.hooked("PreToolUse", "*", "claude "+Auto, autoLimit)}},
		{Plans, "hook for plans", settings, inJSON{o.hooked("PermissionRequest", "ExitPlanMode", "claude "+Plans, forever)}},
		{MCP, "settings of the MCP server", settings, claudeEnv},
		{MCP, Server, servers, inJSON{claudeServer(o)}},
	}
}

// besideFrom is the oldest Claude Code of which was seen that its own dialog stands beside a
// PermissionRequest hook, and that its transcript tells how that ended.
const besideFrom = "2.1.329"

// Elicitations names, on the hook's command line, the forms of MCP servers, which belong to the hook.
const Elicitations = "elicitations"

// claudeHooks makes the elements of hooks.PermissionRequest and hooks.Elicitation or, where Claude Code
// is older or its version is not known, that of hooks.PreToolUse. Where both hooks for questions are
// there, the dialog never shows.
func claudeHooks(o Options) inJSON {
	said, _, _ := strings.Cut(o.Version(), " ")                // of “2.1.329 (Claude Code)”
	beside := version.Compare("go"+said, "go"+besideFrom) >= 0 // Go's versions are three numbers, too; none is the least
	questions, elicitations := o.hooked("PermissionRequest", "AskUserQuestion", "claude", forever), o.hooked("Elicitation", "", "claude "+Elicitations, forever)
	older := o.hooked("PreToolUse", "AskUserQuestion", "claude", forever)
	questions.gone, older.gone, elicitations.gone = !beside, beside, !beside
	return inJSON{questions, older, elicitations}
}

// autoLimit bounds, in seconds, how long a call waits for the hook of Auto, which asks nobody.
const autoLimit = 10

// claudeServer makes the server's entry, with which claudeEnv goes.
func claudeServer(o Options) entry {
	return entry{path: "/mcpServers/" + ServerName, runs: true,
		value: fmt.Sprintf(`{"type":"stdio","command":%s,"args":%s,"timeout":%d,"alwaysLoad":true}`,
			hint.JSON(o.Binary), hint.JSON(o.mcp(forever)), forever*1000)}
}

// claudeEnv lets calls of our server run unasked, and wait in the foreground:
// after two minutes Claude would go on without the answer, and after half an
// hour take the call for idle.
var claudeEnv = inJSON{
	{path: "/env/CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", value: `"0"`},
	{path: "/env/CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", value: `"604800000"`}, // forever
	{path: "/permissions/allow", element: true, value: `"mcp__` + ServerName + `"`},
}

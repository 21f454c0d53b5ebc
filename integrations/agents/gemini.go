package agents

import (
	"fmt"
	"path/filepath"

	"github.com/askpane/askpane/settings/edit"
)

// gemini is Gemini CLI (docs/agents.md). Unless it trusts a server, `gemini -p`
// does not offer its tools.
var gemini = Agent{
	Name:  "gemini",
	Parts: []string{MCP},
	files: func(o Options) []file {
		dir := filepath.Join(o.Home, ".gemini")
		if o.Project != "" {
			dir = filepath.Join(o.Project, ".gemini")
		}
		return []file{{"MCP server", filepath.Join(dir, "settings.json"), inJSON{{
			path: "/mcpServers/" + server, runs: true,
			value: fmt.Sprintf(`{"command":%s,"args":%s,"timeout":%d,"trust":true}`,
				edit.JSON(o.Binary), edit.JSON(o.mcp(true)), forever*1000),
		}}}}
	},
}

package agents

import "path/filepath"

// gemini is Gemini CLI (docs/agents.md). Unless it trusts a server, `gemini -p`
// does not offer its tools.
var gemini = Agent{
	Name:  "gemini",
	Parts: []string{MCP},
	files: func(o Options, _ func(string) bool) []file {
		dir := filepath.Join(o.Home, ".gemini")
		if o.Project != "" {
			dir = filepath.Join(o.Project, ".gemini")
		}
		entry := edit{
			path: []string{"mcpServers", server},
			value: object{
				{"command", o.Binary}, {"args", o.mcp(true)}, {"timeout", forever * 1000}, {"trust", true},
			},
			runs: commandMember,
		}
		return []file{{"MCP server", filepath.Join(dir, "settings.json"), inJSON{[]edit{entry}}}}
	},
}

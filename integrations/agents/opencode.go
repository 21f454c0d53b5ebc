package agents

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

//go:embed files/opencode.ts
var opencodePlugin string

// opencode (docs/agents.md): the plugin answers its own tool `question` from our
// popup; the MCP server is for `opencode run`, which does not offer that tool.
var opencode = Agent{
	Name:    "opencode",
	Parts:   []string{MCP, "plugin"},
	Default: []string{MCP, "plugin"},
	files: func(o Options, has func(string) bool) []file {
		dir := filepath.Join(o.dir("XDG_CONFIG_HOME", ".config"), "opencode")
		config, plugins := dir, filepath.Join(dir, "plugins")
		if o.Project != "" {
			config, plugins = o.Project, filepath.Join(o.Project, ".opencode", "plugins")
		}
		var files []file
		if has(MCP) {
			entry := edit{
				path: []string{"mcp", server},
				value: object{
					{"type", "local"}, {"command", append([]string{o.Binary}, o.mcp(true)...)},
					{"enabled", true}, {"timeout", forever * 1000},
				},
				runs: func(value []byte) string {
					var entry struct{ Command []string }
					if err := json.Unmarshal(value, &entry); err != nil || len(entry.Command) == 0 {
						return "(nothing that can be read)"
					}
					return strings.Join(entry.Command, " ")
				},
			}
			files = append(files, file{"MCP server", opencodeConfig(config), inJSON{[]edit{entry}}})
		}
		if has("plugin") {
			text := strings.Replace(opencodePlugin, `const ASKPANE = "askpane";`, "const ASKPANE = "+encode(o.Binary)+";", 1)
			files = append(files, file{"plugin", filepath.Join(plugins, "askpane.ts"), whole{text, constant}})
		}
		return files
	},
}

// opencodeConfig is the one of opencode's two files that is there.
func opencodeConfig(dir string) string {
	withComments := filepath.Join(dir, "opencode.jsonc")
	if _, err := os.Stat(withComments); err == nil {
		return withComments
	}
	return filepath.Join(dir, "opencode.json")
}

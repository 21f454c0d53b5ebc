package agents

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings/edit"
)

//go:embed files/opencode.ts
var opencodePlugin string

// opencode (docs/agents.md): the plugin answers its own tool `question` from our
// popup; the MCP server is for `opencode run`, which does not offer that tool.
var opencode = Agent{
	Name:  "opencode",
	Parts: []string{MCP, "plugin"},
	files: func(o Options) []file {
		dir := filepath.Join(host.Dir(o.Home, o.Env("XDG_CONFIG_HOME"), ".config"), "opencode")
		config, plugins := dir, filepath.Join(dir, "plugins")
		if o.Project != "" {
			config, plugins = o.Project, filepath.Join(o.Project, ".opencode", "plugins")
		}
		var files []file
		if o.has(MCP) {
			files = append(files, file{"MCP server", opencodeConfig(config), inJSON{{
				path: "/mcp/" + server, runs: true,
				value: fmt.Sprintf(`{"type":"local","command":%s,"enabled":true,"timeout":%d}`,
					edit.JSON(append([]string{o.Binary}, o.mcp(true)...)), forever*1000),
			}}})
		}
		if o.has("plugin") {
			files = append(files, file{"plugin", filepath.Join(plugins, "askpane.ts"), o.script(opencodePlugin)})
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

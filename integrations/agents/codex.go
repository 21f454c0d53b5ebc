package agents

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/settings/edit"
)

// codex (docs/agents.md) starts servers with hardly any environment, so that what
// finds the person has to be passed on by name.
var codex = Agent{
	Name:  "codex",
	Parts: []string{MCP},
	files: func(o Options) []file {
		dir := o.dir("CODEX_HOME", ".codex")
		if o.Project != "" {
			dir = filepath.Join(o.Project, ".codex")
		}
		body := fmt.Sprintf("command = %s\nargs = %s\ntool_timeout_sec = %d\nenv_vars = [\n", edit.JSON(o.Binary), strings.ReplaceAll(edit.JSON(o.mcp(true)), ",", ", "), forever)
		for _, line := range codexEnv() {
			body += "  " + strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(edit.JSON(line), ",", ", "), "["), "]") + ",\n"
		}
		return []file{{"MCP server", filepath.Join(dir, "config.toml"), inTOML{
			table: []string{"mcp_servers", server},
			body:  body + "]\n",
		}}}
	},
}

// codexEnv are the variables of the hosts, of desktop notifications, of where
// files go, and ours.
func codexEnv() [][]string {
	var lines [][]string
	for _, k := range integrations.Kinds() {
		if k.Env != nil {
			lines = append(lines, k.Env)
		}
	}
	return append(lines,
		[]string{"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_SESSION_TYPE"},
		[]string{"DBUS_SESSION_BUS_ADDRESS"},
		[]string{"ASKPANE_SPOOL", "ASKPANE_HOST"})
}

package agents

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings/edit"
)

// codex (docs/agents.md) starts servers with hardly any environment, so that what
// finds the person has to be passed on by name.
var codex = Agent{
	Name:  "codex",
	Parts: []string{MCP},
	files: func(o Options) []file {
		dir := host.Dir(o.Home, o.Env("CODEX_HOME"), ".codex")
		if o.Project != "" {
			dir = filepath.Join(o.Project, ".codex")
		}
		table := inTOML(fmt.Sprintf("command = %s\nargs = %s\ntool_timeout_sec = %d\nenv_vars = %s\n",
			edit.JSON(o.Binary), inWords(o.mcp(true)), forever, inWords(codexEnv())))
		return []file{{"MCP server", filepath.Join(dir, "config.toml"), table}}
	},
}

// inWords is a list with blanks in it.
func inWords(words []string) string { return strings.ReplaceAll(edit.JSON(words), ",", ", ") }

// codexEnv are the variables of the hosts, of desktop notifications, of where
// files go, and ours.
func codexEnv() (names []string) {
	for _, k := range integrations.Kinds() {
		names = append(names, k.Env...)
	}
	return append(names, "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_SESSION_TYPE",
		"DBUS_SESSION_BUS_ADDRESS", "ASKPANE_SPOOL", "ASKPANE_HOST")
}

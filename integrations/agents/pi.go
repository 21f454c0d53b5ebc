package agents

import (
	_ "embed"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings/edit"
)

//go:embed files/pi.ts
var piExtension string

// pi loads every .ts file of its extensions' folders, in a project only once the
// person trusts it (docs/agents.md).
var pi = Agent{
	Name:  "pi",
	Parts: []string{"extension"},
	Ours:  true,
	files: func(o Options) []file {
		dir := host.Dir(o.Home, o.Env("PI_CODING_AGENT_DIR"), ".pi", "agent")
		if o.Project != "" {
			dir = filepath.Join(o.Project, ".pi")
		}
		tools := append([]Tool{}, o.Tools...) // a list, also if there is none
		text := strings.Replace(piExtension, `const TOOLS: Tool[] = [];`, "const TOOLS: Tool[] = "+edit.JSON(tools)+";", 1)
		return []file{{"extension", filepath.Join(dir, "extensions", "askpane.ts"), o.script(text)}}
	},
}

// script is a file of ours in TypeScript, which has to know where askpane is.
func (o Options) script(text string) kind {
	text = strings.Replace(text, `const ASKPANE = "askpane";`, "const ASKPANE = "+edit.JSON(o.Binary)+";", 1)
	return inLines{comment: "//", binary: o.Binary, lines: text, fit: alone}
}

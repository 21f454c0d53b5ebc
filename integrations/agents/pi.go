package agents

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
)

//go:embed files/pi.ts
var piExtension string

// pi loads every .ts file of its extensions' folders, in a project only once the
// person trusts it (docs/agents.md).
var pi = Agent{
	Name:  "pi",
	Parts: []string{"extension"},
	Ours:  true,
	files: func(o Options, _ func(string) bool) []file {
		dir := o.dir("PI_CODING_AGENT_DIR", ".pi", "agent")
		if o.Project != "" {
			dir = filepath.Join(o.Project, ".pi")
		}
		text := strings.Replace(piExtension, `const ASKPANE = "askpane";`, "const ASKPANE = "+encode(o.Binary)+";", 1)
		type tool struct {
			Name    string `json:"name"`
			Dialect string `json:"dialect"`
		}
		tools := []tool{}
		for _, t := range o.Tools {
			tools = append(tools, tool(t))
		}
		text = strings.Replace(text, `const TOOLS: Tool[] = [];`, "const TOOLS: Tool[] = "+encode(tools)+";", 1)
		return []file{{"extension", filepath.Join(dir, "extensions", "askpane.ts"), whole{text, constant}}}
	},
}

// constant is how our scripts say where askpane is.
const constant = "const ASKPANE = "

// encode is a value as JSON, which is JavaScript too.
func encode(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only our own values come here
	}
	return strings.TrimSpace(b.String())
}

package agents

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

var (
	//go:embed files/SKILL.md
	skillText string
	//go:embed files/plugin-README.md
	pluginReadme string
)

// Skill is the agent skill that teaches a model to ask from a shell, as a
// folder: it is what has to be written into dir.
func Skill(dir string, o Options) ([]Step, error) {
	text := strings.ReplaceAll(skillText, "ASKPANE", hint.Word(o.Binary))
	return folder(dir, map[string]string{"SKILL.md": text}, []string{"SKILL.md"})
}

// claudePlugin is a plugin folder for Claude Code with the hook and the MCP
// server. A plugin cannot set claudeEnv, so the server has to return a receipt
// before Claude moves a call to the background.
func claudePlugin(dir, version string, o Options) ([]Step, error) {
	hook := claudeHook(hint.Word(o.Binary))
	entry := claudeServer(o, false)
	texts := map[string]string{
		".claude-plugin/plugin.json": indented(object{
			{"name", "askpane"}, {"version", version},
			{"description", "Questions open in a popup, in the terminal multiplexer you use"},
			{"author", object{{"name", "askpane"}}}, {"license", "MIT"},
		}),
		"hooks/hooks.json": indented(object{{"hooks", object{{"PreToolUse", []any{hook.value}}}}}),
		".mcp.json":        indented(object{{"mcpServers", object{{server, entry.value}}}}),
		"README.md":        pluginReadme,
	}
	return folder(dir, texts, []string{".claude-plugin/plugin.json", "hooks/hooks.json", ".mcp.json", "README.md"})
}

// folder is a folder of files that are all ours.
func folder(dir string, texts map[string]string, order []string) ([]Step, error) {
	var steps []Step
	for _, name := range order {
		path := filepath.Join(dir, name)
		before, err := read(path)
		if err != nil {
			return nil, err
		}
		steps = append(steps, Step{What: name, Path: path, Snippet: texts[name], before: before, after: []byte(texts[name]),
			Changed: string(before) != texts[name]})
	}
	return steps, nil
}

func indented(v any) string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // only our own values come here
	}
	return string(raw) + "\n"
}

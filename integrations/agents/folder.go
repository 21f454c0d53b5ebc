package agents

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/edit"
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
	return folder(dir, map[string]string{"SKILL.md": text})
}

// claudePlugin is a plugin folder for Claude Code with the hook and the MCP
// server. A plugin cannot set claudeEnv, so the server has to return a receipt
// before Claude moves a call to the background.
func claudePlugin(dir string, o Options) ([]Step, error) {
	texts := map[string]string{
		".claude-plugin/plugin.json": indented(fmt.Sprintf(`{"name":"askpane","version":%s,`+
			`"description":"Questions open in a popup, in the terminal multiplexer you use",`+
			`"author":{"name":"askpane"},"license":"MIT"}`, edit.JSON("1.0.0"))),
		"hooks/hooks.json": indented(`{"hooks":{"PreToolUse":[` + claudeHook(hint.Word(o.Binary)).value + `]}}`),
		".mcp.json":        indented(`{"mcpServers":{"` + server + `":` + claudeServer(o, false).value + `}}`),
		"README.md":        pluginReadme,
	}
	return folder(dir, texts)
}

// folder is a folder of files that are all ours.
func folder(dir string, texts map[string]string) (steps []Step, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		s := Step{What: name, Path: filepath.Join(dir, name), Snippet: texts[name], after: []byte(texts[name])}
		if s.before, err = read(s.Path); err != nil {
			return nil, err
		}
		s.Changed = !bytes.Equal(s.before, s.after)
		steps = append(steps, s)
	}
	return steps, nil
}

func indented(raw string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(raw), "", "  "); err != nil {
		panic(err) // it is ours alone
	}
	return b.String() + "\n"
}

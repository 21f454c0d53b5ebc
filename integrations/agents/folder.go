package agents

import (
	"cmp"
	_ "embed"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

//go:embed files/SKILL.md
var skillText string

// skill teaches a model to ask from a shell, in the folder that the options name; where that is called
// skills, in a folder of it, which is where agents look. Otherwise it is in those that Check knows.
var skill = Agent{Name: "skill", Parts: []string{skillFile}, Carriers: []string{skillFile}, Dir: "~/.claude/skills",
	Use: "write a skill folder that teaches a model to ask from a shell", files: func(o Options) (files []file) {
		folders := []string{o.Dir}
		if o.Dir == "" {
			home := cmp.Or(o.Project, o.Home)
			folders = []string{filepath.Join(home, ".claude", "skills"), filepath.Join(home, ".agents", "skills")}
		}
		for _, dir := range folders {
			if filepath.Base(dir) == "skills" {
				dir = filepath.Join(dir, ServerName)
			}
			files = append(files, file{skillFile, skillFile, filepath.Join(dir, skillFile), o.skill()})
		}
		return files
	}}

const skillFile = "SKILL.md"

// skill finds itself by its example, which runs us.
func (o Options) skill() inText {
	text := strings.ReplaceAll(skillText, "ASKPANE", hint.Word(o.Binary))
	return inText{text: text, find: func(content []byte) ([]span, string, error) {
		m := regexp.MustCompile("(?m)^(.*askpane.*) ask --agent ").FindSubmatch(content)
		if m == nil {
			return nil, "", nil
		}
		return []span{{0, len(content)}}, string(m[1]), nil
	}, fit: func(content []byte, _ int) (int, string, error) { return alone(content, text) }}
}

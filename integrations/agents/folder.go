package agents

import (
	"bytes"
	"cmp"
	_ "embed"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

//go:embed files/SKILL.md
var skillText string

// Skill is the agent skill that teaches a model to ask from a shell, in dir; where that is
// called skills, in a folder of it, which is where agents look.
func Skill(dir string) Agent {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if filepath.Base(dir) == "skills" {
		dir = filepath.Join(dir, server)
	}
	return Agent{Name: "skill", Parts: []string{skillFile}, Carriers: []string{skillFile}, files: func(o Options) []file {
		return []file{{skillFile, skillFile, filepath.Join(dir, skillFile), o.skill()}}
	}}
}

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

// skills has the folders that agents look for skills in, as far as Check knows them.
var skills = Agent{Name: "skill", Parts: []string{skillFile}, Carriers: []string{skillFile}, files: func(o Options) (files []file) {
	for _, dir := range []string{".claude", ".agents"} {
		files = append(files, file{skillFile, skillFile, filepath.Join(cmp.Or(o.Project, o.Home), dir, "skills", server, skillFile), o.skill()})
	}
	return files
}}

// folder plans a folder of files that are all ours.
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

package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The words of permissions and of chatWhen, the least first: of a permission, never is the agent's own
// prompt alone.
const (
	Never  = "never"
	Away   = "away"
	Always = "always"
)

var ranking = []string{Never, Away, Always}

// less returns the less of two of them; what is not known here counts as never.
func less(one, other string) string {
	return ranking[max(0, min(slices.Index(ranking, one), slices.Index(ranking, other)))]
}

// stricter adds what a project says of a setting that it can only make stricter.
func (s *Settings) stricter(name string, values []string) {
	if s.projects == nil {
		s.projects = map[string][]string{}
	}
	s.projects[name] = append(s.projects[name], values...)
}

// permissionRule reads an element of permissions: a word, for an agent's tool or, without one, for all.
func permissionRule(rule string) (agent, tool, word string, fits bool) {
	of, word, some := strings.Cut(rule, "=")
	if !some {
		of, word = "*/*", rule
	}
	agent, tool, both := strings.Cut(of, "/")
	_, badAgent := path.Match(agent, "")
	_, badTool := path.Match(tool, "")
	return agent, tool, strings.TrimSpace(word), both && badAgent == nil && badTool == nil && slices.Contains(ranking, strings.TrimSpace(word))
}

// PermissionFor returns when an agent's tool is asked for here. The last rule that fits counts, and of
// a project's what is less.
func (s *Settings) PermissionFor(agent, tool string) string {
	last := func(rules []string, otherwise string) string {
		for _, rule := range slices.Backward(rules) {
			a, t, word, _ := permissionRule(rule)
			if matches(a, agent) && matches(t, tool) {
				return word
			}
		}
		return otherwise
	}
	ours := last(s.Permissions, Away)
	return less(ours, last(s.projects["permissions"], ours))
}

// SurfacesOf returns where permissions are decided.
func (s *Settings) SurfacesOf(dangerous bool) (surfaces []string) {
	for _, one := range s.PermissionSurfaces {
		if theirs, said := s.projects["permissionSurfaces"]; (!said || slices.Contains(theirs, one)) && !(dangerous && one == "machines") {
			surfaces = append(surfaces, one)
		}
	}
	return surfaces
}

// Danger returns what has to be typed before a tool is allowed, or what its input, an object in JSON, says
// of a command: what of that is dangerous. It is empty where nothing is. A pattern finds what is written,
// and not all that a shell can be made to do.
func (s *Settings) Danger(tool string, input []byte) string {
	return fits(slices.Concat(s.PermissionDangerous, s.projects["permissionDangerous"]), tool, input)
}

// Asks reports whether that needs a permission in an agent that asks for none itself.
func (s *Settings) Asks(tool string, input []byte) bool {
	return fits(slices.Concat(s.PermissionAsk, s.projects["permissionAsk"]), tool, input) != ""
}

// fits returns what of a tool or its commands one of the patterns finds; empty where none does.
func fits(patterns []string, tool string, input []byte) string {
	var in any
	_ = json.Unmarshal(input, &in) // what cannot be read runs nothing
	// A line that ends in a pipe goes on. What stands in quotes may be a command, or part of a word; and not each
	// quote has another one, as in a text that is passed on.
	commands := regexp.MustCompile(`\|&?(\s+(#.*)?)+`).ReplaceAllString(commandsIn(in), "| ")
	inner := regexp.MustCompile(enclosed).ReplaceAllStringFunc(commands, inert.Replace)
	var readings [][]string
	for _, reading := range []string{commands, inner, strings.NewReplacer("'", "", `"`, "").Replace(commands)} {
		readings = append(readings, strings.Fields(separators.Replace(reading)))
	}
	for _, pattern := range patterns {
		words := strings.Fields(pattern)
		if len(words) == 1 && matches(words[0], tool) {
			return tool
		}
		for _, tokens := range readings {
			if found := search(words, tokens); found != nil {
				return strings.Join(found, " ")
			}
		}
	}
	return ""
}

// commandsIn returns what is called a command in a value of JSON, however deep, a line each, with its args.
func commandsIn(value any) (commands string) {
	switch in := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(in)) {
			if name == "command" {
				commands += fmt.Sprintln(in[name], cmp.Or(in["args"], any(""))) // where there are none, nil would be a word
			} else {
				commands += commandsIn(in[name])
			}
		}
	case []any:
		for _, value := range in {
			commands += commandsIn(value)
		}
	}
	return commands
}

// separators end a command, each as one token. Where a pipe ends it, a pattern may go on, and it may have a (
// before what a shell puts in. That ($X, ${X}, $(…)) ends none: after it there may be more, as behind the & of an address or of 2>&1.
var separators = strings.NewReplacer("\\\n", "", `\`, "", "'", " ", `"`, " ", "||", " ; ", "&&", " ; ", "|&", " | ", "|", " | ", ";", " ; ", "&", " ", "\n", " ; ", "(", " ( ", ")", " ", "{", " ", "}", " ", ",", " ",
	"`", " ( ", "$", " ", "<", " ", ">", " ", "=", " ", "[", " ", "]", " ")

// enclosed matches what a shell takes as one word, skips, or puts the output of in its place; inert drops what would end a command there.
const enclosed = `'[^']*'|"(?:\\(?s:.)|[^"\\])*"|\\(?s:.)|\s#.*|\$\([^()]*\)|` + "`[^`]*`"

var inert = strings.NewReplacer("\\\n", "", "\n", " ", ";", " ", "|", " ", "&", " ", "'", "", `"`, "", `\`, "")

// search returns the tokens that the words of a pattern match: in order, within one command, or
// beyond a pipe where the pattern has one. Nil is none. It reads each token once: an agent writes them.
func search(words, tokens []string) []string {
	found := make([][]string, len(words)+1) // by the first 0, 1, … words
	found[0] = []string{}
	for _, token := range tokens {
		separator := strings.Contains("; | (", token)
		for i, word := range slices.Backward(words) {
			said := found[i]
			if i > 0 && (token == ";" || token == "|" && word != "|") {
				found[i] = nil
			}
			if said != nil && (word == token || !separator && matches(word, token)) {
				found[i+1] = append(slices.Clip(said), token)
			}
		}
		if all := found[len(words)]; all != nil {
			all[0] = path.Base(all[0])
			return all
		}
	}
	return nil
}

// matches reports whether a word fits a pattern, by itself or as the name of a program in a path.
func matches(pattern, word string) bool {
	whole, _ := path.Match(pattern, word)
	name, _ := path.Match(pattern, path.Base(word))
	return whole || name
}

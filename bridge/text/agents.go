package text

import "slices"

// KnownAgent has what is said of an agent, and by which it is told.
type KnownAgent struct {
	Name    string // as askpane install has it, and the command that starts it
	Product string // what its maker calls it
	// Sets is a variable that it sets for what it starts (docs/dev/agents.md, What was
	// measured); empty where none is known.
	Sets string
}

// Agents lists them. Where the variables of several are set, the first of them counts.
var Agents = []KnownAgent{
	{"claude", "Claude Code", "CLAUDECODE"},
	{"opencode", "opencode", "OPENCODE"},
	{"gemini", "Gemini CLI", "GEMINI_CLI"},
	{"pi", "pi", "PI_CODING_AGENT"},
	{"kilo", "Kilo CLI", ""},
	{"codex", "Codex", ""},
	{"qwen", "Qwen Code", ""},
	{"copilot", "Copilot CLI", ""},
	{"cline", "Cline", ""},
}

// Known finds the agent of that name.
func Known(name string) (a KnownAgent, ok bool) {
	if i := slices.IndexFunc(Agents, func(a KnownAgent) bool { return a.Name == name }); i >= 0 {
		return Agents[i], true
	}
	return a, false
}

// Product names an agent where it stands for its own dialog, as “Claude Code”.
func Product(agent string) string {
	if a, ok := Known(agent); ok {
		return a.Product
	}
	return Agent(agent, 24)
}

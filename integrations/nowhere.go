package integrations

import (
	"slices"

	"github.com/askpane/askpane/integrations/tty"
)

// nowhere is why no host at all can be used.
type nowhere struct{ error }

// Cure is what the person can do about it, for an agent by askpane's name for it,
// as the end of a sentence; empty where the agent runs on no terminal.
func (nowhere) Cure(agent string) string {
	if _, err := tty.Own(); err != nil {
		return ""
	}
	return "; run the agent in a multiplexer such as tmux, or start the agent with: " + Instead(agent)
}

// Instead is what to start instead of an agent that would run on a plain terminal.
func Instead(agent string) string {
	// Their commands are called as they are.
	if !slices.Contains([]string{"claude", "codex", "gemini", "opencode", "pi"}, agent) {
		agent = "AGENT"
	}
	return "askpane run -- " + agent
}

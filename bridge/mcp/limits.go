package mcp

import (
	"strconv"
	"strings"
	"time"
)

// noLimit is a client that waits for ever.
const noLimit time.Duration = 0

// program is an agent's program as an MCP client.
type program struct {
	agent string // as askpane ask guesses it, so that both are one agent
	limit func(progress bool, env func(string) string) time.Duration
}

// clients are the agents' programs by the name that they send in clientInfo,
// and for how long each waits for a call unless it is configured otherwise
// (docs/mcp.md says how each limit is known).
var clients = map[string]program{
	"claude-code":           {"claude", claudeLimit},
	"opencode":              {"opencode", opencodeLimit},
	"codex-mcp-client":      {"codex", fixed(120 * time.Second)}, // 130 s were waited for
	"gemini-cli-mcp-client": {"gemini", fixed(geminiLimit)},
	"copilot-cli":           {"copilot", fixed(unknownLimit)},
	"@cline/core":           {"cline", fixed(60 * time.Second)},
	"qwen-cli-mcp-client":   {"qwen", fixed(5 * time.Minute)},
}

// clientNamed is the client with that name; some put the server's after it.
func clientNamed(name string) program {
	const suffix = "-mcp-client"
	if before, _, ok := strings.Cut(name, suffix+"-"); ok {
		name = before + suffix
	}
	if c, known := clients[name]; known {
		return c
	}
	return program{limit: fixed(unknownLimit)}
}

// geminiLimit: 70 s were waited for; the default is said to be longer.
const geminiLimit = 65 * time.Second

// unknownLimit is the default of the TypeScript SDK, which most clients use.
const unknownLimit = 60 * time.Second

func fixed(d time.Duration) func(bool, func(string) string) time.Duration {
	return func(bool, func(string) string) time.Duration { return d }
}

// opencodeLimit: each progress notification begins its 60 s anew.
func opencodeLimit(progress bool, _ func(string) string) time.Duration {
	if progress {
		return noLimit
	}
	return 60 * time.Second
}

// claudeLimit is the first that passes of three: after two minutes an
// interactive session goes on without the call, in the background; after half
// an hour the call counts as idle; and the person's own limit. Claude Code hands
// its environment to its servers, so what is set there is known here.
func claudeLimit(_ bool, env func(string) string) time.Duration {
	limit := 30 * time.Minute
	for _, l := range []struct {
		name     string
		standard time.Duration
	}{
		{"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", 2 * time.Minute},
		{"CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", limit},
		{"MCP_TOOL_TIMEOUT", limit},
	} {
		d := l.standard
		if ms, err := strconv.Atoi(env(l.name)); err == nil && ms >= 0 {
			d = time.Duration(ms) * time.Millisecond
		}
		if d > 0 { // 0 switches it off
			limit = min(limit, d)
		}
	}
	return limit
}

// receiptAfter is when a call that the client gives up after limit returns a
// receipt: in time, on a busy machine too.
func receiptAfter(limit time.Duration) time.Duration { return limit - min(5*time.Second, limit/4) }

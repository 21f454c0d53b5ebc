package mcp

import (
	"strconv"
	"strings"
	"time"
)

const noLimit time.Duration = 0 // the client waits for ever

// program describes an agent's program as an MCP client.
type program struct {
	agent  string // as askpane ask guesses it, so that both are one agent
	limit  time.Duration
	silent bool // it says nothing of a call that it gives up
	images bool // it hands the images of a result to its model, also beside structured content
}

// clients has the agents' programs by the name that they send in clientInfo. Each waits
// so long for a call unless it is configured otherwise (docs/dev/mcp.md says how each
// limit is known).
var clients = map[string]program{
	"claude-code":           {agent: "claude", limit: 30 * time.Minute},
	"opencode":              {agent: "opencode", limit: 60 * time.Second},
	"codex-mcp-client":      {agent: "codex", limit: 120 * time.Second},                             // 130 s were waited for
	"gemini-cli-mcp-client": {agent: "gemini", limit: 65 * time.Second, silent: true, images: true}, // 70 s were waited for; the default is said to be longer
	"copilot-cli":           {agent: "copilot", limit: 60 * time.Second},
	"@cline/core":           {agent: "cline", limit: 60 * time.Second, silent: true},
	"qwen-cli-mcp-client":   {agent: "qwen", limit: 5 * time.Minute},
}

// clientNamed finds the client of that name; some put the server's after it. An unknown
// one gets the limit of the TypeScript SDK, which most clients use.
func clientNamed(name string) program {
	const suffix = "-mcp-client"
	if before, _, ok := strings.Cut(name, suffix+"-"); ok {
		name = before + suffix
	}
	if c, known := clients[name]; known {
		return c
	}
	return program{limit: 60 * time.Second}
}

// callLimit returns how long the client waits for a call, of whose progress it hears or
// not.
func (p program) callLimit(progress bool, env func(string) string) time.Duration {
	switch {
	case p.agent == "claude":
		return claudeLimit(p.limit, env)
	case p.agent == "opencode" && progress: // each notification begins its 60 s anew
		return noLimit
	}
	return p.limit
}

// claudeLimit returns the shortest of three limits: until a session goes on without the call, until the
// call counts as idle, and the person's own. Claude Code hands its environment on.
func claudeLimit(limit time.Duration, env func(string) string) time.Duration {
	for name, d := range map[string]time.Duration{
		"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS": 2 * time.Minute,
		"CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT":  limit,
		"MCP_TOOL_TIMEOUT":                   limit,
	} {
		if ms, err := strconv.Atoi(env(name)); err == nil && ms >= 0 {
			d = time.Duration(ms) * time.Millisecond
		}
		if d > 0 { // 0 switches it off
			limit = min(limit, d)
		}
	}
	return limit
}

// receiptIn leaves a call that the client gives up after limit the time to return a
// receipt, on a busy machine too. The client's own dialog has taken part of it.
func (c *call) receiptIn(limit time.Duration) time.Duration {
	return limit - min(5*time.Second, limit/4) - time.Since(c.began)
}

package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// elicits starts an agent whose server may use the agent's own dialog, and asks.
// No popup opens: the question is not in the spool.
func (a *agent) elicits(config string, args ...string) {
	a.t.Helper()
	a.edit(config, `604800"`, `604800", "--ui", "elicitation"`)
	a.start(false, args...)
}

// Claude Code has the dialog, and the protocol of 2026 in which the call itself
// says that it wants input.
func TestClaudeElicitation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key, shows, says string
	}{
		"accepted": {"", "", sqliteDetails},
		"declined": {"Down", "❯ Decline", "The user interaction was cancelled: declined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newClaude(t, "hook,mcp", calls("ask_human", database))
			a.elicits(".claude/.claude.json")
			a.promptUntil(func() bool { return strings.Contains(a.screen(), "requests your input") })
			a.step("❯   Which database?: ▸ not set", "Right", "❯ ◯ Postgres")
			a.step("❯ ◯ Postgres", "Down", "❯ ◯ SQLite")
			a.step("❯ ◯ SQLite", "Enter", "✔ Which database?: SQLite")
			a.shows("❯ Accept")
			if c.key != "" {
				a.step("❯ Accept", c.key, c.shows)
			}
			a.step("requests your input", "Enter", "")
			a.told(1, c.says)
			if left := append(a.spool.pending(), a.spool.history()...); len(left) != 0 {
				t.Errorf("it was asked in a popup too: %v", left)
			}
		})
	}
}

// Codex has the dialog in the protocol of 2025.
func TestCodexElicitation(t *testing.T) {
	t.Parallel()
	a := newCodex(t, calls("ask_human", database))
	a.elicits(".codex/config.toml", "--no-daemon", "ask me")
	a.step("› 1. Postgres", "Down", "› 2. SQLite")
	a.enters(1)
	if got := a.model.result(1); !regexp.MustCompile(`^Wall time: [0-9.]+ seconds\nOutput:\n` + regexp.QuoteMeta(sqliteDetails) + `$`).MatchString(got) {
		t.Errorf("the model was told %q", got)
	}
	if left := append(a.spool.pending(), a.spool.history()...); len(left) != 0 {
		t.Errorf("it was asked in a popup too: %v", left)
	}
}

// A form of another MCP server is filled in here, and Claude shows none.
func TestClaudeElicitationHere(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook,mcp", calls("ask_human", database))
	a.edit(".claude/.claude.json", `"askpane":`, `"shop":`)
	a.edit(".claude/settings.json", `mcp__askpane`, `mcp__shop`)
	a.edit(".claude/.claude.json", `604800"`, `604800", "--ui", "elicitation"`)
	a.start(false)
	a.promptUntil(func() bool { return len(a.spool.pending()) == 1 })
	a.asks("claude asks", "Which database?", "SQLite", "shows no dialog of its own")
	a.person.press("2")
	a.told(1, sqliteDetails)
}

// Where two hooks of ours are told of the form, in Claude's settings and in our plugin, it is filled in once.
func TestClaudeElicitationOfTwoHooks(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook,mcp", calls("ask_human", database))
	a.edit(".claude/.claude.json", `"askpane":`, `"shop":`)
	a.edit(".claude/settings.json", `mcp__askpane`, `mcp__shop`)
	a.edit(".claude/.claude.json", `604800"`, `604800", "--ui", "elicitation"`)
	plugin := marketplace(t)
	if err := os.Remove(plugin + "/.mcp.json"); err != nil { // its server
		t.Fatal(err)
	}
	a.start(false, "--plugin-dir", plugin)
	a.promptUntil(func() bool { return len(a.spool.pending()) > 0 })
	eventually(t, "one of both has ended", func() bool { return len(a.spool.history()) == 1 })
	a.asks("claude asks", "Which database?", "SQLite")
	a.person.press("2")
	a.told(1, sqliteDetails)
}

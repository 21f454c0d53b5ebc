package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// newClaude is Claude Code with the parts of ours that are named, past its
// dialogs of the first start.
func newClaude(t *testing.T, parts string, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, "claude", script...)
	a.env = []string{"ANTHROPIC_BASE_URL=" + a.model.url, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CONFIG_DIR=" + a.home + "/.claude",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false"}
	state, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{"dummy-key"}, "rejected": []string{}},
		"projects":              map[string]any{a.cwd: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.write(".claude/.claude.json", string(state))
	if parts != "" {
		a.install("--write", "--only", parts)
	}
	return a
}

// choices is a request as Claude itself sends it.
const choices = `{"questions":[
 {"question":"Which database?","header":"Database","multiSelect":false,"options":[{"label":"Postgres","description":"one"},{"label":"SQLite","description":"two"}]},
 {"question":"Which extras?","header":"Extras","multiSelect":true,"options":[{"label":"Cache","description":"c"},{"label":"Search","description":"s"},{"label":"Mail","description":"m"}]}]}`

const choice = `{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,"options":[{"label":"Postgres","description":"one"},{"label":"SQLite","description":"two"}]}]}`

// Claude's own tool is answered from the popup, beside its own dialog.
func TestClaudeHookAnswers(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choices))
	a.start(false, "ask me")
	a.asks("claude asks", "Which database?", "> 1. Postgres")
	a.person.press("n")
	a.person.see("Note on this question")
	a.person.press("the managed one", enter, tab)
	a.person.press("1")
	a.person.see("Which extras?")
	a.person.press("1", "3")
	a.person.press(down, down, down, down, enter) // the row Select
	a.person.see("Submit")
	a.person.press(enter)
	a.told(1, `The user answered: "Which database?"="Postgres" notes: the managed one, "Which extras?"="Cache, Mail". `+
		"Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.")
	a.shows(modelSaysLast)
	a.shows("Answered Claude's questions")
	a.shows("Which extras? → Cache, Mail")
}

// Who declines with a reason in the popup has the model read it.
func TestClaudeHookCancel(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choice))
	a.start(false, "ask me")
	a.asks("Which database?")
	a.person.press("\x18") // Ctrl+X
	a.person.see("Decline")
	a.person.press("1")
	a.told(1, "The person did not answer these questions, and says: explain more first")
	a.shows(modelSaysLast)
}

// Esc in Claude while the popup is open closes it, and no answer is made up.
func TestClaudeHookInterrupted(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choice))
	a.start(false, "ask me")
	a.asks("Which database?")
	a.its()
	a.keys("Escape")
	a.person.unsee("Which database?")
	eventually(t, "nothing waits in the spool", func() bool { return len(a.spool.pending()) == 0 })
	a.shows("Declined to answer")
	if n := a.model.count(); n != 0 {
		t.Errorf("%d requests carry results:\n%s", n, a.model.log())
	}
}

func TestClaudeHookKilled(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choice))
	a.start(false, "ask me")
	a.asks("Which database?")
	a.person.press("n")
	a.person.press("half a note", enter)
	a.kill()
	a.person.see("agent gone")
	a.start(false, "ask me") // the next one takes the form over, with what was typed
	a.person.unsee("agent gone")
	a.person.see("half a note")
	a.its()
	a.person.press(tab, "1")
	if got := a.model.result(1); !strings.Contains(got, `"Which database?"="Postgres" notes: half a note Recovered: the same question was asked by an earlier call`) {
		t.Errorf("the model was told %q", got)
	}
}

// Where no popup can be shown, Claude's own dialog is there as ever, and its
// answer counts.
func TestClaudeHookFallsBack(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choice))
	a.env = append(a.env, "ASKPANE_HOST=terminal") // which Claude draws on itself
	a.start(false, "ask me")
	a.shows("Which database?")
	a.step("1. Postgres", "2", "")
	a.told(1, `Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.`)
	if left := append(a.spool.pending(), a.spool.history()...); len(left) != 0 {
		t.Errorf("askpane asked too: %v", left)
	}
}

// marketplace copies the plugin that our marketplace offers, and has it run the askpane of the test.
func marketplace(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	err := os.CopyFS(dir, os.DirFS("../integrations/agents/files/plugin"))
	for _, name := range []string{"/.mcp.json", "/hooks/hooks.json"} {
		text, e := os.ReadFile(dir + name)
		text = bytes.ReplaceAll(text, []byte(`"command": "askpane`), []byte(`"command": "`+binary))
		err = errors.Join(err, e, os.WriteFile(dir+name, text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The plugin has the hook as well.
func TestClaudePlugin(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "", calls("AskUserQuestion", choice))
	plugin := marketplace(t)
	a.start(false, "--plugin-dir", plugin, "ask me")
	a.asks("claude asks", "Which database?")
	a.person.press("2")
	a.told(1, `Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.`)
}

// promptUntilAsked types the prompt again and again: with a screen, Claude does
// not wait for its servers before it asks its model.
func (a *agent) promptUntilAsked() {
	a.t.Helper()
	a.promptUntil(func() bool { return len(a.spool.pending()) > 0 })
}

func (a *agent) promptUntil(asked func() bool) {
	a.t.Helper()
	a.shows("❯")
	prompts := 0
	needs.Within(agentPatience, func() bool {
		if strings.Count(a.screen(), modelSaysLast) == prompts {
			prompts++
			a.keys("ask me", "Enter")
		}
		return asked()
	})
}

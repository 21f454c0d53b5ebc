package tests

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// These are in a file of their own, with a late name, because parallel tests start from the
// last file on: the one that takes two minutes would otherwise wait alone at the end of a run.

// A plugin cannot set how long Claude waits in the foreground, so its server
// returns a receipt before that is over, and the answer comes with the next call.
// Were the call moved to the background, the model would be told of no user's input.
func TestClaudePluginMCPWaits(t *testing.T) {
	t.Parallel()
	collect := turn{"collect_answer", func(results []string) string { return `{"id":"` + receiptID.FindString(results[0]) + `"}` }}
	a := newClaude(t, "", calls("ask_human", database), collect)
	plugin := marketplace(t)
	a.start(false, "--plugin-dir", plugin, "--allowedTools", "mcp__plugin_askpane_askpane__ask_human,mcp__plugin_askpane_askpane__collect_answer")
	a.promptUntilAsked()
	id := a.asks("claude asks", "Which database?")
	began := time.Now()
	if got := a.model.result(1); !strings.Contains(got, id) || !strings.Contains(got, "pending") {
		t.Fatalf("after %v the model was told %q, want a receipt", time.Since(began), got)
	}
	t.Logf("the receipt came after %v", time.Since(began))
	<-time.After(time.Until(began.Add(130 * time.Second))) // what is tested
	a.person.see("Which database?")
	a.picks()
	if got := a.model.result(2); !strings.Contains(got, `"label":"SQLite","selected":true`) {
		t.Errorf("the model was told %q", got)
	}
	a.shows(modelSaysLast)
	for _, r := range a.model.said() {
		if strings.Contains(r, "NOT USER INPUT") {
			t.Errorf("the model was told by a notification: %s", r)
		}
	}
}

// longWait returns how long the tests of long waits wait. Without a time they are left out,
// since they take longer than a test may.
func longWait(t *testing.T) time.Duration {
	t.Helper()
	const variable = "ASKPANE_TEST_LONG_WAIT"
	wait, err := time.ParseDuration(os.Getenv(variable))
	if err != nil {
		needs.Cannot(t, "waits of eleven minutes in Claude Code", variable+"=11m go test -timeout 20m ./tests -run 'Claude(Hook|MCP)Waits'")
	}
	return wait
}

// The answer arrives however long it takes. Ten minutes are where other ways to
// ask through Claude end.
func TestClaudeHookWaits(t *testing.T) {
	t.Parallel()
	wait := longWait(t)
	a := newClaude(t, "hook", calls("AskUserQuestion", choice))
	a.start(false, "ask me")
	a.asks("Which database?")
	<-time.After(wait) // what is tested
	a.person.see("Which database?")
	a.person.press("1")
	a.told(1, `Your questions have been answered: "Which database?"="Postgres". You can now continue with these answers in mind.`)
	a.shows(modelSaysLast)
}

// So does one through the MCP server: as it is installed, Claude does not move
// the call to the background after two minutes.
func TestClaudeMCPWaits(t *testing.T) {
	t.Parallel()
	wait := longWait(t)
	a := newClaude(t, "mcp", calls("ask_human", database))
	a.start(false)
	a.promptUntilAsked()
	a.asks("Which database?")
	<-time.After(wait) // what is tested
	a.person.see("Which database?")
	a.person.press(enter)
	a.person.see("Submit")
	a.person.press(enter)
	if got := a.model.result(1); !strings.Contains(got, `"label":"Postgres","selected":true`) {
		t.Errorf("the model was told %q", got)
	}
}

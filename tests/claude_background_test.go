package tests

import (
	"strings"
	"testing"
)

// A session in the background (claude --bg) is started by a service of Claude's, without the variables of the
// multiplexer: what it asks comes to its person in tmux all the same, and what they say counts.
func TestClaudeBackground(t *testing.T) {
	t.Parallel()
	store := calls("ask_human", strings.ReplaceAll(database, "Which database?", "Which store?"))
	a := newClaude(t, "hook,permissions,mcp", calls("AskUserQuestion", choice), calls("Bash", touch), store)
	t.Cleanup(a.endDaemons)
	a.start(false, "--bg", "--permission-mode", "default", "ask me")
	a.shows("claude attach")
	a.asks("claude asks", "Which database?")
	a.person.press("2")
	a.told(1, toldSQLite)
	a.asks("Allow Bash", "touch made.txt")
	a.counts("1", noForm)
	a.made()
	id := a.asks("Which store?")
	a.notOf(a.pane, id)
	a.picks()
	if got := a.model.result(3); !strings.Contains(got, `"SQLite"`) {
		t.Errorf("the model was told %q", got)
	}
}

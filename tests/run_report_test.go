package tests

import (
	"strings"
	"testing"
)

// In askpane run Claude Code asks whether its reports are understood, and reports then that it
// waits, which the window's title and askpane list say. Answered there it does no more.
func TestRunUnderstandsClaude(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "", calls("AskUserQuestion", choice))
	claude := a.binary
	a.binary = binary
	a.start(false, "run", "--", claude, "ask me")
	a.shows("Which database?")
	waits := func() bool {
		return strings.Contains(a.tmux("display-message", "-p", "-t", a.pane, "#{pane_title}"), "claude-code waits for you: answer: Which database?")
	}
	eventually(t, "the title says that Claude waits", waits)
	a.step("1. Postgres", "2", "")
	a.shows(modelSaysLast)
	eventually(t, "the title is Claude's own again", func() bool { return !waits() })
}

// Codex reports that without being asked.
func TestRunUnderstandsCodex(t *testing.T) {
	t.Parallel()
	a := newTmux(t)
	pane := a.tmux("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "--", "env", "TERM=xterm-256color", "HOME="+t.TempDir(), binary, "run", "--", "sh", "-c",
		`printf '\033]7501;state=blocked:app=codex:kind=permission\033\\'; read line; printf '\033]7501;state=working:app=codex\033\\'; read line`)
	title := func() string { return a.tmux("display-message", "-p", "-t", pane, "#{pane_title}") }
	eventually(t, "the title says that Codex waits", func() bool { return strings.Contains(title(), "codex waits for you: permission") })
	a.tmux("send-keys", "-t", pane, "Enter")
	eventually(t, "the title says so no more", func() bool { return !strings.Contains(title(), "codex waits") })
}

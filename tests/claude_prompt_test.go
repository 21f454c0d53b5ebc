package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newPrompted is claude -p, whose prompts come here by a tool of our server. It runs our hooks as well,
// which ask nothing then.
func newPrompted(t *testing.T, script ...turn) *agent {
	t.Helper()
	a := newClaude(t, "hook,permissions", script...)
	a.prompts("default")
	return a
}

// prompts starts it in a mode of Claude's.
func (a *agent) prompts(mode string) {
	a.t.Helper()
	a.write("servers.json", `{"mcpServers":{"asks":{"command":"`+binary+`","args":["mcp","--prompt-tool"],"timeout":604800000}}}`)
	a.start(true, "-p", "--permission-mode", mode, "--mcp-config", a.home+"/servers.json", "--permission-prompt-tool=mcp__asks__permission_prompt", "go on")
}

// A command is allowed, and another refused with a reason.
func TestClaudePromptPermission(t *testing.T) {
	t.Parallel()
	a := newPrompted(t, calls("Bash", touch), calls("Bash", `{"command":"touch other.txt","description":"Make another"}`))
	a.asks("claude asks", "Allow Bash to run this command?", "touch made.txt", "“Make a file”", "Yes, once")
	a.counts("1", noForm)
	a.made()
	a.asks("touch other.txt")
	a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
	a.person.press("one is enough", enter)
	if got := a.model.result(2); !strings.Contains(got, "one is enough") {
		t.Errorf("the model reads %q", got)
	}
	a.ended()
	if a.model.offered("Bash").tool("permission_prompt") != "" {
		t.Error("the model is offered the tool")
	}
}

// A question is answered as one, in the words of Claude's own dialog; who lets it be is told so.
func TestClaudePromptQuestion(t *testing.T) {
	t.Parallel()
	a := newPrompted(t, calls("AskUserQuestion", choice), calls("AskUserQuestion", choice))
	a.asks("claude asks", "Which database?", "> 1. Postgres")
	a.person.press("2")
	a.told(1, toldSQLite)
	a.asks("Which database?")
	a.person.press("\x1b")
	if got := a.model.result(2); !strings.Contains(got, "Nobody has allowed this.") {
		t.Errorf("the model reads %q", got)
	}
	a.ended()
}

// A plan is sent back with a comment, and the next one approved.
func TestClaudePromptPlan(t *testing.T) {
	t.Parallel()
	var a *agent
	script, _ := planScript(func() *agent { return a })
	a = newClaude(t, "hook,permissions,plans", append(script, script[1])...)
	a.prompts("plan")
	a.asks("claude asks", "Move the sessions", "They go to Redis.")
	a.counts("c", func(screen string) bool { return strings.Contains(screen, "Comment") })
	a.person.press("which Redis?", enter)
	a.person.see("which Redis?")
	a.person.press("3", enter)
	if got := a.model.result(2); !strings.Contains(got, "which Redis?") {
		t.Errorf("the model reads %q", got)
	}
	a.asks("Move the sessions")
	// What the first form has left on the screen goes by itself; in its popup the second is not on view whole.
	a.counts(strings.Repeat("\x1b[6~", 3)+"2", func(string) bool { return len(a.spool.pending()) == 0 })
	if got := a.model.result(3); !strings.Contains(got, "approved your plan") {
		t.Errorf("the model reads %q", got)
	}
	a.ended()
}

// Nothing is allowed where nobody has decided: Esc, and a call that is no prompt.
func TestClaudePromptUndecided(t *testing.T) {
	t.Parallel()
	a := newPrompted(t, calls("Bash", touch))
	a.asks("Allow Bash")
	a.counts("\x1b", noForm)
	if got := a.model.result(1); !strings.Contains(got, "Nobody has allowed this. Not decided") {
		t.Errorf("the model reads %q", got)
	}
	a.ended()
}

// Where claude -p has no such tool it asks nobody but the hook: the form comes though its person looks at its
// pane, where nothing else does, and has no prompt of Claude's to speak of. It needs no transcript.
func TestClaudePrintedPermission(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", touch), calls("Bash", `{"command":"touch other.txt","description":"Make another"}`))
	a.start(true, "-p", "--no-session-persistence", "--permission-mode", "default", "go on")
	a.tmux("select-window", "-t", a.pane)
	a.asks("Allow Bash", "touch made.txt")
	if screen := a.person.screen(); strings.Contains(screen, "hand back") {
		t.Errorf("it is to be handed back to a prompt that there is not:\n%s", screen)
	}
	a.counts("1", noForm)
	a.made()
	a.asks("touch other.txt")
	a.counts("\x1b", noForm)
	if got := a.model.result(2); strings.Contains(got, "made") {
		t.Errorf("the model reads %q", got)
	}
	a.ended()
}

// In auto mode the hook has Claude ask for what is dangerous, and says nothing of anything else.
func TestClaudeAutoHook(t *testing.T) {
	t.Parallel()
	call := func(mode, command string) string {
		return `{"hook_event_name":"PreToolUse","tool_name":"Bash","permission_mode":"` + mode + `","cwd":"/","tool_input":{"command":"` + command + `"}}`
	}
	const asks = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"dangerous by the settings of askpane: rm"}}`
	for input, want := range map[string]struct {
		out   string
		lines int // in the log
	}{
		call("auto", "rm -f x"): {out: asks}, call("auto", "ls"): {}, call("default", "rm -f x"): {}, "{": {lines: 1}, "": {lines: 1},
		strings.Replace(call("auto", "rm -f x"), `"Bash"`, `"Monitor"`, 1): {out: asks},
	} {
		state := t.TempDir()
		out, code := hookWith(t, state, input, "auto")
		log, _ := os.ReadFile(filepath.Join(state, "askpane", "askpane.log"))
		if strings.TrimSpace(out) != want.out || code != 0 || strings.Count(string(log), "\n") != want.lines {
			t.Errorf("given %q, printed %q, exit code %d, log:\n%s", input, out, code, log)
		}
	}
}

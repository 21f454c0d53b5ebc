package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Two equal questions in one message have hooks that run at the same time, and the one that Claude started
// first may ask last. What ends a call ends the form of that one alone.
func TestClaudeAsksTwice(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(path(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := `{"type":"tool_use","id":"toolu_%d","name":"AskUserQuestion","input":` + choice + `}`
	log := fmt.Sprintf(`{"type":"assistant","message":{"id":"m","content":[`+call+`,`+call+`]}}`+"\n", 1, 2)
	write("transcript", log)
	write("input", `{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","session_id":"s","cwd":"/","transcript_path":"`+path("transcript")+`","tool_input":`+choice+`}`)
	hook := func(name, input string) {
		s.tmux("new-window", "-d", "-t", "main:", "-e", "ASKPANE_SPOOL="+string(s.spool), "--", "sh", "-c",
			"cat "+quote(path(input))+" | "+quote(binary)+" hook claude >"+quote(path(name))+"; echo $? >"+quote(path(name+".rc")))
	}
	over := func(name string) bool {
		_, err := os.Stat(path(name + ".rc"))
		return err == nil
	}
	s.tmux("new-window", "-d", "-t", "main:", "mkfifo "+quote(path("late")))
	eventually(t, "the first hook's input can be written", func() bool {
		_, err := os.Stat(path("late"))
		return err == nil
	})
	hook("first", "late")
	eventually(t, "the first hook runs", func() bool { return len(s.spool.askpanes("hook")) == 1 })
	hook("second", "input")
	var asked []string
	asks := func(n int) func() bool {
		return func() bool {
			asked = slices.DeleteFunc(s.spool.pending(), func(id string) bool { return strings.HasPrefix(id, ".") })
			return len(asked) == n
		}
	}
	eventually(t, "the second hook asks", asks(1))
	second := asked[0]
	input, err := os.ReadFile(path("input"))
	if err != nil {
		t.Fatal(err)
	}
	write("late", string(input))
	eventually(t, "both ask", asks(2))
	result := `{"type":"user","timestamp":"` + time.Now().Add(time.Minute).Format(time.RFC3339) + `","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"A"}]}}` + "\n"
	write("transcript", log+fmt.Sprintf(result, 2))
	eventually(t, "the second is over", func() bool { return over("second") && asks(1)() })
	if asked[0] == second || over("first") {
		t.Errorf("the second asks as %s, and there waits %v; the first is over: %v", second, asked, over("first"))
	}
	write("transcript", log+fmt.Sprintf(result+result, 2, 1))
	eventually(t, "the first is over, too", func() bool { return over("first") && asks(0)() })
}

// Another hook changes what is to be run, which the transcript does not say: what is answered in Claude's prompt ends
// our form all the same.
func TestClaudePermissionRewritten(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", touch))
	a.write("rewrites", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{"command":"touch ./made.txt"}}}`)
	a.edit(".claude/settings.json", `"hooks": {`, `"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cat '`+a.home+`/rewrites'"}]}],`)
	id := a.decide("Allow Bash", "touch ./made.txt")
	a.step("1. Yes", "1", "")
	a.made()
	a.person.unsee("Allow Bash")
	if got := a.historyOf(id); got.Outcome != "elsewhere" {
		t.Errorf("the history says %+v", got)
	}
}

// A session is resumed on another screen while it asks on the first: the question goes on there, and here.
func TestClaudeResumedWhileItAsks(t *testing.T) {
	t.Parallel()
	const session = "6f1b7c1e-0f5a-4a5b-9c1d-2b3c4d5e6f70"
	a := newClaude(t, "hook", calls("AskUserQuestion", choice))
	a.start(false, "--session-id", session, "ask me")
	id := a.asks("Which database?")
	a.its()
	b := *a
	b.home = t.TempDir() // its files; the configuration is the same
	b.start(false, "--resume", session)
	b.shows("no answer saved")
	b.keys("go on", "Enter")
	b.shows(modelSaysLast)
	a.its()
	if waits := a.spool.pending(); len(waits) != 1 || waits[0] != id {
		t.Errorf("there waits %v, which is not %s", waits, id)
	}
	a.person.press("2")
	a.shows("Which database? → SQLite")
	if got := a.historyOf(id); got.Outcome != "answered" || got.Verdict == "outrun" {
		t.Errorf("the history says %+v", got)
	}
}

package tests

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

var races = flag.Int("races", 3, "how often a question is answered in the popup and in the agent's own dialog at once; just races has 50")

const (
	toldPostgres = `Your questions have been answered: "Which database?"="Postgres". You can now continue with these answers in mind.`
	toldSQLite   = `Your questions have been answered: "Which database?"="SQLite". You can now continue with these answers in mind.`
	ownDone      = "Answered in Claude Code."
)

// ended is what the history says of a question.
type endedAs struct {
	Outcome, By, Verdict string
	Unconfirmed          bool
}

// over waits until the history has the question, and the agent's word on it where that is due.
func (a *agent) historyOf(id string) (got endedAs) {
	a.t.Helper()
	eventually(a.t, "the history has "+id+", and the agent's word on it", func() bool {
		out, code := a.spool.run(a.t, "", "show", id, "--json")
		got = endedAs{}
		return code == 0 && json.Unmarshal([]byte(out), &got) == nil && got.Outcome != "" && !got.Unconfirmed
	})
	return got
}

// its waits for Claude's own dialog.
func (a *agent) its() {
	a.t.Helper()
	a.shows("Chat about this")
}

// The dialog is answered: our form says so and closes, and the next question, which is the same,
// is asked in both again.
func TestClaudeAnsweredInItself(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choice), calls("AskUserQuestion", choice))
	a.start(false, "ask me")
	id := a.asks("Which database?")
	a.its()
	a.keys("2")
	a.person.see(ownDone)
	a.person.unsee(ownDone)
	a.told(1, toldSQLite)
	if got := a.historyOf(id); got.Outcome != "elsewhere" || got.By != "bridge" {
		t.Errorf("the history says %+v", got)
	}
	second := a.asks("Which database?")
	a.its()
	a.person.press("1")
	a.told(2, toldPostgres)
	if got := a.historyOf(second); got.Outcome != "answered" || got.By != "popup" {
		t.Errorf("of the second the history says %+v", got)
	}
	a.shows(modelSaysLast)
}

// Both are answered at the same time: one answer counts, and both sides say which.
func TestClaudeRaces(t *testing.T) {
	t.Parallel()
	script := slices.Repeat([]turn{calls("AskUserQuestion", choice)}, *races)
	next := oneByOne(script)
	a := newClaude(t, "hook", script...)
	a.start(false, "ask me")
	ours := 0
	for round := range *races {
		id := a.asks("Which database?", "> 1. Postgres")
		a.its()
		a.atOnce(round, "2", "1")
		said, got := a.model.result(round+1), a.historyOf(id)
		switch {
		case said == toldSQLite && got.Outcome == "answered":
			ours++
		case said == toldPostgres && got.Outcome == "elsewhere":
		default:
			t.Errorf("round %d: the model was told %q, and the history says %+v", round, said, got)
		}
		a.hasRead() // a key that came too late would answer what is asked next
		next()
	}
	t.Logf("%d of %d were ours", ours, *races)
}

// atOnce presses a key in our form and one in the agent's dialog at the same time.
func (a *agent) atOnce(round int, ours, its string) {
	late := time.Duration(round*37%90) * time.Millisecond // which of both is first changes
	var both sync.WaitGroup
	both.Go(func() {
		if round%2 == 1 {
			<-time.After(10 * late)
		}
		a.person.press(ours)
	})
	both.Go(func() {
		if round%2 == 0 {
			<-time.After(late)
		}
		a.keys(its)
	})
	both.Wait()
}

// Esc in either ends it in both.
func TestClaudeEsc(t *testing.T) {
	t.Parallel()
	t.Run("ours", func(t *testing.T) {
		t.Parallel()
		a := newClaude(t, "hook", calls("AskUserQuestion", choice))
		a.start(false, "ask me")
		id := a.asks("Which database?")
		a.its()
		a.person.press("\x1b")
		if got := a.model.result(1); !strings.Contains(got, "The person wants to reply in the chat instead of answering these questions.") {
			t.Errorf("the model was told %q", got)
		}
		if got := a.historyOf(id); got.Outcome != "cancelled" {
			t.Errorf("the history says %+v", got)
		}
		a.unshows("Chat about this")
	})
	t.Run("its own", func(t *testing.T) {
		t.Parallel()
		a := newClaude(t, "hook", calls("AskUserQuestion", choice))
		a.start(false, "ask me")
		id := a.asks("Which database?")
		a.its()
		a.keys("Escape")
		a.person.unsee("Which database?")
		if got := a.historyOf(id); got.Outcome != "elsewhere" && got.Outcome != "aborted" {
			t.Errorf("the history says %+v", got)
		}
		a.shows("Declined to answer")
	})
	t.Run("to the chat", func(t *testing.T) {
		t.Parallel()
		a := newClaude(t, "hook", calls("AskUserQuestion", choice))
		a.start(false, "ask me")
		id := a.asks("Which database?")
		a.step("Chat about this", "4", "")
		a.person.unsee("Which database?")
		if got := a.historyOf(id); got.Outcome != "elsewhere" {
			t.Errorf("the history says %+v", got)
		}
	})
}

// The popup is killed: it comes again, and the dialog stands meanwhile. The hook is killed: the
// dialog is Claude's alone, and the form says that its agent is gone.
func TestClaudeBesideKilled(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choice), calls("AskUserQuestion", choice))
	a.start(false, "ask me")
	id := a.asks("Which database?")
	popup := a.spool.popup(t, id)
	killed(t, popup)
	a.its()
	a.spool.another(t, id, popup)
	a.person.press("2")
	a.told(1, toldSQLite)
	a.asks("Which database?")
	for _, pid := range a.spool.askpanes("hook") {
		killed(t, pid)
	}
	a.person.see("agent gone")
	a.step("Chat about this", "1", "") // Claude's dialog lets go by a key that comes just as its hook ends
	a.told(2, toldPostgres)
	a.person.press("\x1b") // nobody waits for it
	a.person.unsee("agent gone")
}

// Where Claude keeps no transcript nothing would tell that its dialog was answered, and our form would stay, with the
// next question under it: so its dialog is there alone, and the log says why.
func TestClaudeKeepsNoTranscript(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook,permissions", calls("AskUserQuestion", choice), calls("Bash", touch))
	a.env = append(a.env, "CLAUDE_CODE_SKIP_PROMPT_HISTORY=1", "XDG_STATE_HOME="+a.home+"/state")
	a.start(false, "--permission-mode", "default", "ask me")
	said := func(n int) {
		t.Helper()
		eventually(t, "the log says why nobody was asked", func() bool {
			log, _ := os.ReadFile(a.home + "/state/askpane/askpane.log")
			return strings.Count(string(log), "keeps no transcript") == n
		})
	}
	a.its()
	said(1)
	a.step("Chat about this", "2", "")
	a.told(1, toldSQLite)
	a.shows("1. Yes")
	said(2)
	if asked := append(a.spool.pending(), a.spool.history()...); len(asked) > 0 {
		t.Errorf("asked %v", asked)
	}
	a.step("1. Yes", "1", "")
	a.made()
}

// Two sessions in one directory ask the same: what is answered in one ends the form of that one.
func TestClaudeTwoSessions(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "hook", calls("AskUserQuestion", choice))
	b := *a
	b.model = newModel(t, calls("AskUserQuestion", choice))
	b.home = a.home + "/b"
	if err := os.Mkdir(b.home, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, e := range b.env {
		if strings.HasPrefix(e, "ANTHROPIC_BASE_URL=") {
			b.env = append(append([]string{}, b.env[:i]...), append([]string{"ANTHROPIC_BASE_URL=" + b.model.url}, b.env[i+1:]...)...)
		}
	}
	a.start(false, "ask me")
	first := a.asks("Which database?")
	a.its()
	b.start(false, "ask me")
	b.its()
	eventually(t, "both wait", func() bool { return len(a.spool.pending()) == 2 })
	b.keys("2")
	if got := b.model.result(1); got != toldSQLite {
		t.Errorf("the second was told %q", got)
	}
	eventually(t, "the form of the second is over, and the first one's is not", func() bool {
		waits := a.spool.pending()
		return len(waits) == 1 && waits[0] == first
	})
	a.its()
	a.person.press("1")
	a.told(1, toldPostgres)
}

// A sub-agent is not offered Claude's own tool, and is offered ours over MCP.
func TestClaudeSubagent(t *testing.T) {
	t.Parallel()
	args := `{"description":"look","prompt":"look at it","subagent_type":"general-purpose"}`
	a := newClaude(t, "hook,mcp", calls("Agent", args))
	a.start(false, "--permission-mode", "default", "go on") // auto mode wants a classifier
	main := a.model.offered("AskUserQuestion")
	if main.tool("Agent") == "" {
		t.Fatalf("there is no tool for sub-agents among %v", main.offered)
	}
	if !needs.Within(agentPatience, func() bool {
		a.model.mu.Lock()
		defer a.model.mu.Unlock()
		for _, r := range a.model.requests {
			if strings.Contains(string(r.body), "look at it") && len(r.results) == 0 && len(r.offered) > 0 && r.tool("Agent") == "" {
				if r.tool("AskUserQuestion") != "" || r.tool("ask_human") == "" {
					t.Errorf("the sub-agent is offered %v", r.offered)
				}
				return true
			}
		}
		return false
	}) {
		t.Fatalf("no sub-agent asked the model:\n%s", a.model.log())
	}
}

// With a broken input the hook says nothing, ends well and has one line in the log.
func TestClaudeHookBadInput(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"none": "", "broken": `{"hook_event_name":"PermissionRequest",`, "another tool": `{"hook_event_name":"PermissionRequest","tool_name":"Bash"}`,
		"20 MB":               `{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{"questions":"` + strings.Repeat("x", 20<<20) + `"}}`,
		"an unknown question": `{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{"questions":[{"kind":"hologram"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			out, code := hookWith(t, state, input)
			log, _ := os.ReadFile(filepath.Join(state, "askpane", "askpane.log"))
			if out != "" || code != 0 || strings.Count(string(log), "\n") != 1 {
				t.Errorf("printed %q, exit code %d, log:\n%s", out, code, log)
			}
		})
	}
}

// Claude runs the hook for permissions for questions and plans, too, and that for forms for our own
// server's: nothing is said of those, and nothing logged.
func TestClaudeHookOfAnother(t *testing.T) {
	t.Parallel()
	for what, input := range map[string]string{
		"permissions":  `{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{}}`,
		"elicitations": `{"hook_event_name":"Elicitation","mcp_server_name":"askpane","mode":"form","message":"Who?","requested_schema":{}}`,
	} {
		state := t.TempDir()
		out, code := hookWith(t, state, input, what)
		if log, _ := os.ReadFile(filepath.Join(state, "askpane", "askpane.log")); out != "" || code != 0 || len(log) > 0 {
			t.Errorf("%s: printed %q, exit code %d, log:\n%s", what, out, code, log)
		}
	}
}

// hookWith runs the hook with that input, for what is named, and a state directory of its own.
func hookWith(t *testing.T, state, input string, what ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"hook", "claude"}, what...)...)
	cmd.Env, cmd.Stdin = environ(t.TempDir(), "XDG_STATE_HOME="+state), strings.NewReader(input)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	data, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(data), cmd.ProcessState.ExitCode()
}

// killed ends a process without warning.
func killed(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

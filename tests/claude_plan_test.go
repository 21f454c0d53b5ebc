package tests

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

const somePlan = "# Move the sessions\n\nThey go to Redis.\n\n- stop the shop\n- copy the table\n"

// planFile finds in what Claude tells its model where the plan is to be written.
var planFile = regexp.MustCompile(`/[^"\\\s]*/plans/[a-z0-9-]+\.md`)

// newPlanner is Claude Code in its plan mode, which writes a plan and wants to carry it out.
func newPlanner(t *testing.T) (a *agent, path func() string) {
	t.Helper()
	script, path := planScript(func() *agent { return a })
	a = newClaude(t, "plans", script...)
	a.start(false, "--permission-mode", "plan", "plan it")
	return a, path
}

// planScript writes a plan where Claude tells its model to, and ends the plan mode.
func planScript(a func() *agent) (script []turn, path func() string) {
	path = func() string {
		for _, body := range a().model.said() {
			if found := planFile.FindString(body); found != "" {
				return found
			}
		}
		return ""
	}
	write := turn{"Write", func([]string) string {
		args, _ := json.Marshal(map[string]string{"file_path": path(), "content": somePlan})
		return string(args)
	}}
	return []turn{write, calls("ExitPlanMode", "{}")}, path
}

// A plan is approved beside Claude's own dialog, which closes.
func TestClaudePlanApproved(t *testing.T) {
	t.Parallel()
	a, _ := newPlanner(t)
	a.asks("claude asks", "Move the sessions", "They go to Redis.", "Approve, and ask before each edit")
	a.counts("2", func(screen string) bool { return !strings.Contains(screen, "Move the sessions") })
	if got := a.model.result(2); !strings.Contains(got, "approved your plan") {
		t.Errorf("the model reads %q", got)
	}
}

// Who approves a plan to be asked before each edit is asked, whatever mode Claude was in before its plan mode.
func TestClaudePlanApprovedFromAnotherMode(t *testing.T) {
	t.Parallel()
	var a *agent
	script, _ := planScript(func() *agent { return a })
	write := turn{"Write", func([]string) string { return `{"file_path":"` + a.cwd + `/made.txt","content":"made"}` }}
	a = newClaude(t, "plans", append(script, write)...)
	a.start(false, "--permission-mode", "acceptEdits")
	a.shows("accept edits on")
	planning := func() bool { return strings.Contains(a.screen(), "plan mode on") }
	for a.press("BTab", planning); ; a.press("BTab", planning) { // one pressed twice leads on to the next mode
		if a.hasRead(); planning() {
			break
		}
	}
	a.keys("plan it", "Enter")
	a.asks("Move the sessions", "Approve, and ask before each edit")
	a.counts("2", func(screen string) bool { return !strings.Contains(screen, "Move the sessions") })
	if got := a.model.result(2); !strings.Contains(got, "approved your plan") {
		t.Errorf("the model reads %q", got)
	}
	a.shows("Do you want to create made.txt?")
}

// Where Claude's settings turn its auto mode off, its dialog offers to accept edits in its place, and so does our form.
func TestClaudePlanWithoutAutoMode(t *testing.T) {
	t.Parallel()
	var a *agent
	script, _ := planScript(func() *agent { return a })
	a = newClaude(t, "plans", script...)
	a.edit(".claude/settings.json", `  "hooks": {`, `  "permissions": {"disableAutoMode": "disable"}, "hooks": {`)
	a.start(false, "--permission-mode", "plan", "plan it")
	a.asks("Move the sessions", "1. Approve, and accept edits", "2. Approve, and ask before each edit")
	a.shows("1. Yes, auto-accept edits")
	a.counts("1", func(screen string) bool { return !strings.Contains(screen, "Move the sessions") })
	if got := a.model.result(2); !strings.Contains(got, "approved your plan") {
		t.Errorf("the model reads %q", got)
	}
	a.shows("accept edits on")
}

// A comment on a line goes back to the model, in its place, and nothing is approved.
func TestClaudePlanSentBack(t *testing.T) {
	t.Parallel()
	a, path := newPlanner(t)
	a.asks("Move the sessions", "copy the table")
	a.counts("c", func(screen string) bool { return strings.Contains(screen, "Comment") })
	a.person.press("which Redis?", enter)
	a.person.see("which Redis?")
	a.person.press("3")
	a.person.press(enter)
	got := a.model.result(2)
	if !strings.Contains(got, "keep planning") || !strings.Contains(got, "which Redis?") || !strings.Contains(got, "> ") {
		t.Errorf("the model reads %q", got)
	}
	if text, err := os.ReadFile(path()); err != nil || string(text) != somePlan {
		t.Errorf("the plan is now %q, %v", text, err)
	}
}

// What is decided in Claude's dialog closes ours.
func TestClaudePlanAnsweredThere(t *testing.T) {
	t.Parallel()
	a, _ := newPlanner(t)
	a.asks("Move the sessions")
	a.shows("2. Yes")
	a.press("2", func() bool { return len(a.spool.pending()) == 0 })
	a.person.unsee("Move the sessions")
}

// A plan is approved in Claude's dialog and sent back in ours at the same time: one of them counts, for
// the model and the history.
func TestClaudePlanRaces(t *testing.T) {
	t.Parallel()
	ours := 0
	for round := range *races {
		a, _ := newPlanner(t) // which is not in its plan mode afterwards
		id := a.asks("Move the sessions")
		a.shows("2. Yes")
		a.counts("3", func(screen string) bool { return strings.Contains(screen, "What should change?") })
		a.atOnce(round, enter, "2")
		said, got := a.model.result(2), a.historyOf(id)
		switch sentBack := strings.Contains(said, "keep planning"); {
		case sentBack && got.Outcome == "answered" && got.Verdict != "outrun":
			ours++
		case !sentBack && strings.Contains(said, "approved your plan") && (got.Outcome == "elsewhere" || got.Verdict == "outrun"):
		default:
			t.Errorf("round %d: the model was told %q, and the history says %+v", round, said, got)
		}
		a.stop()
	}
	t.Logf("%d of %d were ours", ours, *races)
}

// The hook is killed: Claude's dialog stands, and counts.
func TestClaudePlanKilled(t *testing.T) {
	t.Parallel()
	a, _ := newPlanner(t)
	a.asks("Move the sessions")
	for _, pid := range a.spool.askpanes("hook") {
		killed(t, pid)
	}
	a.person.see("agent gone")
	a.step("2. Yes", "2", "")
	if got := a.model.result(2); !strings.Contains(got, "approved your plan") {
		t.Errorf("the model reads %q", got)
	}
	a.counts("\x1b", func(screen string) bool { return !strings.Contains(screen, "agent gone") })
}

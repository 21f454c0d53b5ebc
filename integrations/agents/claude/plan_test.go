package claude

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/document"
)

const planText = "# Move\n\nTo Redis.\n"

// planned is what the hook gets of a plan that is kept in a file.
func planned(t *testing.T, file string) Prompt {
	t.Helper()
	ask, _ := json.Marshal(map[string]string{"plan": planText, "planFilePath": file})
	data, _ := json.Marshal(map[string]any{"hook_event_name": "PermissionRequest", "tool_name": "ExitPlanMode", "tool_input": json.RawMessage(ask)})
	p, err := ReadPlan(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanDecisions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plan.md")
	const later = "# Move\n\nTo Valkey.\n"
	asks := `,"updatedPermissions":[{"type":"setMode","mode":"default","destination":"session"}]}`
	if err := os.WriteFile(path, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		said planDecided
		want string // what is printed; empty is nothing
	}{
		"approved":     {planDecided{Decision: "approve", Mode: "default", Shown: document.Sum(planText)}, `{"behavior":"allow","updatedInput":{"plan":"# Move\n\nTo Redis.\n","planFilePath":"PATH"}` + asks},
		"in auto mode": {planDecided{Decision: "approve", Mode: AutoMode, Shown: document.Sum(planText)}, `{"behavior":"allow","updatedInput":{"plan":"# Move\n\nTo Redis.\n","planFilePath":"PATH"},"updatedPermissions":[{"type":"setMode","mode":"auto","destination":"session"}]}`},
		"approved as its file has it": {planDecided{Decision: "approve", Shown: document.Sum(later)},
			`{"behavior":"allow","updatedInput":{"plan":"# Move\n\nTo Valkey.\n","planFilePath":"PATH"}` + asks},
		"approved with words": {planDecided{Decision: "approve", Shown: document.Sum(planText), Message: "> To Redis.\n\nwhich one?"},
			`{"behavior":"allow","updatedInput":{"plan":"# Move\n\nTo Redis.\n\n## What the person said to this plan\n\n\u003e To Redis.\n\nwhich one?\n","planFilePath":"PATH"}` + asks},
		"approved as edited": {planDecided{Decision: "approve_edited", Plan: "# Stay\n"}, `{"behavior":"allow","updatedInput":{"plan":"# Stay\n","planFilePath":"PATH"}` + asks},
		"sent back":          {planDecided{Decision: "keep_planning", Message: "too dear"}, `{"behavior":"deny","message":"The person did not approve the plan: keep planning. too dear"}`},
		"sent back bare":     {planDecided{Decision: "keep_planning"}, `{"behavior":"deny","message":"The person did not approve the plan: keep planning."}`},
		"no decision":        {planDecided{Decision: "none"}, ""},
		"empty":              {planDecided{}, ""},
	} {
		d, err := planned(t, path).decidePlan(c.said)
		got := ""
		if d != nil {
			data, _ := json.Marshal(d.Output.Decision)
			got = strings.ReplaceAll(string(data), path, "PATH")
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	if d, err := planned(t, path).decidePlan(planDecided{Decision: "approve", Shown: document.Sum("another")}); d != nil || err == nil {
		t.Errorf("a plan that nobody has any more was approved: %+v", d)
	}
}

// What is shown is Claude's member, and not the model's of nearly the same name.
func TestPlanIsClaudes(t *testing.T) {
	t.Parallel()
	p, err := ReadPlan([]byte(`{"hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":{"plan":"theirs","Plan":"shown","planFilePath":"/p","PlanFilePath":"/q"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if text, file, err := p.plan(); err != nil || text != "theirs" || file != "/p" {
		t.Errorf("the plan is %q in %q, %v", text, file, err)
	}
}

// Auto mode is offered, unless settings of Claude's turn it off.
func TestAutoModeOff(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // whose Claude may have it off
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CLAUDE_PROJECT_DIR", "")
	for settings, off := range map[string]bool{
		``: false, `{`: false, `{"disableAutoMode":"disable"}`: true, `{"permissions":{"disableAutoMode":"disable","allow":["x"]}}`: true,
		`{"permissions":{"disableBypassPermissionsMode":"disable"}}`: false, `{"disableAutoMode":true}`: false,
	} {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			p := planned(t, "")
			p.Dir = t.TempDir()
			if err := errors.Join(os.Mkdir(p.Dir+"/.claude", 0o700), os.WriteFile(p.Dir+"/.claude/"+name, []byte(settings), 0o600)); err != nil {
				t.Fatal(err)
			}
			asked, err := p.askPlan()
			if err != nil || strings.Contains(string(asked), `"auto"`) == off || strings.Contains(string(asked), `"acceptEdits"`) != off {
				t.Errorf("with %s: %s, %v", settings, asked, err)
			}
		}
	}
}

func TestNoPlan(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`{"hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":{}}`,
		`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"plan":"x"}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"ExitPlanMode","tool_input":{"plan":"x"}}`,
		`{"hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":{"plan":7}}`,
		`{`,
	} {
		if p, err := ReadPlan([]byte(data)); err == nil {
			t.Errorf("%s is taken for a plan: %+v", data, p)
		}
	}
}

func TestElicitations(t *testing.T) {
	t.Parallel()
	read := func(server, mode string) (string, error) {
		data, _ := json.Marshal(map[string]any{"hook_event_name": "Elicitation", "session_id": "s", "mcp_server_name": server, "mode": mode, "message": "Who?", "requested_schema": map[string]any{"type": "object"}})
		p, err := ReadElicitation(data, "askpane")
		if err == nil && p.Session != "s" {
			t.Errorf("the session is %q", p.Session)
		}
		return string(p.Ask), err
	}
	if got, err := read("shop", "form"); err != nil || got != `{"message":"Who?","requestedSchema":{"type":"object"},"serverName":"shop"}` {
		t.Errorf("%s, %v", got, err)
	}
	for _, c := range [][2]string{{"askpane", "form"}, {"shop", "url"}} {
		if got, err := read(c[0], c[1]); err == nil {
			t.Errorf("%s of %s is asked: %s", c[1], c[0], got)
		}
	}
	for details, want := range map[string]string{
		`{"action":"accept","content":{"who":"me"},"attachments":[]}`: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"who":"me"}}}`,
		`{"action":"decline","reason":"no"}`:                          `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}`,
	} {
		d, err := Prompt{Event: Elicitation}.Decide(true, json.RawMessage(details), "")
		if got, _ := json.Marshal(d); err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v; want %s", details, got, err, want)
		}
	}
}

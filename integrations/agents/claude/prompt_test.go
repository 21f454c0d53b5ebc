package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/tests/must"
)

// A call of the tool for prompts is asked in the dialect that has it, and its result is Claude's.
func TestPrompts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, input, dialect string
		answered             bool
		details, want        string
	}{
		"allowed":   {"Bash", `{"command":"ls"}`, "permission", true, `{"decision":"allow"}`, `{"behavior":"allow","updatedInput":{"command":"ls"}}`},
		"denied":    {"Bash", `{"command":"ls"}`, "permission", true, `{"decision":"deny","reason":"why?"}`, `{"behavior":"deny","message":"why?"}`},
		"undecided": {"Bash", `{"command":"ls"}`, "permission", false, `{"decision":"none"}`, `{"behavior":"deny","message":"Nobody has allowed this. TEXT"}`},
		"a rule":    {"Bash", `{"command":"ls"}`, "permission", true, `{"decision":"allow","always":0}`, `{"behavior":"deny","message":"Nobody has allowed this. TEXT"}`},
		"broken":    {"Bash", `{"command":"ls"}`, "permission", true, `{`, `{"behavior":"deny","message":"Nobody has allowed this. TEXT"}`},
		"answer":    {"AskUserQuestion", ask, Tool, true, `{"answers":{"Which?":"a"}}`, `"answers":{"Which?":"a"}`},
		"in words":  {"AskUserQuestion", ask, Tool, false, `{"reason":"later"}`, `{"behavior":"deny","message":"The person did not answer these questions, and says: later"}`},
		"left":      {"AskUserQuestion", ask, Tool, false, `{}`, `{"behavior":"deny","message":"Nobody has allowed this. TEXT"}`},
		"a plan":    {"ExitPlanMode", `{"plan":"# A"}`, "plan", true, `{"decision":"approve","shown":"` + hashed("# A") + `"}`, `{"behavior":"allow","updatedInput":{"plan":"# A"}}`},
		"no plan":   {"ExitPlanMode", `{"plan":"# A"}`, "plan", true, `{"decision":"keep_planning"}`, `{"behavior":"deny","message":"` + keepPlanning + `"}`},
		"unseen":    {"ExitPlanMode", `{"plan":"# A"}`, "plan", true, `{"decision":"approve","shown":"x"}`, `{"behavior":"deny","message":"Nobody has allowed this. TEXT"}`},
	} {
		p, err := ReadPrompt([]byte(`{"tool_name":"`+c.tool+`","input":`+c.input+`,"tool_use_id":"t"}`), "/srv/shop")
		must.Do(t, err)
		d, raw, err := p.Request()
		must.Do(t, err)
		if _, _, err := dialect.Decode(d, raw); err != nil || d != c.dialect {
			t.Errorf("%s is asked in %s, %v", name, d, err)
		}
		if got := p.Result(c.answered, []byte(c.details), "", "TEXT"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, bad := range []string{"", "{", `{}`, `{"tool_name":"Bash"}`, `{"tool_name":"ExitPlanMode","input":{}}`} {
		if _, err := ReadPrompt([]byte(bad), ""); err == nil {
			t.Errorf("%s is taken for a prompt", bad)
		}
	}
}

// Claude is known by its arguments to ask by our tool.
func TestPrompted(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]bool{"mcp__p__permission_prompt": true, "stdio": false, "mcp__theirs__approve": false, "what is permission_prompt": false} {
		if got := Prompted([]string{"claude", "-p", "--permission-prompt-tool", arg}); got != want {
			t.Errorf("%s: %v", arg, got)
		}
	}
}

// The model cannot hide a command behind a name that differs in its case.
func TestCommandOfACall(t *testing.T) {
	t.Parallel()
	p, err := ReadCall([]byte(`{"hook_event_name":"PreToolUse","tool_name":"Bash","permission_mode":"auto","tool_input":{"command":"rm x","Command":"ls"}}`))
	if err != nil || p.Command() != "rm x" || p.Mode != AutoMode {
		t.Errorf("%+v runs %q, %v", p, p.Command(), err)
	}
	if _, err := ReadCall(hookInput("Bash", `{}`)); err == nil {
		t.Error("another event is taken")
	}
}

// Two equal calls in one message cannot be told apart by the command that runs.
func TestAlone(t *testing.T) {
	t.Parallel()
	line := func(message string, ids ...string) string {
		var parts []string
		for _, id := range ids {
			parts = append(parts, `{"type":"tool_use","id":"`+id+`","name":"Bash","input":{"command":"sleep 30"}}`)
		}
		return `{"type":"assistant","message":{"id":"` + message + `","content":[` + strings.Join(parts, ",") + `]}}` + "\n"
	}
	before := `{"type":"user","timestamp":"` + began.Add(-time.Second).Format(time.RFC3339Nano) + `","message":{"content":[{"type":"tool_result","tool_use_id":"a"}]}}` + "\n"
	for text, want := range map[string]bool{
		line("m", "a", "b") + before: true, line("m", "a", "b", "c") + before: false,
		"": false, line("m", "a"): true, line("m", "a", "b"): false, line("m", "a") + line("m", "b"): false, line("m", "a", "b") + line("n", "c"): true,
	} {
		p, err := ReadPermission(hookInput("Bash", `{"command":"sleep 30"}`))
		must.Do(t, err)
		p.Transcript = filepath.Join(t.TempDir(), "t")
		must.Do(t, os.WriteFile(p.Transcript, []byte(text), 0o600))
		if got := p.Alone(began); got != want {
			t.Errorf("%v of\n%s", got, text)
		}
	}
}

package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text/document"
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
		"a plan":    {"ExitPlanMode", `{"plan":"# A"}`, "plan", true, `{"decision":"approve","shown":"` + document.Sum("# A") + `"}`, `{"behavior":"allow","updatedInput":{"plan":"# A"},"updatedPermissions":[{"type":"setMode","mode":"default",`},
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

// Nothing but an answer that allows is allowed, by a hook and by the tool, however else the form has ended.
func TestOnlyAllowAllows(t *testing.T) {
	t.Parallel()
	const silent, denies = "", "deny"
	answered := func(answers ...form.Answer) form.Result {
		return form.Result{Outcome: form.Answered, Answers: answers}
	}
	for name, c := range map[string]struct {
		r    form.Result
		want string // the behavior that the hook prints; silent: Claude's own dialog is to decide
	}{
		"once":                        {answered(form.Choose(0)), "allow"},
		"always":                      {answered(form.Choose(4)), "allow"},
		"no":                          {answered(form.Choose(5)), denies},
		"other words":                 {answered(form.Type("tests first")), denies},
		"words that seem to allow":    {answered(form.Type("allow")), denies},
		"cancelled":                   {form.Result{Outcome: form.Cancelled}, silent},
		"cancelled with a reason":     {form.Result{Outcome: form.Cancelled, Reason: "allow"}, denies},
		"cancelled with an answer":    {form.Result{Outcome: form.Cancelled, Answers: []form.Answer{form.Choose(0)}}, silent},
		"dismissed":                   {form.Result{Outcome: form.Cancelled, Dismissed: true}, silent},
		"elsewhere":                   {form.Result{Outcome: form.Elsewhere}, silent},
		"elsewhere with an answer":    {form.Result{Outcome: form.Elsewhere, Answers: []form.Answer{form.Choose(0)}}, silent},
		"aborted":                     {form.Result{Outcome: form.Aborted}, silent},
		"at the deadline":             {form.Result{Outcome: form.Timeout, Answers: []form.Answer{form.Choose(0)}}, silent},
		"no form could be shown":      {form.Result{Outcome: form.Unavailable, Reason: "allow"}, silent},
		"open to be discussed":        {form.Result{Outcome: form.NeedsDiscussion, Answers: []form.Answer{form.Choose(0)}}, silent},
		"with no outcome":             {form.Result{Answers: []form.Answer{form.Choose(0)}}, silent},
		"without an answer":           {answered(), silent},
		"with an empty answer":        {answered(form.Answer{}), silent},
		"with two answers":            {answered(form.Choose(0), form.Choose(0)), silent},
		"with two options":            {answered(form.Choose(0, 1)), silent},
		"with an option and words":    {answered(form.Answer{Choices: []int{0}, Text: new("no")}), silent},
		"with an option that is none": {answered(form.Choose(6)), silent},
		"with a number":               {answered(form.Count(0)), silent},
	} {
		p, err := ReadPermission(hookInput("Bash", `{"command":"ls"}`))
		must.Do(t, err)
		_, raw, err := p.Request()
		must.Do(t, err)
		d, f, err := dialect.Decode("permission", raw)
		must.Do(t, err)
		checkDecided(t, name, p, c.r.Outcome == form.Answered, d.EncodeIn(dialect.Context{}, &f, c.r).Details, c.want)
	}
	for name, c := range map[string]struct{ tool, input, details, want string }{
		"another word":                  {"Bash", `{"command":"ls"}`, `{"decision":"allowed"}`, silent},
		"another case":                  {"Bash", `{"command":"ls"}`, `{"decision":"Allow"}`, silent},
		"no text":                       {"Bash", `{"command":"ls"}`, `{"decision":true}`, silent},
		"no object":                     {"Bash", `{"command":"ls"}`, `["allow"]`, silent},
		"null":                          {"Bash", `{"command":"ls"}`, `null`, silent},
		"nothing":                       {"Bash", `{"command":"ls"}`, ``, silent},
		"a rule that is none":           {"Bash", `{"command":"ls"}`, `{"decision":"allow","always":-1}`, silent},
		"a rule in words":               {"Bash", `{"command":"ls"}`, `{"decision":"allow","always":"0"}`, silent},
		"an input that is none":         {"Bash", `"ls"`, `{"decision":"allow"}`, silent},
		"a plan's approval":             {"Bash", `{"command":"ls"}`, `{"decision":"approve"}`, silent},
		"answers to questions":          {"Bash", `{"command":"ls"}`, `{"answers":{"allow":"allow"}}`, silent},
		"a form of a server":            {"Bash", `{"command":"ls"}`, `{"action":"accept","content":{}}`, silent},
		"a permission for a plan":       {planTool, `{"plan":"# A"}`, `{"decision":"allow"}`, silent},
		"an approval of another plan":   {planTool, `{"plan":"# A"}`, `{"decision":"approve","shown":"` + document.Sum("# B") + `"}`, silent},
		"an approval of no known plan":  {planTool, `{"plan":"# A"}`, `{"decision":"approve"}`, silent},
		"a plan that goes on":           {planTool, `{"plan":"# A"}`, `{"decision":"keep_planning","mode":"auto"}`, denies},
		"answers without the questions": {Tool, `{}`, `{"answers":{"Which?":"A"}}`, silent},
	} {
		p := Prompt{Event: PermissionRequest, Tool: c.tool, Ask: []byte(c.input)}
		checkDecided(t, name, p, true, []byte(c.details), c.want)
	}
}

// checkDecided checks the behavior that a hook prints for a form's end; empty is none. The tool allows what the
// hook allows, and denies all else.
func checkDecided(t *testing.T, name string, p Prompt, answered bool, details []byte, want string) {
	t.Helper()
	got := ""
	if d, err := p.Decide(answered, details, ""); d != nil && err == nil {
		got = d.Output.Decision.Behavior
	}
	if got != want {
		t.Errorf("%s (%s): the hook prints %q, want %q", name, details, got, want)
	}
	said := p.Result(answered, details, "", "TEXT")
	if allows := strings.Contains(said, `"behavior":"allow"`); allows != (want == "allow") || allows == strings.Contains(said, `"behavior":"deny"`) {
		t.Errorf("%s (%s): the tool returns %s", name, details, said)
	}
}

// The model of claude -p reads why nobody was asked, and nothing of a prompt that does not come.
func TestPromptsNotAsked(t *testing.T) {
	t.Parallel()
	for _, call := range []string{`{"tool_name":"Bash","input":{"command":"ls","dangerouslyDisableSandbox":true}}`, `{"tool_name":"ExitPlanMode","input":{}}`} {
		p, err := ReadPrompt([]byte(call), "/")
		if err == nil {
			_, _, err = p.Request()
		}
		if err == nil || !strings.Contains(err.Error(), "which claude -p does not have") {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// Claude is known by its arguments to ask by our tool.
func TestPrompted(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]bool{"mcp__p__permission_prompt": true, "--permission-prompt-tool=mcp__p__permission_prompt": true, "stdio": false, "mcp__theirs__approve": false, "what is permission_prompt": false} {
		if got := Prompted(arg); got != want {
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
		if got := (Call{Prompt: p, Began: began}).Alone(); got != want {
			t.Errorf("%v of\n%s", got, text)
		}
	}
}

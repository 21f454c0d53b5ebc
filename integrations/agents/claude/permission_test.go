package claude

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
)

// hookInput is what Claude Code 2.1.329 tells a hook, with a tool's name and input.
func hookInput(tool, input string) []byte {
	return fmt.Appendf(nil, `{"session_id":"s","transcript_path":"/t","cwd":"/srv/shop","prompt_id":"p","permission_mode":"default","hook_event_name":"PermissionRequest","tool_name":%q,"tool_input":%s,
"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm run *"},{"toolName":"Edit"}],"behavior":"allow","destination":"localSettings"},
{"type":"addDirectories","directories":["/tmp/x"],"destination":"session"},{"type":"setMode","mode":"acceptEdits","destination":"session"},{"type":"news","x":1}]}`, tool, input)
}

// Every request is one of the dialect's, and says what would be done.
func TestPermissionRequests(t *testing.T) {
	t.Parallel()
	for tool, c := range map[string]struct{ input, kind, text string }{
		"Bash":            {`{"command":"npm run build","description":"Build"}`, "command", "npm run build"},
		"Monitor":         {`{"command":"tail -f x","description":"Watch","timeout_ms":9}`, "command", "tail -f x"},
		"Write":           {`{"file_path":"/srv/shop/a","content":""}`, "text", "/srv/shop/a"},
		"Edit":            {`{"file_path":"/srv/shop/a","old_string":"a","new_string":"b","replace_all":true}`, "text", "/srv/shop/a"},
		"MultiEdit":       {`{"file_path":"/srv/shop/a","edits":[{"old_string":"a","new_string":"b"}]}`, "text", "/srv/shop/a"},
		"WebFetch":        {`{"url":"https://x.example/","prompt":"read"}`, "text", "https://x.example/"},
		"mcp__db__query":  {`{"sql":"SELECT 1"}`, "json", `{` + "\n  " + `"sql": "SELECT 1"` + "\n}"},
		"mcp__odd__input": {`{"command":5}`, "json", `{` + "\n  " + `"command": 5` + "\n}"},
		"Unknown":         {`{}`, "json", "{}"},
	} {
		p, err := ReadPermission(hookInput(tool, c.input))
		if err != nil {
			t.Errorf("%s: %v", tool, err)
			continue
		}
		_, raw, err := p.Request()
		if err != nil {
			t.Errorf("%s: %v", tool, err)
			continue
		}
		_, f, err := dialect.Decode("permission", raw)
		if err != nil {
			t.Errorf("%s: %v: %s", tool, err, raw)
			continue
		}
		s := f.Subject()
		if s.Tool != tool || s.Text != c.text || s.Shown.Type != c.kind || s.Dir != "/srv/shop" {
			t.Errorf("%s: %+v", tool, s)
		}
		var labels []string
		for _, o := range f.Questions[0].Options {
			labels = append(labels, o.Label)
		}
		want := "Yes, once|Yes, always: Bash(npm run *), Edit, for this project, yours alone|Yes, always: all below /tmp/x, for this session|Yes, always: mode acceptEdits, for this session|Yes, always: {\"type\":\"news\",\"x\":1}|No"
		if got := strings.Join(labels, "|"); got != want {
			t.Errorf("%s offers %s", tool, got)
		}
	}
	for _, none := range []string{"", "{", "[]", string(hookInput(Tool, `{}`)), string(hookInput(planTool, `{}`)), `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`} {
		if p, err := ReadPermission([]byte(none)); err == nil {
			t.Errorf("%q is a permission: %+v", none, p)
		}
	}
}

// Nothing is allowed that is not on view: an input with more than the form shows is shown whole, and a
// command, whose pattern for danger would miss it, is left to Claude's own prompt.
func TestPermissionShowsAll(t *testing.T) {
	t.Parallel()
	for tool, inputs := range map[string][]string{
		"Bash":      {`{"command":"ls","dangerouslyDisableSandbox":true}`, `{"command":"rm -rf .","Command":"ls"}`},
		"Write":     {`{"file_path":"/a","content":"theirs","Content":"shown"}`},
		"MultiEdit": {`{"file_path":"/a","edits":[{"old_string":"a","new_string":"theirs","New_string":"shown"}]}`},
	} {
		for _, input := range inputs {
			p, err := ReadPermission(hookInput(tool, input))
			if err != nil {
				t.Fatal(err)
			}
			_, raw, err := p.Request()
			if tool == "Bash" && err == nil || tool != "Bash" && !strings.Contains(string(raw), `"arguments":`+input) {
				t.Errorf("%s %s is asked for as %s, %v", tool, input, raw, err)
			}
		}
	}
}

// What is decided goes back to the letter: the input as it was, and Claude's own suggestion.
func TestPermissionDecisions(t *testing.T) {
	t.Parallel()
	p, err := ReadPermission(hookInput("Bash", `{"command":"ls"}`))
	if err != nil {
		t.Fatal(err)
	}
	for details, want := range map[string]string{
		`{"decision":"allow"}`:                       `{"behavior":"allow","updatedInput":{"command":"ls"}}`,
		`{"decision":"allow","always":1}`:            `{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":[{"type":"addDirectories","directories":["/tmp/x"],"destination":"session"}]}`,
		`{"decision":"deny"}`:                        `{"behavior":"deny","message":"The person does not allow this."}`,
		`{"decision":"deny","reason":"tests first"}`: `{"behavior":"deny","message":"tests first"}`,
		`{"decision":"allow","always":9}`:            "an error",
		`{"decision":"none"}`:                        "",
		`{}`:                                         "",
	} {
		d, err := p.Decide(true, []byte(details), "")
		if d == nil {
			if failed := map[bool]string{true: "an error"}[err != nil]; failed != want {
				t.Errorf("%s: %v, want %s", details, err, want)
			}
			continue
		}
		if got, _ := json.Marshal(d); err != nil || string(got) != `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":`+want+`}}` {
			t.Errorf("%s: %v\n%s", details, err, got)
		}
	}
}

// The end is that of the call with this input, whoever decided it.
func TestPermissionEnds(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 28, 6, 0, 0, 0, time.UTC)
	p, _ := ReadPermission(hookInput("Edit", `{"file_path":"/srv/shop/a.go","old_string":"a","new_string":"b","replace_all":false}`))
	use := func(id, input string) string {
		return `{"type":"assistant","timestamp":"2026-11-28T06:00:00Z","message":{"id":"m` + id + `","content":[{"type":"tool_use","id":"` + id + `","name":"Edit","input":` + input + `}]}}`
	}
	result := func(id, said string) string {
		return `{"type":"user","timestamp":"2026-11-28T06:00:09Z","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"` + said + `"}]}}`
	}
	allow, deny := *allow(nil), *deny("tests first")
	for name, c := range map[string]struct {
		lines []string
		over  bool
		took  map[string]bool
	}{
		"not yet":       {[]string{use("1", `{"file_path":"a.go","old_string":"a","new_string":"b"}`)}, false, nil},
		"done":          {[]string{use("1", `{"file_path":"a.go","old_string":"a","new_string":"b"}`), result("1", "The file was updated.")}, true, map[string]bool{"allow": true, "deny": false}},
		"denied":        {[]string{use("1", `{"file_path":"/srv/shop/a.go","old_string":"a","new_string":"b"}`), result("1", "tests first")}, true, map[string]bool{"deny": true}},
		"stopped there": {[]string{use("1", `{"file_path":"a.go","old_string":"a","new_string":"b"}`), result("1", refused+" with this tool use.")}, true, map[string]bool{"allow": false, "deny": false}},
		"of another":    {[]string{use("1", `{"file_path":"a.go","old_string":"x","new_string":"b"}`), use("2", `{"file_path":"a.go","old_string":"a","new_string":"b"}`), result("1", "done")}, false, nil},
		"rewritten":     {[]string{use("1", `{"file_path":"b.go","old_string":"x"}`), use("2", `{"file_path":"a.go","old_string":"x"}`), result("2", "done")}, true, map[string]bool{"allow": true}},
		"after another": {[]string{use("1", `{"file_path":"b.go","old_string":"x"}`), use("2", `{"file_path":"a.go","old_string":"x"}`), result("1", "done")}, false, nil},
	} {
		calls := Call{Prompt: p, Began: began}.Calls()
		for _, line := range c.lines {
			calls.Line([]byte(line))
		}
		end, _, over := calls.End(began.Add(10 * time.Second))
		if over != c.over {
			t.Errorf("%s: over %v", name, over)
		}
		for what, want := range c.took {
			if got := p.Took(map[string]Decision{"allow": allow, "deny": deny}[what], end); got != want {
				t.Errorf("%s: %s was taken %v", name, what, got)
			}
		}
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args    []string
		command string
		want    bool
	}{
		{[]string{"/bin/bash", "-c", "source /x/snapshot.sh 2>/dev/null || true && eval 'sleep 30' < /dev/null && pwd -P >| /tmp/y"}, "sleep 30", true},
		{[]string{"/bin/sh", "-c", "sleep 30"}, "sleep 30", true},
		{[]string{"/bin/bash", "-c", `eval 'echo '"'"'hi'"'"'' \< /dev/null`}, "echo 'hi'", true},
		{[]string{"/bin/bash", "-c", "eval 'sleep 300' < /dev/null"}, "sleep 30", false},
		{[]string{"node", "tools.js"}, "ls", false},
		{nil, "ls", false},
	} {
		if got := Runs(c.args, c.command); got != c.want {
			t.Errorf("%q of %q: %v", c.command, c.args, got)
		}
	}
}

package denial

import (
	"strings"
	"testing"
)

func named(t *testing.T, name string) Agent {
	t.Helper()
	for _, a := range All {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("there is no %s", name)
	return Agent{}
}

// Each agent's call as it was captured, and a refusal as it takes it.
func TestCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ call, input, refusal string }{
		"gemini": {
			`{"session_id":"s1","transcript_path":"/t","cwd":"/c","hook_event_name":"BeforeTool","timestamp":"2026","tool_name":"ask_user","tool_input":{"questions":[]}}`,
			`{"questions":[]}`, `{"decision":"deny","reason":"so \"it\" is"}`,
		},
		"copilot": {
			`{"sessionId":"s1","timestamp":1,"cwd":"/c","toolName":"ask_user","toolArgs":"{\"message\":\"Which?\"}"}`,
			`{"message":"Which?"}`, `{"permissionDecision":"deny","permissionDecisionReason":"so \"it\" is"}`,
		},
		"qwen": {
			`{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"ask_user_question","tool_input":{"questions":[]},"permission_suggestions":[]}`,
			`{"questions":[]}`, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"so \"it\" is"}}}`,
		},
	} {
		a := named(t, name)
		got, err := a.Read([]byte(c.call))
		if err != nil || got.Session != "s1" || string(got.Input) != c.input {
			t.Errorf("%s: read is %q of %q, %v", name, got.Input, got.Session, err)
		}
		if refusal := a.Refuse(`so "it" is`); refusal != c.refusal+"\n" {
			t.Errorf("%s: the refusal is %s", name, refusal)
		}
	}
}

// What is no call of the tool is refused, and nothing hangs or panics.
func TestOtherCalls(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string][]string{
		"gemini":  {"", "{", "null", "[]", `"x"`, `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{}}`, `{"hook_event_name":"AfterTool","tool_name":"ask_user","tool_input":{}}`, `{"hook_event_name":"BeforeTool","tool_name":"ask_user"}`, `{"hook_event_name":7}`},
		"copilot": {`{"toolName":"bash","toolArgs":"{}"}`, `{"toolName":"ask_user","toolArgs":"{"}`, `{"toolName":"ask_user"}`},
		"qwen":    {`{"hook_event_name":"PreToolUse","tool_name":"ask_user_question","tool_input":{}}`, strings.Repeat("[", 1<<20)},
	} {
		for _, call := range calls {
			if got, err := named(t, name).Read([]byte(call)); err == nil {
				t.Errorf("%s takes %.80q as %q", name, call, got.Input)
			}
		}
	}
}

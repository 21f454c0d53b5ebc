package denial

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/agents/tools"
)

// copilotCall and qwenCall are calls as they were captured.
func copilotCall(tool, args string) string {
	return `{"sessionId":"s1","timestamp":1,"cwd":"/c","toolName":"` + tool + `","toolArgs":` + args + `}`
}

func qwenCall(tool, args string) string {
	return `{"session_id":"s1","transcript_path":"/t","cwd":"/c","hook_event_name":"PermissionRequest","permission_mode":"default","prompt_id":"p","tool_name":"` + tool + `","tool_input":` + args + `}`
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		copilotCall("bash", `{"command":"touch a","description":"Make it","initial_wait":5}`):                `{"command":"touch a","directory":"/c","tool":"bash","why":"Make it"}`,
		copilotCall("create", `{"path":"/c/f","file_text":"x"}`):                                             `{"directory":"/c","file":{"content":"x","path":"/c/f"},"tool":"create"}`,
		copilotCall("edit", `{"path":"/c/f","old_str":"x","new_str":"y"}`):                                   `{"directory":"/c","file":{"path":"/c/f","replace":[{"new":"y","old":"x"}]},"tool":"edit"}`,
		qwenCall("run_shell_command", `{"command":"touch a","description":"Make it","is_background":false}`): `{"command":"touch a","directory":"/c","tool":"run_shell_command","why":"Make it"}`,
		qwenCall("write_file", `{"file_path":"/c/f","content":"x"}`):                                         `{"directory":"/c","file":{"content":"x","path":"/c/f"},"tool":"write_file"}`,
		qwenCall("edit", `{"file_path":"/c/f","old_string":"x","new_string":"y"}`):                           `{"directory":"/c","file":{"path":"/c/f","replace":[{"new":"y","old":"x"}]},"tool":"edit"}`,
		qwenCall("edit", `{"file_path":"/c/f","old_string":"x","new_string":"y","unheard":1}`):               `{"arguments":{"file_path":"/c/f","new_string":"y","old_string":"x","unheard":1},"directory":"/c","tool":"edit"}`,
		qwenCall("run_shell_command", `{"command":"touch a","directory":"/"}`):                               `{"command":"touch a","directory":"/","tool":"run_shell_command"}`,
		copilotCall("edit", `{"path":"/c/f","file_path":"/c/g","old_str":"x","new_str":"y"}`):                `{"arguments":{"file_path":"/c/g","new_str":"y","old_str":"x","path":"/c/f"},"directory":"/c","tool":"edit"}`,
	} {
		name := "qwen"
		if strings.Contains(call, "toolName") {
			name = "copilot"
		}
		got, err := named(t, name).ReadPermission([]byte(call))
		if err != nil || got.Session != "s1" || string(got.Input) != want {
			t.Errorf("%s\nis %s, %v", call, got.Input, err)
		}
	}
}

// What only reads needs no permission of Copilot CLI's, and no form of ours; what may do more gets one.
func TestReadersAreNotAsked(t *testing.T) {
	t.Parallel()
	for command, asked := range map[string]bool{
		"ls": false, "ls -la /tmp": false, "grep -rn main .": false,
		"ls > list": true, "ls; rm x": true, "echo $(rm x)": true, "echo `rm x`": true, "cat a | sh": true, "ls\nrm x": true, "lsx": true, "": true, "rm ls": true,
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		_, err := named(t, "copilot").ReadPermission([]byte(copilotCall("bash", string(args))))
		if errors.Is(err, tools.ErrUnasked) == asked {
			t.Errorf("%q: %v", command, err)
		}
	}
}

// Of what is no such call, or would not be shown whole, nobody is asked here.
func TestOtherPermissions(t *testing.T) {
	t.Parallel()
	for call, name := range map[string]string{
		"{": "qwen", "": "copilot", qwenCall("ask_user_question", "{}"): "qwen", qwenCall("exit_plan_mode", "{}"): "qwen",
		copilotCall("view", `{"path":"/c"}`): "copilot", copilotCall("ask_user", `{}`): "copilot", copilotCall("bash", `"{"`): "copilot",
		copilotCall("bash", `{"command":"touch a"}`): "gemini",
	} {
		if got, err := named(t, name).ReadPermission([]byte(call)); err == nil {
			t.Errorf("%s takes %s as %s", name, call, got.Input)
		}
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const refused = "The person does not allow this."
	for name, want := range map[string][3]string{ // the last is of no decision
		"copilot": {`{"permissionDecision":"allow"}`, `{"permissionDecision":"deny","permissionDecisionReason":"` + refused + ` not \"here\""}`,
			`{"permissionDecision":"ask","permissionDecisionReason":"It was left undecided in askpane."}` + "\n"},
		"qwen": {`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"` + refused + ` not \"here\""}}}`, ""},
	} {
		for i, d := range []tools.Decided{{Decision: "allow"}, {Decision: "deny", Reason: `not "here"`}} {
			if got := named(t, name).Decide(d); got != want[i]+"\n" {
				t.Errorf("%s: %s", name, got)
			}
		}
		for _, none := range []string{"none", ""} {
			if got := named(t, name).Decide(tools.Decided{Decision: none}); got != want[2] {
				t.Errorf("%s: undecided is %s", name, got)
			}
		}
	}
}

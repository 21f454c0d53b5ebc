package claude

import (
	"encoding/json"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

const two = `{"questions":[{"question":"Which?","options":[]},{"question":"Why?","options":[]}],"metadata":{"source":"x"}}`

func TestRead(t *testing.T) {
	t.Parallel()
	for input, beside := range map[string]bool{
		`{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{}}`:                 true,
		`{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","agent_id":"a1","tool_input":{}}`: false,
		`{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{}}`:                        false,
	} {
		if in, err := ReadQuestions([]byte(input)); err != nil || in.Beside() != beside {
			t.Errorf("%s: %v, %v", input, in.Beside(), err)
		}
	}
	for _, input := range []string{``, `{`, `[]`, `{"hook_event_name":"PermissionRequest","tool_name":"Bash"}`, `{"hook_event_name":"Stop","tool_name":"AskUserQuestion"}`} {
		if _, err := ReadQuestions([]byte(input)); err == nil {
			t.Errorf("%s is taken", input)
		}
	}
}

// What the hook prints, to the letter.
func TestDecide(t *testing.T) {
	t.Parallel()
	answered := Answer{Answers: map[string]string{"Which?": "A"}, Annotations: map[string]Annotation{"Which?": {Notes: "n", Preview: "p"}}}
	all := Answer{Answers: map[string]string{"Which?": "A", "Why?": "words of mine"}, Note: "Two pictures."}
	const questions = `"questions":[{"question":"Which?","options":[]},{"question":"Why?","options":[]}]`
	for _, c := range []struct {
		name, event string
		a           Answer
		want        string
	}{
		{"one skipped", PermissionRequest, answered, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{` +
			`"annotations":{"Which?":{"notes":"n","preview":"p"},"Why?":{"notes":"skipped: the person left this question open"}},"answers":{"Which?":"A"},"metadata":{"source":"x"},` + questions + `}}}}`},
		{"with a note of ours", PermissionRequest, all, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{` +
			`"annotations":{"Which?":{"notes":"Two pictures."}},"answers":{"Which?":"A","Why?":"words of mine"},"metadata":{"source":"x"},` + questions + `}}}}`},
		{"declined", PermissionRequest, Answer{Declined: true, Reason: "explain more first"},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"The person did not answer these questions, and says: explain more first"}}}`},
		{"to the chat", PermissionRequest, Answer{Declined: true},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"` + inChat + `"}}}`},
		{"of older versions", PreToolUse, all, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"asked in askpane","updatedInput":{` +
			`"answers":{"Which?":"A","Why?":"words of mine"},"metadata":{"source":"x"},` + questions + `},"additionalContext":"Two pictures."}}`},
		{"declined there", PreToolUse, Answer{Declined: true}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"asked in askpane","updatedInput":{` +
			`"answers":{},"metadata":{"source":"x"},` + questions + `},"additionalContext":"` + inChat + `"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Prompt{Event: c.event, Tool: Tool, Ask: json.RawMessage(two)}.answer(c.a)
			must.Do(t, err)
			got, err := json.Marshal(d)
			must.Do(t, err)
			if string(got) != c.want {
				t.Errorf("printed\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	for _, broken := range []string{`{}`, `[]`, ``} {
		if _, err := (Prompt{Event: PermissionRequest, Tool: Tool, Ask: json.RawMessage(broken)}).answer(answered); err == nil {
			t.Errorf("%q is answered", broken)
		}
	}
}

// Whose answer Claude took: two may be the same.
func TestTook(t *testing.T) {
	t.Parallel()
	in := Prompt{Event: PermissionRequest, Tool: Tool, Ask: json.RawMessage(two)}
	allow, err := in.answer(Answer{Answers: map[string]string{"Which?": "A", "Why?": "b"}})
	must.Do(t, err)
	deny, err := in.answer(Answer{Declined: true, Reason: "not now"})
	must.Do(t, err)
	said, other := json.RawMessage(`{"Why?":"b","Which?":"A"}`), json.RawMessage(`{"Which?":"B"}`)
	for _, c := range []struct {
		d    *Decision
		e    End
		ours bool
	}{
		{allow, End{Source: "hook", Answers: said}, true},
		{allow, End{Answers: said}, true},
		{allow, End{Source: "user_temporary", Answers: said}, false},
		{allow, End{Source: "hook", Answers: other}, false},
		{allow, End{Said: "The user doesn't want to proceed"}, false},
		{deny, End{Source: "hook", Said: because + "not now"}, true},
		{deny, End{Source: "user_temporary", Answers: said}, false},
		{&Decision{}, End{Source: "hook", Answers: said}, false},
	} {
		if got := in.Took(*c.d, c.e); got != c.ours {
			t.Errorf("%+v by %+v: %v", c.e, c.d, got)
		}
	}
}

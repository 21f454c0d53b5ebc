package codex

import (
	"strings"
	"testing"
)

func TestElicitation(t *testing.T) {
	d := begun(t, "/ours")
	d.is(message(`{"id":3,"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"s","mode":"form","message":"m","requestedSchema":{"type":"object"}}}`), "ask T//3 elicitation")
	if raw := string(d.questions[Key{"T", "", "3"}].Raw); raw != `{"message":"m","requestedSchema":{"type":"object"},"serverName":"s"}` {
		t.Errorf("it asks %s", raw)
	}
	d.is(Said{Key: Key{"T", "", "3"}, Answer: details(`{"action":"accept","content":{"a":1}}`)}, `reply 3 {"action":"accept","content":{"a":1}}`)
	d.is(message(`{"method":"serverRequest/resolved","params":{"threadId":"T","requestId":3}}`), "taken T//3 <nil>")
}

// Why the person declines a form has no place in the reply, and follows as a message of theirs.
func TestElicitationDeclined(t *testing.T) {
	d := begun(t, "/ours")
	d.is(message(`{"id":3,"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"s","mode":"form","message":"m","requestedSchema":{}}}`), "ask T//3 elicitation")
	d.is(Said{Key: Key{"T", "", "3"}, Declined: true, Answer: details(`{"action":"decline","reason":"no time"}`)}, `reply 3 {"action":"decline","content":null}`)
	d.is(message(`{"method":"serverRequest/resolved","params":{"threadId":"T","requestId":3}}`), "turn/steer")
	if sent := string(rawJSON(d.sent[0].Params)); !strings.Contains(sent, `"text":"no time"`) {
		t.Errorf("it writes %s", sent)
	}
	d.is(d.answer("turn/steer", `"result":{}`), "taken T//3 <nil>")
}

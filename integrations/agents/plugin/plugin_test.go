package plugin

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/askpane/askpane/integrations/agents/tools"
	"github.com/askpane/askpane/tests/must"
)

// What opencode and pi ask becomes what is shown: whole, or as its arguments.
func TestRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent, sent, want string
	}{
		"command": {"opencode", `{"permission":"bash","directory":"/w","always":["touch *","echo *"],"input":{"command":"touch a; echo b","workdir":"sub","timeout":9}}`,
			`{"always":["bash touch *, echo *, until the agent is restarted"],"command":"touch a; echo b","directory":"/w/sub","tool":"bash"}`},
		"command with what is not known": {"opencode", `{"permission":"bash","directory":"/w","patterns":["ls"],"input":{"command":"ls","sandbox":false}}`,
			`{"arguments":{"input":{"command":"ls","sandbox":false},"metadata":null,"patterns":["ls"]},"directory":"/w","tool":"bash"}`},
		"names in another case": {"opencode", `{"permission":"bash","directory":"/w","patterns":["*"],"input":{"command":"ls","Command":"rm x"}}`,
			`{"arguments":{"Command":"rm x","command":"ls"},"directory":"/w","tool":"bash"}`},
		"command of no call": {"opencode", `{"permission":"bash","directory":"/w","patterns":["ls"],"metadata":{"command":"ls"}}`,
			`{"arguments":{"input":null,"metadata":{"command":"ls"},"patterns":["ls"]},"directory":"/w","tool":"bash"}`},
		"command that is not there yet": {"opencode", `{"permission":"bash","directory":"/w","patterns":["ls"],"metadata":{"command":"ls"},"input":{}}`,
			`{"arguments":{"input":{},"metadata":{"command":"ls"},"patterns":["ls"]},"directory":"/w","tool":"bash"}`},
		"write": {"opencode", `{"permission":"edit","directory":"/w","input":{"filePath":"/w/a","content":"x"}}`,
			`{"directory":"/w","file":{"content":"x","path":"/w/a"},"tool":"edit"}`},
		"edit": {"opencode", `{"permission":"edit","directory":"/w","input":{"filePath":"/w/a","oldString":"x","newString":"y","replaceAll":true}}`,
			`{"directory":"/w","file":{"path":"/w/a","replace":[{"all":true,"new":"y","old":"x"}]},"tool":"edit"}`},
		"new file": {"opencode", `{"permission":"edit","directory":"/w","input":{"filePath":"/w/a","oldString":"","newString":"y"}}`,
			`{"directory":"/w","file":{"content":"y","path":"/w/a"},"tool":"edit"}`},
		"patch": {"opencode", `{"permission":"edit","directory":"/w","patterns":["a"],"input":{"patchText":"*** Begin"}}`,
			`{"arguments":{"input":{"patchText":"*** Begin"},"metadata":null,"patterns":["a"]},"directory":"/w","tool":"edit"}`},
		"address": {"opencode", `{"permission":"webfetch","directory":"/w","input":{"url":"https://x","format":"text"}}`,
			`{"directory":"/w","tool":"webfetch","url":"https://x"}`},
		"tool of a server": {"opencode", `{"permission":"db_query","directory":"/w","patterns":["*"],"always":["*"],"input":{"sql":"drop"}}`,
			`{"always":["db_query *, until the agent is restarted"],"arguments":{"sql":"drop"},"directory":"/w","tool":"db_query"}`},
		"pi, command": {"pi", `{"permission":"bash","directory":"/w","input":{"command":"ls","timeout":3}}`,
			`{"command":"ls","directory":"/w","tool":"bash"}`},
		"pi, edit": {"pi", `{"permission":"edit","directory":"/w","input":{"path":"a","edits":[{"oldText":"x","newText":"y"}]}}`,
			`{"directory":"/w","file":{"path":"a","replace":[{"new":"y","old":"x"}]},"tool":"edit"}`},
		"pi, two ways at once": {"pi", `{"permission":"edit","directory":"/w","input":{"path":"a","oldText":"1","newText":"2","edits":[{"oldText":"x","newText":"y"}]}}`,
			`{"arguments":{"edits":[{"newText":"y","oldText":"x"}],"newText":"2","oldText":"1","path":"a"},"directory":"/w","tool":"edit"}`},
		"pi, a path that it changes": {"pi", `{"permission":"write","directory":"/w","input":{"path":"~/a","content":"x"}}`,
			`{"arguments":{"content":"x","path":"~/a"},"directory":"/w","tool":"write"}`},
		"pi, another tool": {"pi", `{"permission":"deploy","directory":"/w","input":{"to":"prod"}}`,
			`{"arguments":{"to":"prod"},"directory":"/w","tool":"deploy"}`},
	} {
		var p Permission
		must.Do(t, json.Unmarshal([]byte(c.sent), &p))
		got, err := json.Marshal(p.Request(c.agent))
		if string(got) != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

// What opencode would not replace to the letter is left to its own prompt, which has the real diff.
func TestLiteral(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		`{"filePath":"a","oldString":"two","newString":"2"}`:                     true,
		`{"filePath":"a","oldString":"one","newString":"1"}`:                     false, // stands there twice
		`{"filePath":"a","oldString":" two","newString":"2"}`:                    false, // is like it
		`{"filePath":"a","oldString":"one","newString":"1","replaceAll":true}`:   true,
		`{"filePath":"a","oldString":"one","newString":"$&1","replaceAll":true}`: false,
		`{"filePath":"a","oldString":"none","newString":"1","replaceAll":true}`:  false,
		`{"filePath":"b","oldString":"two","newString":"2"}`:                     false, // is not there
		`{"filePath":"b","oldString":"","newString":"2"}`:                        true,
		`{"filePath":"b","content":"2"}`:                                         true,
	} {
		p := Permission{Permission: "edit", Directory: "/w"}
		must.Do(t, json.Unmarshal([]byte(input), &p.Input))
		read := func(path string) ([]byte, error) {
			if path != "/w/a" {
				return nil, os.ErrNotExist
			}
			return []byte("one\ntwo\none\n"), nil
		}
		if got := p.Literal(read); got != want {
			t.Errorf("%s: %v", input, got)
		}
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	for details, want := range map[string]string{
		`{"decision":"allow"}`:                    `{"reply":"once"}`,
		`{"decision":"allow","always":0}`:         `{"reply":"always"}`,
		`{"decision":"allow","always":1}`:         "",
		`{"decision":"deny","reason":"not here"}`: `{"reply":"reject","message":"not here"}`,
		`{"decision":"deny"}`:                     `{"reply":"reject"}`,
		`{"decision":"none"}`:                     "",
		`{}`:                                      "",
	} {
		var d tools.Decided
		must.Do(t, json.Unmarshal([]byte(details), &d))
		reply := Permission{Always: []string{"touch *"}}.Reply(d)
		if got, _ := json.Marshal(reply); (reply == nil) != (want == "") || reply != nil && string(got) != want {
			t.Errorf("%s: %s", details, got)
		}
	}
	if (Permission{}).Reply(tools.Decided{Decision: "allow", Always: new(int)}) != nil {
		t.Error("a rule was stored that was not proposed")
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	for d, want := range map[tools.Decided]string{
		{Decision: "allow"}:                    `{}`,
		{Decision: "deny"}:                     `{"block":true,"reason":"The person does not allow this."}`,
		{Decision: "deny", Reason: "not here"}: `{"block":true,"reason":"not here"}`,
		{Decision: "none"}:                     `{"block":true,"reason":"nobody"}`,
		{}:                                     `{"block":true,"reason":"nobody"}`,
	} {
		if got, _ := json.Marshal(GateOf(d, "nobody")); string(got) != want {
			t.Errorf("%+v: %s", d, got)
		}
	}
}

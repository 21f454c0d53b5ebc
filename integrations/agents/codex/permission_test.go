package codex

import (
	"strings"
	"testing"
)

// started is an item of T that has begun.
func started(item string) Received {
	return message(`{"method":"item/started","params":{"threadId":"T","item":%s}}`, item)
}

const (
	toRun    = `"method":"item/commandExecution/requestApproval","params":{"kind":"command","threadId":"T","turnId":"U","itemId":"call_0","environmentId":"local","reason":"May I?","command":"/bin/bash -lc 'touch a'","cwd":"/ours/all","commandActions":[],"proposedExecpolicyAmendment":["touch","it's"],"availableDecisions":["accept","acceptForSession",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch","it's"]}},"cancel"]}`
	toChange = `"method":"item/fileChange/requestApproval","params":{"threadId":"T","turnId":"U","itemId":"call_0","startedAtMs":1,"reason":null,"grantRoot":null}`
	toCall   = `"method":"mcpServer/elicitation/request","params":{"threadId":"T","turnId":"U","serverName":"shop","mode":"form","_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session","always"],"tool_name":"buy","tool_params":{"n":12345678901234567890}},"message":"Allow?","requestedSchema":{"type":"object","properties":{}}}`
	aChange  = `{"type":"fileChange","id":"call_0","status":"inProgress","changes":[{"path":"/a","kind":{"type":"update","move_path":null},"diff":"@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -9 +9,2 @@\n x\n+y\n\\ No newline at end of file\n"},{"path":"/b","kind":{"type":"add"},"diff":"new\n"},{"path":"/c","kind":{"type":"delete"},"diff":"old\n"}]}`
	aCall    = `{"type":"mcpToolCall","id":"call_0","status":"inProgress","server":"shop","tool":"buy","arguments":{"n":12345678901234567890}}`
)

func approval(id int, text string) Received {
	return message(`{"id":%d,`+strings.ReplaceAll(text, "%", "%%")+`}`, id)
}

// What Codex wants to be allowed is asked whole, in the dialect's words, and each decision goes to
// Codex in its own.
func TestPermission(t *testing.T) {
	for name, c := range map[string]struct {
		item, request, asks string
		replies             map[string]string
	}{
		"a command": {`{"type":"commandExecution","id":"call_0"}`, toRun,
			`{"always":["this command, for this session","commands that begin with touch 'it'\\''s', in every session"],"command":"touch a","directory":"/ours/all","tool":"exec_command","why":"May I?"}`,
			map[string]string{
				`{"decision":"allow"}`:            `{"decision":"accept"}`,
				`{"decision":"allow","always":0}`: `{"decision":"acceptForSession"}`,
				`{"decision":"allow","always":1}`: `{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch","it's"]}}}`,
				`{"decision":"deny"}`:             `{"decision":"decline"}`,
			}},
		"a change": {aChange, toChange,
			`{"always":["changes of these files, for this session"],"directory":"/ours/all","files":[{"path":"/a","replace":[{"line":1,"new":"one\n2\n","old":"one\ntwo\n"},{"line":9,"new":"x\ny","old":"x\n"}]},{"content":"new\n","path":"/b"},{"path":"/c","remove":true}],"tool":"apply_patch","why":""}`,
			map[string]string{
				`{"decision":"allow"}`:            `{"decision":"accept"}`,
				`{"decision":"allow","always":0}`: `{"decision":"acceptForSession"}`,
				`{"decision":"deny"}`:             `{"decision":"decline"}`,
			}},
		"a call": {aCall, toCall,
			`{"always":["buy of the MCP server shop, for this session","buy of the MCP server shop, in every session"],"arguments":{"n":12345678901234567890},"directory":"/ours/all","tool":"mcp__shop__buy","why":""}`,
			map[string]string{
				`{"decision":"allow"}`:            `{"_meta":null,"action":"accept","content":{}}`,
				`{"decision":"allow","always":1}`: `{"_meta":{"persist":"always"},"action":"accept","content":{}}`,
				`{"decision":"deny"}`:             `{"_meta":null,"action":"decline","content":null}`,
			}},
	} {
		for said, reply := range c.replies {
			t.Run(name+" "+said, func(t *testing.T) {
				d := begun(t, "/ours/all")
				d.is(started(c.item), "")
				asked := d.Step(approval(0, c.request))
				if len(asked) != 1 {
					t.Fatalf("it does %v", asked)
				}
				q := asked[0].(Ask)
				if string(q.Raw) != c.asks || q.Dialect != "permission" || q.Key != key0 {
					t.Errorf("it asks %s of %v\n%s\nwant\n%s", q.Dialect, q.Key, q.Raw, c.asks)
				}
				d.is(approval(0, c.request), "")
				d.is(Said{Key: key0, Answer: details(said)}, "reply 0 "+reply)
				d.is(resolved0, "")
			})
		}
	}
}

// How the item ends tells which decision Codex took.
func TestPermissionTaken(t *testing.T) {
	ends := func(status string) Received {
		return completed(`{"type":"commandExecution","id":"call_0","status":"` + status + `"}`)
	}
	allow, deny := Said{Key: key0, Answer: details(`{"decision":"allow"}`)}, Said{Key: key0, Answer: details(`{"decision":"deny"}`)}
	because := Said{Key: key0, Declined: true, Answer: details(`{"decision":"deny","reason":"not here"}`)}
	over := message(`{"method":"turn/completed","params":{"threadId":"T","turn":{"id":"U"}}}`)
	const accepts, declines, ours, theirs = `reply 0 {"decision":"accept"}`, `reply 0 {"decision":"decline"}`, "taken T/call_0/0 <nil>", "taken T/call_0/0 an answer is with Codex already"
	for name, steps := range map[string][]any{
		"allowed":                  {allow, accepts, resolved0, "", ends("completed"), ours},
		"allowed, and it failed":   {allow, accepts, resolved0, "", ends("failed"), ours},
		"allowed, and Esc there":   {allow, accepts, resolved0, "", ends("declined"), theirs},
		"denied":                   {deny, declines, resolved0, "", ends("declined"), ours},
		"denied, and Yes there":    {deny, declines, resolved0, "", ends("completed"), theirs},
		"a reason, and Yes there":  {because, declines, resolved0, "", ends("completed"), theirs},
		"denied with a reason":     {because, declines, resolved0, "", ends("declined"), "turn/steer"},
		"its end comes first":      {allow, accepts, ends("completed"), ours, resolved0, ""},
		"another item ends":        {allow, accepts, resolved0, "", completed(`{"type":"commandExecution","id":"call_9","status":"declined"}`), ""},
		"its own first":            {resolved0, "end T/call_0/0", allow, theirs, ends("completed"), ""},
		"left to Codex":            {Said{Key: key0, Answer: details(`{"decision":"none"}`)}, ours, resolved0, "", ends("completed"), ""},
		"not asked here":           {Said{Key: key0}, ours, resolved0, ""},
		"a rule that is not there": {Said{Key: key0, Answer: details(`{"decision":"allow","always":7}`)}, ours},
		"allowed twice":            {allow, accepts, allow, theirs},
		"the turn is interrupted":  {allow, accepts, resolved0, "", over, "", becomes("idle"), "thread/unsubscribe"},
	} {
		t.Run(name, func(t *testing.T) {
			d := begun(t, "/ours/all")
			d.is(approval(0, toRun), "ask T/call_0/0 permission")
			for i := 0; i < len(steps); i += 2 {
				d.is(steps[i], steps[i+1].(string))
			}
			if name == "denied with a reason" {
				if sent := string(rawJSON(d.sent[0].Params)); !strings.Contains(sent, `"text":"not here"`) {
					t.Errorf("it writes %s", sent)
				}
				d.is(d.answer("turn/steer", `"result":{}`), ours)
			}
		})
	}
}

// What would not be on view whole, and what is not to be asked here, is left to Codex's own prompt.
func TestPermissionLeft(t *testing.T) {
	with := func(text, old, new string) string { return strings.Replace(text, old, new, 1) }
	for name, c := range map[string]struct{ cwd, item, request string }{
		"questions only":            {"/ours", "{}", toRun},
		"another's":                 {"/theirs", "{}", toRun},
		"more than is shown":        {"/ours/all", "{}", with(toRun, `"kind"`, `"networkApprovalContext":{"host":"x"},"kind"`)},
		"input for a terminal":      {"/ours/all", "{}", with(toRun, `"command"`, `"writeStdin"`)},
		"another machine":           {"/ours/all", "{}", with(toRun, `"local"`, `"far"`)},
		"no command":                {"/ours/all", "{}", with(toRun, `"command":"/bin`, `"cmd":"/bin`)},
		"nothing to accept":         {"/ours/all", "{}", with(toRun, `"accept",`, ``)},
		"a change that is not seen": {"/ours/all", "{}", toChange},
		"more than the change":      {"/ours/all", aChange, with(toChange, `"grantRoot":null`, `"grantRoot":"/"`)},
		"a file that moves":         {"/ours/all", with(aChange, `null`, `"/d"`), toChange},
		"no diff":                   {"/ours/all", with(aChange, `@@ -1,2 +1,2 @@`, `?`), toChange},
		"a diff of something else":  {"/ours/all", with(aChange, ` one`, `one`), toChange},
		"a call that is not seen":   {"/ours/all", with(aCall, `67890}`, `67891111}`), toCall},
		"a call of ours":            {"/ours/all", with(aCall, "shop", "askpane"), with(toCall, "shop", "askpane")},
		"another kind":              {"/ours/all", aCall, with(toCall, "mcp_tool_call", "plugin")},
		"a call with a form":        {"/ours/all", aCall, with(toCall, `"properties":{`, `"properties":{"a":{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			d := begun(t, c.cwd)
			d.is(started(c.item), "")
			d.is(approval(0, c.request), "")
		})
	}
}

// A change that began before we came is found in the thread.
func TestPermissionFound(t *testing.T) {
	d := begun(t, "/ours/all")
	d.is(becomes("idle"), "thread/unsubscribe")
	d.is(d.answer("thread/unsubscribe", `"result":{}`), "")
	d.is(becomes(active), "thread/resume")
	d.is(d.answer("thread/resume", joins(active, inProgress, aChange)), "")
	d.is(approval(0, toChange), "ask T/call_0/0 permission")
}

// The words of a shell are taken apart only where that leaves no doubt.
func TestScript(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`/bin/bash -lc 'touch "a" $b'`: `touch "a" $b`,
		`/bin/bash -lc "echo 'a  b'"`:  `echo 'a  b'`,
		`/usr/bin/zsh -lc ls`:          `ls`,
		`/bin/bash -lc 'a'"'"'b'`:      ``,
		`/bin/bash -lc "echo $x"`:      ``,
		`/bin/bash -lc ls; rm x`:       ``,
		`/bin/bash -lc 'ls' x`:         ``,
		`/tmp/bin/bash -lc 'ls'`:       ``,
		`/bin/evil -lc 'ls'`:           ``,
		`FOO=1 /bin/bash -lc 'ls'`:     ``,
		`python3 x`:                    ``,
	} {
		if want == "" {
			want = command
		}
		if got := script(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

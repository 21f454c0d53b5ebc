package codex

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// daemon plays Codex's side: what the machine sends is noted, and answered where a test says so.
type daemon struct {
	t *testing.T
	*Machine
	sent []Message // that have not been answered
}

func newDaemon(t *testing.T) *daemon {
	t.Parallel()
	return &daemon{t: t, Machine: New("1")}
}

// step passes an event and says what the machine does but for calls, which are kept.
func (d *daemon) step(e Event) string {
	var does []string
	for _, effect := range d.Step(e) {
		switch effect := effect.(type) {
		case Send:
			if effect.Method != "" && effect.ID != nil {
				d.sent = append(d.sent, effect.Message)
				does = append(does, effect.Method)
			} else if effect.Method == "" {
				does = append(does, fmt.Sprintf("reply %s %s", effect.ID, rawJSON(effect.Result)))
			}
		case Ask:
			does = append(does, fmt.Sprintf("ask %s %s", name(effect.Key), effect.Dialect))
		case End:
			how := "end "
			if effect.Withdrawn {
				how = "withdraw "
			}
			does = append(does, how+name(effect.Key))
		case Taken:
			if does = append(does, fmt.Sprintf("taken %s %v", name(effect.Key), effect.Err)); effect.Err == ErrCompare {
				does = append(does, string(effect.Sent))
			}
		case Close:
			does = append(does, "close")
		}
	}
	return strings.Join(does, ", ")
}

func name(k Key) string { return strings.Trim(k.Thread+"/"+k.Item+"/"+k.Request, "/") }

// is checks what the machine does with an event.
func (d *daemon) is(e Event, want string) {
	d.t.Helper()
	if got := d.step(e); got != want {
		d.t.Fatalf("it does\n%s\nwant\n%s", got, want)
	}
}

// message reads one of the daemon's.
func message(text string, args ...any) Received {
	var r Received
	if err := json.Unmarshal(fmt.Appendf(nil, text, args...), &r); err != nil {
		panic(err)
	}
	return r
}

// answer answers the oldest call, which is of a method.
func (d *daemon) answer(method, with string) Received {
	d.t.Helper()
	if len(d.sent) == 0 || d.sent[0].Method != method {
		d.t.Fatalf("%s was not called, but %v", method, d.sent)
	}
	id := d.sent[0].ID
	d.sent = d.sent[1:]
	return message(`{"id":%s,%s}`, id, with)
}

// begun is a daemon with the thread T in the directory cwd, subscribed to, in the turn U.
func begun(t *testing.T, cwd string) *daemon {
	t.Helper()
	d := newDaemon(t)
	d.is(Opened{}, "initialize")
	d.is(d.answer("initialize", `"result":{"codexHome":"/home/.codex"}`), "thread/loaded/list")
	d.is(d.answer("thread/loaded/list", `"result":{"data":["T"]}`), "thread/read")
	read := d.answer("thread/read", fmt.Sprintf(`"result":{"thread":{"id":"T","cwd":%q,"path":"/r","status":{"type":"active"}}}`, cwd))
	d.is(read, "config/read")
	if sent := string(rawJSON(d.sent[0].Params)); !strings.Contains(sent, `"cwd":"`+cwd+`"`) {
		t.Errorf("it reads %s", sent)
	}
	if !strings.HasPrefix(cwd, "/ours") {
		off := ""
		if cwd == "/theirs/off" {
			off = `,"askpane":{"command":"/usr/bin/askpane","args":["mcp","--permissions"],"enabled":false}`
		}
		d.is(d.answer("config/read", `"result":{"config":{"mcp_servers":{"shop":{"args":[]}`+off+`}}}`), "")
		return d
	}
	d.is(d.answer("config/read", servers(cwd)), "thread/resume")
	d.is(d.answer("thread/resume", joins("active", "inProgress", "")), "")
	return d
}

// servers has Codex's settings for a directory, below /ours/all with permissions.
func servers(cwd string) string {
	args := `"mcp"`
	if strings.HasPrefix(cwd, "/ours/all") {
		args += `,"--permissions"`
	}
	name := "askpane"
	if cwd == "/ours/named" { // by whoever has set it up by hand
		name = "person"
	}
	return `"result":{"config":{"mcp_servers":{"shop":{"command":"shop"},"` + name + `":{"command":"/usr/bin/askpane","args":[` + args + `]}}}}`
}

// joins is the result of subscribing to T, whose last turn is U with these items.
func joins(thread, turn, items string) string {
	return fmt.Sprintf(`"result":{"thread":{"id":"T","path":"/r","status":{"type":%q}},"initialTurnsPage":{"data":[{"id":"U","status":%q,"items":[%s]}]}}`, thread, turn, items)
}

func request(id int) Received {
	return message(`{"id":%d,"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"call_%d","questions":[{"id":"db","question":"Which?","options":[{"label":"A"}]}]}}`, id, id)
}

const async = `{"type":"agentMessage","id":"call_0","delivery":"async","questions":[{"title":"Which?","options":["A","B"]},{"title":"Name?","options":null}]}`

func becomes(s string) Received {
	return message(`{"method":"thread/status/changed","params":{"threadId":"T","status":{"type":%q}}}`, s)
}

func completed(item string) Received {
	return message(`{"method":"item/completed","params":{"threadId":"T","item":%s}}`, item)
}

// wrote is a message of the person's, which answers parts of call_0.
func wrote(client string, places ...int) Received {
	text := "never mind"
	if len(places) > 0 {
		var answers []object
		for _, p := range places {
			answers = append(answers, object{"answer": "B", "question": "?", "questionItemId": fmt.Sprintf(`["request_user_input_async","call_0",%d]`, p)})
		}
		text = opening + string(rawJSON(answers)) + closing
	}
	return completed(string(rawJSON(object{"type": "userMessage", "id": "m", "clientId": client, "content": []object{{"type": "text", "text": text}}})))
}

var (
	resolved0 = message(`{"method":"serverRequest/resolved","params":{"threadId":"T","requestId":0}}`)
	key0      = Key{"T", "call_0", "0"}
	asyncKey  = Key{Thread: "T", Item: "call_0"}
)

func details(text string) json.RawMessage { return json.RawMessage(text) }

// A request is asked; an answer is sent, and who was first is found out.
func TestRequest(t *testing.T) {
	answer := Said{Key: key0, Answer: details(`{"answers":{"db":{"answers":["A"]}},"reason":"x"}`)}
	reply := `reply 0 {"answers":{"db":{"answers":["A"]}}}`
	for _, c := range []struct {
		name  string
		steps []any // an event, and what is done
	}{
		{"ours first", []any{answer, reply, resolved0, "taken T/call_0/0 " + ErrCompare.Error() + `, {"answers":{"db":{"answers":["A"]}}}`}},
		{"its own first", []any{resolved0, "end T/call_0/0", answer, "taken T/call_0/0 " + ErrOver.Error()}},
		{"repeated", []any{request(0), ""}},
		{"answered twice", []any{answer, reply, answer, "taken T/call_0/0 " + ErrOver.Error()}},
		{"another's is resolved", []any{message(`{"method":"serverRequest/resolved","params":{"threadId":"T","requestId":1}}`), ""}},
		{"declined", []any{Said{Key: key0, Declined: true, Answer: details(`{"answers":{}}`)}, `reply 0 {"answers":{"db":{"answers":["` + declined + `"]}}}`,
			resolved0, "taken T/call_0/0 " + ErrCompare.Error() + `, {"answers":{"db":{"answers":["` + declined + `"]}}}`}},
		{"declined with a reason", []any{Said{Key: key0, Declined: true, Answer: details(`{"answers":{"db":{"answers":["user_note: not chosen: later"]}}}`)},
			`reply 0 {"answers":{"db":{"answers":["user_note: not chosen: later"]}}}`}},
		{"nobody answered", []any{Said{Key: key0}, "taken T/call_0/0 <nil>", request(0), "", resolved0, ""}},
		{"its thread is closed", []any{message(`{"method":"thread/closed","params":{"threadId":"T"}}`), "withdraw T/call_0/0"}},
		{"its thread is unloaded", []any{becomes(notLoaded), "withdraw T/call_0/0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := begun(t, "/ours/shop")
			d.is(request(0), "ask T/call_0/0 codex")
			for i := 0; i < len(c.steps); i += 2 {
				d.is(c.steps[i], c.steps[i+1].(string))
			}
		})
	}
}

// What is not a question that may be asked here is left to Codex's dialog.
func TestLeft(t *testing.T) {
	for name, m := range map[string]string{
		"a secret":                    `"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"i","questions":[{"id":"db","isSecret":true}]}`,
		"no questions":                `"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"i","questions":[]}`,
		"a tool to be allowed":        `"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"i","questions":[{"id":"mcp_tool_call_approval_1"}]}`,
		"our own elicitation":         `"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"askpane","mode":"form","message":"m","requestedSchema":{}}`,
		"a link":                      `"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"s","mode":"url","message":"m"}`,
		"an approval":                 `"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"s","mode":"form","requestedSchema":{},"_meta":{"codex_approval_kind":"mcp_tool_call"}}`,
		"members of another shape":    `"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"i","questions":"?"}`,
		"a method that is not known":  `"method":"thread/other","params":["T"]`,
		"a question of another shape": `"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"i","questions":["?"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			begun(t, "/ours").is(message(`{"id":7,%s}`, m), "")
		})
	}
}

// The questions of a thread are another's where Codex's settings for its directory do not have our server. Settings
// that cannot be read are read again when it next works. That server may have been given another name by hand, under
// which its elicitations are Codex's, too, and it may be switched off.
func TestForeign(t *testing.T) {
	t.Run("of another name", func(t *testing.T) {
		d := begun(t, "/ours/named") // which joins it
		d.is(message(`{"id":7,"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"person","mode":"form","message":"m","requestedSchema":{}}}`), "")
	})
	t.Run("switched off", func(t *testing.T) { begun(t, "/theirs/off") })
	d := begun(t, "/theirs")
	d.is(becomes(active), "")
	const again = `{"method":"thread/started","params":{"thread":{"id":"T","cwd":"/ours","status":{"type":"active"}}}}`
	d.is(message(again), "config/read")
	d.is(message(again), "config/read")
	d.is(d.answer("config/read", `"error":{"message":"config.toml is no TOML"}`), "")
	d.is(d.answer("config/read", servers("/ours")), "")
	d.is(becomes(active), "thread/read")
	d.is(d.answer("thread/read", `"result":{"thread":{"id":"T","cwd":"/ours","status":{"type":"active"}}}`), "config/read")
	d.is(d.answer("config/read", servers("/ours")), "thread/resume")
	d.is(d.answer("thread/resume", joins(active, inProgress, async)), "ask T/call_0 codex")
}

// A thread is subscribed to while it works, and as long as it has a question.
func TestSubscribes(t *testing.T) {
	d := newDaemon(t)
	d.is(Opened{}, "initialize")
	d.is(d.answer("initialize", `"result":{"codexHome":"/home/.codex"}`), "thread/loaded/list")
	d.is(d.answer("thread/loaded/list", `"result":{"data":[]}`), "")
	d.is(message(`{"method":"thread/started","params":{"thread":{"id":"title","cwd":"/ours","ephemeral":true,"status":{"type":"idle"}}}}`), "")
	d.is(message(`{"method":"thread/status/changed","params":{"threadId":"title","status":{"type":"active"}}}`), "")
	d.is(message(`{"method":"thread/started","params":{"thread":{"id":"closed","cwd":"/ours","status":{"type":"active"}}}}`), "config/read")
	d.is(message(`{"method":"thread/closed","params":{"threadId":"closed"}}`), "")
	d.is(d.answer("config/read", servers("/ours")), "")
	d.is(message(`{"method":"thread/started","params":{"thread":{"id":"T","cwd":"/ours","status":{"type":"idle"}}}}`), "config/read")
	d.is(d.answer("config/read", servers("/ours")), "")
	d.is(becomes(active), "thread/resume")
	d.is(d.answer("thread/resume", `"error":{"code":-32600,"message":"no rollout found for thread id T"}`), "")
	d.is(becomes(active), "thread/resume")
	d.is(becomes(active), "")
	d.is(d.answer("thread/resume", joins(active, inProgress, "")), "")
	d.is(becomes("idle"), "thread/unsubscribe")
	d.is(d.answer("thread/unsubscribe", `"result":{"status":"unsubscribed"}`), "")
	d.is(becomes(active), "thread/resume")
	d.is(d.answer("thread/resume", joins(active, inProgress, async)), "ask T/call_0 codex")
	d.is(becomes("idle"), "")
	d.is(wrote("tui"), "end T/call_0")
	d.is(becomes(active), "")
	d.is(becomes("idle"), "thread/unsubscribe")
}

const (
	both   = `{"answers":[{"answer":"A","questionItemId":"0"},{"answer":"n","questionItemId":"1"}]}`
	first  = `"<send_user_message_question_reply>\n[{\"answer\":\"A\",\"questionItemId\":\"0\"},{\"answer\":\"n\",\"questionItemId\":\"1\"}]\n</send_user_message_question_reply>"`
	second = `[{\"answer\":\"n\",\"questionItemId\":\"1\"}]`
)

// An asynchronous question is answered by a message of the person's, into the turn that runs
// or as a new one; what they have answered in Codex is not sent again.
func TestAsync(t *testing.T) {
	answer := Said{Key: asyncKey, Answer: details(both)}
	taken := "taken T/call_0 <nil>"
	over := message(`{"method":"turn/completed","params":{"threadId":"T","turn":{"id":"U"}}}`)
	ok, refused := `"result":{}`, `"error":{"message":"no active turn to steer"}`
	for _, c := range []struct {
		name  string
		steps func(d *daemon)
		sends []string // what the last message has in it
	}{
		{"while the turn runs", func(d *daemon) {
			d.is(answer, "turn/steer")
		}, []string{`"expectedTurnId":"U"`, first, `"clientUserMessageId":"askpane-call_0"`}},
		{"after the turn", func(d *daemon) {
			d.is(over, "")
			d.is(answer, "turn/start")
		}, []string{first}},
		{"the turn ends just then", func(d *daemon) {
			d.is(answer, "turn/steer")
			d.is(d.answer("turn/steer", refused), "turn/start")
		}, []string{first}},
		{"one of two in Codex", func(d *daemon) {
			d.is(wrote("tui", 0), "")
			d.is(answer, "turn/steer")
		}, []string{second}},
		{"refused", func(d *daemon) {
			d.is(answer, "turn/steer")
			d.is(d.answer("turn/steer", refused), "turn/start")
			d.is(d.answer("turn/start", refused), "taken T/call_0 Codex does not take the answer: no active turn to steer")
		}, nil},
		{"taken, and only once", func(d *daemon) {
			d.is(answer, "turn/steer")
			d.is(d.answer("turn/steer", ok), taken)
			d.is(wrote("askpane-call_0", 0, 1), "")
			d.is(answer, "taken T/call_0 "+ErrOver.Error())
			d.is(completed(async), "")
		}, nil},
		{"its own first", func(d *daemon) {
			d.is(wrote("tui", 0), "")
			d.is(wrote("tui", 1), "end T/call_0")
			d.is(answer, "taken T/call_0 "+ErrOver.Error())
		}, nil},
		{"other words instead", func(d *daemon) { d.is(wrote("tui"), "end T/call_0") }, nil},
		{"the reason for another's denial", func(d *daemon) {
			d.is(wrote("askpane-call_9"), "")
			d.is(answer, "turn/steer")
		}, []string{first}},
		{"an answer to another", func(d *daemon) {
			d.is(completed(strings.ReplaceAll(async, "call_0", "call_9")), "ask T/call_9 codex")
			d.is(wrote("tui", 0, 1), "end T/call_0")
		}, nil},
		{"dismissed, as Codex's skip", func(d *daemon) { d.is(Said{Key: asyncKey, Declined: true, Answer: details(`{"answers":[]}`)}, taken) }, nil},
		{"all left open, as Codex's skip", func(d *daemon) {
			d.is(Said{Key: asyncKey, Answer: details(`{"answers":[{"answer":""},{"answer":""}]}`)}, taken)
		}, nil},
		{"one left open", func(d *daemon) {
			d.is(Said{Key: asyncKey, Answer: details(`{"answers":[{"answer":""},{"answer":"bolt"}]}`)}, "turn/steer")
		}, []string{`\n[{\"answer\":\"bolt\"}]\n`}},
		{"declined with a reason", func(d *daemon) {
			d.is(Said{Key: asyncKey, Declined: true, Answer: details(`{"answers":[{"answer":"not chosen: later"}]}`)}, "turn/steer")
		}, []string{"not chosen: later"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := begun(t, "/ours")
			d.is(completed(async), "ask T/call_0 codex")
			c.steps(d)
			for _, want := range c.sends {
				if sent := string(rawJSON(d.sent[0].Params)); !strings.Contains(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(sent), want) {
					t.Errorf("it sends %s, without %s", sent, want)
				}
			}
		})
	}
}

// What was asked before we came is asked if nothing after it has answered it.
func TestFound(t *testing.T) {
	message := func(text string) string {
		return `,{"type":"userMessage","id":"m","content":[{"text":` + string(rawJSON(text)) + `}]}`
	}
	for name, c := range map[string]struct{ after, want string }{
		"open":         {"", "ask T/call_0 codex"},
		"other words":  {message("never mind"), "thread/unsubscribe"},
		"one answered": {message(opening + `[{"questionItemId":"[\"request_user_input_async\",\"call_0\",1]"}]` + closing), "ask T/call_0 codex"},
	} {
		t.Run(name, func(t *testing.T) {
			d := begun(t, "/ours")
			d.is(becomes("idle"), "thread/unsubscribe")
			d.is(d.answer("thread/unsubscribe", `"result":{}`), "")
			d.is(Opened{}, "initialize")
			d.is(d.answer("initialize", `"result":{"codexHome":"/h"}`), "thread/loaded/list")
			d.is(d.answer("thread/loaded/list", `"result":{"data":["T"]}`), "thread/read")
			d.is(d.answer("thread/read", `"result":{"thread":{"id":"T","cwd":"/ours","status":{"type":"idle"}}}`), "config/read")
			d.is(d.answer("config/read", servers("/ours")), "thread/resume")
			d.is(d.answer("thread/resume", joins("idle", "completed", async+c.after)), c.want)
		})
	}
}

// A new connection to the daemon changes nothing for what is asked.
func TestReconnects(t *testing.T) {
	d := begun(t, "/ours")
	d.is(request(0), "ask T/call_0/0 codex")
	d.is(Opened{}, "initialize")
	d.is(d.answer("initialize", `"result":{"codexHome":"/h"}`), "thread/loaded/list")
	d.is(d.answer("thread/loaded/list", `"result":{"data":["T"]}`), "thread/read")
	d.is(d.answer("thread/read", `"result":{"thread":{"id":"T","cwd":"/ours","status":{"type":"active"}}}`), "config/read")
	d.is(d.answer("config/read", servers("/ours")), "thread/resume")
	d.is(d.answer("thread/resume", joins(active, inProgress, "")), "")
	d.is(request(0), "")
	d.is(resolved0, "end T/call_0/0")
}

// What does not answer as Codex's daemon does is left alone.
func TestStranger(t *testing.T) {
	for name, answer := range map[string]string{"an error": `"error":{"message":"?"}`, "another's": `"result":"hello"`, "another version": `"result":{}`} {
		t.Run(name, func(t *testing.T) {
			d := newDaemon(t)
			d.is(message(`{"id":99,"result":{}}`), "")
			d.is(Opened{}, "initialize")
			d.is(d.answer("initialize", answer), "close")
			if d.Awaits() {
				t.Error("it still awaits an answer")
			}
		})
	}
}

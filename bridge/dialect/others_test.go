package dialect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// shapes are the requests of the question tools that agents and editors have, as they send
// them: who takes each where no dialect is named, and with which answers which details come
// back; or what the error says.
var shapes = []struct{ tool, request, dialect, answers, details string }{
	{"Claude AskUserQuestion", `{"questions":[{"question":"Which?","header":"Store","options":[{"label":"A"},{"label":"B"}],"multiSelect":false}],"metadata":{"source":"x"}}`,
		"AskUserQuestion", `{"0":"A"}`, `"answers":{"Which?":"A"}`},
	{"Claude AskUserQuestion with markdown", `{"questions":[{"question":"Which?","header":"Store","options":[{"label":"A","markdown":"# A"},{"label":"B"}],"multiSelect":false}]}`,
		"AskUserQuestion", `{"0":"B"}`, `"answers":{"Which?":"B"}`},
	{"Qwen ask_user_question, Kimi AskUserQuestion", `{"questions":[{"question":"Which?","header":"Store","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}],"multiSelect":true}]}`,
		"AskUserQuestion", `{"0":["A","B"]}`, `"answers":{"Which?":"A, B"}`},
	{"Claude Elicitation hook", `{"hook_event_name":"Elicitation","mcp_server_name":"shop","message":"Name it","mode":"form","requested_schema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`,
		"elicitation", `{"name":"x"}`, `{"action":"accept","content":{"name":"x"}}`},
	{"Codex request_user_input with options", `{"questions":[{"id":"db","header":"Database","question":"Which?","isOther":true,"isSecret":false,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}`,
		"AskUserQuestion", `{"0":"A"}`, `"answers":{"Which?":"A"}`},
	{"Codex request_user_input of a text", `{"questions":[{"id":"name","header":"Name","question":"Which name?","isOther":true,"isSecret":false,"options":null}],"isBlocking":true,"autoResolutionMs":null}`,
		"codex", `{"name":"bolt"}`, `{"answers":{"name":{"answers":["user_note: bolt"]}}}`},
	{"Codex request_user_input_async", `{"type":"agentMessage","id":"call_0_0","delivery":"async","questions":[{"title":"Which database?","options":["Postgres","SQLite"]},{"title":"Which name?","options":null}]}`,
		"codex", `{"0":"SQLite","1":"bolt"}`, `{"answers":[{"answer":"SQLite","question":"Which database?","questionItemId":"[\"request_user_input_async\",\"call_0_0\",0]"},` +
			`{"answer":"bolt","question":"Which name?","questionItemId":"[\"request_user_input_async\",\"call_0_0\",1]"}]}`},
	{"Codex request_user_input_async of a text", `{"questions":[{"title":"Which name?"}]}`, "codex", `{"0":"bolt"}`, `{"answers":[{"answer":"bolt","question":"Which name?"}]}`},
	{"Gemini choice", `{"questions":[{"question":"Which?","header":"Store","type":"choice","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}],"multiSelect":true}]}`,
		"gemini", `{"0":["A",{"mode":"other","text":"my own"}]}`, `{"answers":{"0":"A, my own"}}`},
	{"Gemini text", `{"questions":[{"question":"Which name?","header":"Name","type":"text","placeholder":"short"}]}`, "gemini", `{"0":"bolt"}`, `{"answers":{"0":"bolt"}}`},
	{"Gemini yesno", `{"questions":[{"question":"Go on?","header":"Go","type":"yesno"},{"question":"Sure?","header":"Sure","type":"yesno"}]}`,
		"gemini", `{"0":"Yes","1":"No"}`, `{"answers":{"0":"Yes","1":"No"}}`},
	{"Gemini without a header", `{"questions":[{"question":"Go on?","type":"yesno"}]}`, "gemini", `{"0":"Yes"}`, `{"answers":{"0":"Yes"}}`},
	{"opencode without a header", `{"questions":[{"question":"Which?","options":[{"label":"A"}]}]}`, "opencode", `{"0":"A"}`, `{"answers":[["A"]]}`},
	{"Codex without a header", `{"questions":[{"id":"db","question":"Which?","options":[{"label":"A"}]}]}`, "codex", `{"db":"A"}`, `{"answers":{"db":{"answers":["A"]}}}`},
	{"opencode question", `{"questions":[{"question":"Which?","header":"Store","options":[{"label":"A, first","description":"a"},{"label":"B","description":"b"}],"multiple":true}],"tool":{"messageID":"m","callID":"c"}}`,
		"opencode", `{"answers":{"0":["A, first","B"]},"notes":{"0":"only in tests"}}`, `{"answers":[["A, first","B","note: only in tests"]]}`},
	{"opencode question without own words", `{"questions":[{"question":"Which?","header":"Store","options":[{"label":"A"},{"label":"B"}],"custom":false}]}`,
		"opencode", `{"0":"B"}`, `{"answers":[["B"]]}`},
	{"Copilot ask_user", `{"question":"Which?","choices":["A","B"]}`, "copilot", `{"0":{"text":"my own"}}`, `{"answer":"my own","wasFreeform":true}`},
	{"Copilot ask_user of a text", `{"question":"Which name?"}`, "copilot", `{"0":"bolt"}`, `{"answer":"bolt","wasFreeform":true}`},
	{"Copilot ask_user, the form", `{"message":"Name it","requestedSchema":{"properties":{"db":{"type":"string","oneOf":[{"const":"pg","title":"PostgreSQL"}]},"name":{"type":"string"}},"required":["db"]}}`,
		"elicitation", `{"db":"pg"}`, `{"action":"accept","content":{"db":"pg"}}`},
	{"ACP elicitation/create", `{"sessionId":"s","mode":"form","message":"Go on?","requestedSchema":{"type":"object","properties":{"go":{"type":"boolean","title":"Go on"}},"required":["go"]}}`,
		"elicitation", `{"go":true}`, `{"action":"accept","content":{"go":true}}`},
	{"pi questionnaire", `{"questions":[{"id":"db","label":"Store","prompt":"Which?","options":[{"value":"a","label":"A"}],"allowOther":true}]}`,
		"question", `{"db":"a"}`, `"answers":[{"id":"db","value":"a","label":"A","wasCustom":false,"index":1}]`},
	{"Cursor cursor/ask_question", `{"toolCallId":"t","questions":[{"id":"db","prompt":"Which?","options":[{"id":"a","label":"A"}],"allowMultiple":true}]}`,
		"", "", "the shape of cursor/ask_question of Cursor"},
	{"VS Code vscode_askQuestions", `{"questions":[{"header":"Store","question":"Which?","options":[{"label":"A","recommended":true},{"label":"B"}],"multiSelect":false,"allowFreeformInput":true}]}`,
		"", "", "the shape of vscode_askQuestions of VS Code"},
	{"VS Code vscode_askQuestions without options", `{"questions":[{"header":"Name","question":"Which name?","allowFreeformInput":true}]}`,
		"", "", "the shape of vscode_askQuestions of VS Code"},
	{"Cline ask_followup_question", `{"question":"Which?","options":["A","B"]}`, "", "", "the shape of ask_followup_question of Cline"},
	{"Kilo ask_followup_question", `{"question":"Which?","follow_up":[{"text":"A"},{"text":"B","mode":"code"}]}`, "", "", "the shape of ask_followup_question of Kilo"},
	{"Crush", `{"questions":[{"type":"single_choice","question":"Which?","description":"d","choices":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}]}`,
		"", "", "the shape of the question tool of Crush"},
	{"MCP elicitation of a URL", `{"mode":"url","message":"Log in","url":"https://example.org","requestedSchema":{}}`, "elicitation", "", `mode: expected one of "form", got "url"`},
	{"opencode, and more", `{"questions":[{"question":"Which?","header":"S","options":[{"label":"A"}],"multiple":true,"required":false}]}`,
		"opencode", "", "questions[0].required: is not understood, and might change what is asked"},
	{"opencode, with an id", `{"questions":[{"id":"s","question":"Which?","header":"S","options":[{"label":"A"}],"multiple":true}]}`,
		"opencode", "", "questions[0].id: is not understood, and might change what is asked"},
	{"AskUserQuestion, a header forgotten", `{"questions":[{"question":"One?","header":"H","options":[{"label":"A"},{"label":"B"}]},{"question":"Two?","options":[{"label":"A"},{"label":"B"}]}]}`,
		"AskUserQuestion", "", "questions[1].header: expected a non-empty string, got nothing"},
	{"Codex, a secret", `{"questions":[{"id":"a","header":"h","question":"Token?","isSecret":true}]}`, "codex", "", "questions[0].isSecret: Codex shows secrets"},
	{"Gemini, and more", `{"questions":[{"question":"Which?","header":"S","type":"yesno","default":"No"}]}`, "gemini", "", "questions[0].default: is not understood"},
	{"Gemini, no options", `{"questions":[{"question":"Which?","header":"S","type":"choice"}]}`, "gemini", "", "questions[0].options: expected at least one"},
	{"Gemini, an empty list", `{"questions":[{"question":"Which?","header":"S","type":"choice","options":[]}]}`, "gemini", "", "questions[0].options: expected at least one"},
	{"one question, and no list", `{"question":"Which?","header":"S","options":[{"label":"A"}]}`, "", "", "the shape of none of the dialects"},
	{"Copilot, no answer possible", `{"question":"Which?","allowFreeform":false}`, "copilot", "", "choices: expected at least one"},
	{"opencode, twice the same", `{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"A"}],"custom":false}]}`, "opencode", "", `duplicate label "A"`},
}

func TestShapesOfTools(t *testing.T) {
	t.Parallel()
	for _, c := range shapes {
		d, f, err := Decode("", []byte(c.request))
		name := ""
		if d != nil {
			name = d.Name
		}
		if name != c.dialect {
			t.Errorf("%s is %q, want %q (%v)", c.tool, name, c.dialect, err)
			continue
		}
		if c.answers == "" {
			if err == nil || !strings.Contains(err.Error(), c.details) {
				t.Errorf("%s: %v, want %q", c.tool, err, c.details)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.tool, err)
			continue
		}
		sound(t, d, &f)
		agree(t, d, c.request, err)
		r, err := Answered(defaults, &f, []byte(c.answers))
		if err != nil {
			t.Errorf("%s: %v", c.tool, err)
			continue
		}
		// As the bridge does it: the dialect's name is what is left of it.
		d, err = ByName(f.Dialect)
		must.Do(t, err)
		if got := string(d.EncodeIn(defaults, &f, r).Details); !strings.Contains(got, c.details) {
			t.Errorf("%s: %s, want %s", c.tool, got, c.details)
		}
	}
}

// A tool that is named reads what one of the five would take, and a reason for declining
// reaches its model.
func TestNamedTools(t *testing.T) {
	t.Parallel()
	const plain = `{"questions":[{"id":"db","question":"Which?","header":"Store","options":[{"label":"A"},{"label":"B"}]}]}`
	unlabelled := strings.ReplaceAll(plain, `"id":"db",`, "")
	for _, c := range []struct{ dialect, request, answers, text, details, declined string }{
		{"opencode", unlabelled, `{"0":{"text":"my own"}}`, `User has answered your questions: "Which?"="my own". You can now continue with the user's answers in mind.`,
			`{"answers":[["my own"]]}`, `{"answers":[["not chosen: no time"]],"reason":"no time"}`},
		{"codex", plain, `{"answers":{"db":{"text":"bolt"}},"notes":{"db":"small"}}`, "db: None of the above, user_note: bolt, user_note: small",
			`{"answers":{"db":{"answers":["None of the above","user_note: bolt","user_note: small"]}}}`, `{"answers":{"db":{"answers":["user_note: not chosen: no time"]}},"reason":"no time"}`},
		{"codex", `{"questions":[{"title":"Which <b>?","options":["A"]}]}`, `{"0":"A"}`,
			"<send_user_message_question_reply>\n[{\"answer\":\"A\",\"question\":\"Which <b>?\"}]\n</send_user_message_question_reply>",
			`{"answers":[{"answer":"A","question":"Which <b>?"}]}`, `{"answers":[{"answer":"not chosen: no time","question":"Which <b>?"}],"reason":"no time"}`},
		{"gemini", strings.ReplaceAll(unlabelled, `"header"`, `"type":"choice","header"`), `{"0":"A"}`, `{"answers":{"0":"A"}}`, `{"answers":{"0":"A"}}`, `{"answers":{},"reason":"no time"}`},
		{"copilot", `{"question":"Which?","choices":["A","B"],"allowFreeform":false}`, `{"0":"A"}`, "User answered: A", `{"answer":"A","wasFreeform":false}`, `{"reason":"no time"}`},
		{"copilot", `{"message":"m","requestedSchema":{"properties":{"a":{"type":"string"}}}}`, `{"a":"x"}`, "a: x", `{"action":"accept","content":{"a":"x"}}`, `{"action":"decline","reason":"no time"}`},
	} {
		d, f, err := Decode(c.dialect, []byte(c.request))
		must.Do(t, err)
		r, err := Answered(defaults, &f, []byte(c.answers))
		must.Do(t, err)
		reply := d.EncodeIn(defaults, &f, r)
		no := d.EncodeIn(defaults, &f, form.Result{Outcome: form.Cancelled, Reason: "no time"})
		if reply.Text != c.text || string(reply.Details) != c.details || string(no.Details) != c.declined || !strings.Contains(no.Text, "no time") {
			t.Errorf("%s: %q, %s; declined %q, %s", c.dialect, reply.Text, reply.Details, no.Text, no.Details)
		}
		again, g, err := Decode(c.dialect, f.Echo)
		if err != nil || string(g.Echo) != string(f.Echo) {
			t.Errorf("%s: normalised %s decodes to %s (%v, %v)", c.dialect, f.Echo, g.Echo, again, err)
		}
		for _, outcome := range []form.Outcome{form.Cancelled, form.Timeout, form.Unavailable, form.Aborted} {
			if reply := d.EncodeIn(defaults, &f, form.Result{Outcome: outcome}); reply.Text == "" || strings.Contains(string(reply.Details), "accept") {
				t.Errorf("%s, %s: %+v", c.dialect, outcome, reply)
			}
		}
	}
}

// What one of the five takes stays its own, whatever is added to it that changes no
// question: a tie goes to the five.
func TestTieGoesToTheFive(t *testing.T) {
	t.Parallel()
	for _, request := range []string{cache, typedFour, plainTwo, setup, decide, two, threeOptions} {
		d, _, err := Decode("", []byte(request))
		must.Do(t, err)
		for _, more := range []string{`"multiple":false`, `"custom":true`, `"isOther":true`, `"isSecret":false`, `"follow_up":[]`, `"choices":["a"]`, `"title":"t"`, `"allowFreeform":false`} {
			for _, at := range []string{`{`, `"questions":[{`} {
				changed := strings.Replace(request, at, at+more+",", 1)
				got, _, err := Decode("", []byte(changed))
				if err != nil && strings.Contains(err.Error(), "title") {
					continue // which is a member of its own there
				}
				if got != d {
					t.Errorf("%s is %v, want %s: %v", changed, fmt.Sprint(got), d.Name, err)
				}
			}
		}
	}
}

// A question that was left open has no answer in Gemini CLI's shape.
func TestGeminiLeftOpen(t *testing.T) {
	t.Parallel()
	d, f, err := Decode("gemini", []byte(`{"questions":[{"question":"Go on?","type":"yesno"},{"question":"Name?","type":"text"}]}`))
	must.Do(t, err)
	f.Skip()
	reply := d.EncodeIn(defaults, &f, form.Result{Outcome: form.Answered, Answers: []form.Answer{{Empty: true}, form.Type("bolt")}})
	if want := `{"answers":{"1":"bolt"}}`; reply.Text != want {
		t.Errorf("the model reads %s, want %s", reply.Text, want)
	}
}

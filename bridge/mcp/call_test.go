package mcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// Every published tool: answered, with the dialect's details as they are.
func TestEveryTool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, arguments, text, details string }{
		{"question", store, stored,
			`{"answers":[{"id":"a","index":1,"label":"Postgres","value":"pg","wasCustom":false}],"cancelled":false,"questions":`},
		{"question", `{"prompt":"Cache?","options":[{"label":"Yes"},{"label":"No"}]}`, "User selected: Yes",
			`{"answered":true,"index":0,"selected":"Yes"}`},
		{"AskUserQuestion", `{"questions":[{"header":"DB","question":"Which?","type":"select_one","options":[{"label":"PG"}]}]}`, "DB: PG",
			`{"answers":{"0":{"mode":"option","value":"PG"}},"debounceMs":300,"lifecycle":"answered","port":null,"questions":`},
		{"AskUserQuestion", `{"questions":[{"header":"DB","question":"Which?","options":[{"label":"PG"},{"label":"R"}],"multiSelect":false}]}`, "DB: PG",
			`{"answers":{"Which?":"PG"},"questions":`},
		{"ask_user_question", `{"questions":[{"id":"a","type":"radio","prompt":"P?","options":[{"label":"X"}]}]}`, "Q1: X", `{"answers":[{"id":"a","type":"radio","value":"X","wasCustom":false}],"cancelled":false,`},
		{"ask_user", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"P?"}]}`, "H: typed", `{"outcome":"submitted",`},
		{"ask_human", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"P?"}]}`, "H: typed", `{"outcome":"submitted",`},
	} {
		t.Run(c.tool, func(t *testing.T) {
			s := newStage(t)
			d := s.connect("x", nil).begin(c.tool, c.arguments)
			id := s.pending(1)[0]
			s.answers(id)
			r := d.result()
			s.is(r, form.Answered, c.text)
			if r.IsError || !strings.HasPrefix(details(t, r), c.details) || len(r.Content) != 1 || r.Meta["askpane/id"] != id {
				t.Errorf("error %v, %d texts, %v, details %s", r.IsError, len(r.Content), r.Meta, details(t, r))
			}
			s.delivered(id)
		})
	}
}

// What was attached stands in the details and in words, and is an image where the client is known to
// hand those on.
func TestAttachments(t *testing.T) {
	t.Parallel()
	for client, images := range map[string]int{"x": 0, "claude-code": 0, gemini + "-askpane": 2} {
		s := newStage(t)
		d := s.connect(client, nil).begin("question", store)
		id := s.pending(1)[0]
		var all, said []string
		png := "\x89PNG\r\n\x1a\n"
		half := png + strings.Repeat("…", imagesLimit/2/len("…")) // two of them are too much for one result
		for _, data := range []string{png, "GIF89a…", half, half} {
			a, err := s.open(id).Attach([]byte(data))
			must.Do(t, err)
			all, said = append(all, fmt.Sprintf(`{"path":%q,"type":%q}`, a.Path, a.Type)), append(said, a.Path+" ("+a.Type+")")
		}
		s.answers(id)
		r := d.result()
		got := 0
		for _, c := range r.Content {
			if i, is := c.(*sdk.ImageContent); is && i.MIMEType == "image/png" && strings.HasPrefix(string(i.Data), "\x89PNG") {
				got++
			}
		}
		if got != images || len(r.Content) != 2+images || !strings.Contains(details(t, r), `"attachments":[`+strings.Join(all, ",")+"]") {
			t.Errorf("%s: %d images in %d contents, details %s", client, got, len(r.Content), details(t, r))
		}
		if text, is := r.Content[1].(*sdk.TextContent); !is || text.Text != "The person has attached "+strings.Join(said, ", ")+"." {
			t.Errorf("%s: %+v", client, r.Content[1])
		}
	}
}

// Without a spool nobody is asked, and the next call tries again.
func TestNoSpool(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	make := s.config.Bridge
	failed := false
	s.config.Bridge = func(cwd string, beat Beat) (*bridge.Bridge, bridge.Question, error) {
		if !failed {
			failed = true
			return nil, bridge.Question{}, errors.New("the spool /full cannot be written")
		}
		return make(cwd, beat)
	}
	c := s.connect("x", nil)
	r := c.begin("question", store).result()
	s.is(r, form.Unavailable, "Error: UI not available: the spool /full cannot be written")
	if !r.IsError || !strings.Contains(details(t, r), `"cancelled":true`) || r.Meta["askpane/id"] != nil {
		t.Errorf("error %v, %v, details %s", r.IsError, r.Meta, details(t, r))
	}
	d := c.begin("question", store)
	s.answers(s.pending(1)[0])
	s.is(d.result(), form.Answered, stored)
}

func TestToolsOffered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "ask_human collect_answer"},
		{[]string{"question", "ask_human", "question"}, "ask_human collect_answer question"},
		{dialect.Tools(), "AskUserQuestion ask_human ask_user ask_user_question collect_answer question"},
	} {
		s := newStage(t)
		var err error
		if s.config.Tools, err = Chosen(c.names); err != nil {
			t.Fatal(err)
		}
		list, err := s.connect("x", nil).ListTools(t.Context(), nil)
		must.Do(t, err)
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			schema := tool.InputSchema.(map[string]any)
			if schema["type"] != "object" || schema["anyOf"] != nil || schema["oneOf"] != nil || schema["properties"] == nil {
				t.Errorf("%s: %v is no plain object", tool.Name, schema)
			}
			if a := tool.Annotations; !a.ReadOnlyHint || a.OpenWorldHint == nil || *a.OpenWorldHint || tool.Meta["anthropic/alwaysLoad"] != true {
				t.Errorf("%s: %+v %v", tool.Name, a, tool.Meta)
			}
			if tool.Name != collectAnswer && !strings.Contains(tool.Description, "call collect_answer with its id") {
				t.Errorf("%s does not say what a receipt is: %s", tool.Name, tool.Description)
			}
			if tool.Name == dialect.AskHuman && strings.Contains(tool.Description, "ask_user") {
				t.Errorf("ask_human calls itself something else: %s", tool.Description)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("offered %s, want %s", got, c.want)
		}
	}
	if _, err := Chosen([]string{"buttons"}); err == nil || !strings.Contains(err.Error(), "ask_human, question, AskUserQuestion") {
		t.Errorf("an unknown tool: %v", err)
	}
}

func TestMalformedArguments(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.connect("x", nil)
	for _, bad := range []struct{ tool, arguments, text string }{
		{"question", `{"questions":[]}`, "Error: No questions provided"},
		{"question", `{"prompt":"p","options":[{"label":"a"}]}`, "Error: options: expected at least 2 options, got 1"},
		{"AskUserQuestion", `{"questions":[{"header":"h","question":"q","type":"number","min":3,"max":1}]}`, "Error: questions[0].min: min 3 is above max 1"},
		{"ask_human", `{}`, "Error: questions: expected an array of at least one, got nothing"},
		{"collect_answer", `{"id":"../x"}`, `Error: id: expected the id that came with the status pending, got "../x"`},
		{"collect_answer", `{}`, "Error: id: expected the id"},
		{"collect_answer", `{"id":"01M7YX0STBP1474D78SPT0A4J6"}`, "Error: no such question: nothing waits under 01M7YX0STBP1474D78SPT0A4J6"},
	} {
		r, err := c.call(t.Context(), bad.tool, bad.arguments)
		if err != nil || !r.IsError || !strings.HasPrefix(textOf(r), bad.text) {
			t.Errorf("%s %s: %v, %+v %q", bad.tool, bad.arguments, err, r, textOf(r))
		}
	}
	if _, err := c.call(t.Context(), "bogus", `{}`); err == nil || !strings.Contains(err.Error(), `unknown tool "bogus"`) {
		t.Errorf("an unknown tool: %v", err)
	}
	if waiting, answered, err := s.spool.Scan(); err != nil || len(waiting)+len(answered) != 0 {
		t.Errorf("left in the spool: %v, %v, %v", waiting, answered, err)
	}
}

// numbered is a question of its own.
func numbered(i int) string { return strings.ReplaceAll(store, "Where?", fmt.Sprintf("Where %d?", i)) }

// Many calls at once, of two clients: each gets its own answer.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	clients := []*client{s.connect("a", nil), s.connect("b", nil)}
	calls := map[string]*called{}
	for i := range 20 {
		calls[fmt.Sprintf("Where %d?", i)] = clients[i%2].begin("question", numbered(i))
	}
	said := map[string]string{}
	for i, id := range s.pending(20) {
		e := s.open(id)
		req, err := e.Request()
		must.Do(t, err)
		word := fmt.Sprintf("word %d", i)
		said[req.Form.Questions[0].Prompt] = word
		if err := e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type(word)}, By: form.ByAnswer, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	for prompt, d := range calls {
		s.is(d.result(), form.Answered, "Store: user wrote: "+said[prompt])
	}
	s.pending(0)
}

// A second ask_user of one server is refused while the first is open, which is the
// contract's own rule; ask_human, our own name for it, waits in line, and another
// server is another session.
func TestOneAskUserAtATime(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.connect("x", nil)
	first := c.begin("ask_user", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"P?"}]}`)
	s.pending(1)
	// It has its turn a moment after it is in the spool, and looks for a viewer then.
	s.until("the first waits for a viewer", func() bool { return len(s.warnings()) > 0 })
	second := `{"questions":[{"type":"text","id":"b","header":"H","prompt":"P?"}]}`
	r := c.begin("ask_user", second).result()
	if !r.IsError || !strings.Contains(textOf(r), "another ask_user form is already in flight") {
		t.Errorf("the second: %q", textOf(r))
	}
	human := []*called{c.begin("ask_human", second), c.begin("ask_human", strings.Replace(second, "P?", "Q?", 1))}
	for _, id := range s.pending(3) {
		s.answers(id)
	}
	for _, d := range append(human, first) {
		s.is(d.result(), form.Answered, "H: typed")
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{`{}`: `{"a":1}`, `{"z":{}}`: `{"z":{},"a":1}`, `null`: `null`} {
		if got := string(with([]byte(object), "a", 1)); got != want {
			t.Errorf("%s becomes %s, want %s", object, got, want)
		}
	}
}

// Who asks, and where, as the client says.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ client, given, agent string }{
		{"claude-code", "", "claude"}, {"codex-mcp-client", "", "codex"}, {"new\x1b]0;x\aone", "", "new␛]0;x␇one"}, {"claude-code", "me", "me"}, {" ", "", "agent"},
		{"copilot-cli", "", "copilot"}, {"@cline/core", "", "cline"}, {"qwen-cli-mcp-client-askpane", "", "qwen"}, {"other-mcp-client-x", "", "other-mcp-client-x"},
	} {
		s := newStage(t)
		s.config.Agent = c.given
		d := s.connect(c.client, nil).begin("question", store)
		req, err := s.open(s.pending(1)[0]).Request()
		if err != nil || req.Origin.Agent != c.agent || req.Origin.Cwd != "/srv/shop" {
			t.Errorf("%q asks as %+v, %v", c.client, req.Origin, err)
		}
		d.cancel()
	}
}

func TestRoots(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	toServer := sdk.NewClient(&sdk.Implementation{Name: "x"}, nil)
	//lint:ignore SA1019 what today's clients have
	toServer.AddRoots(&sdk.Root{URI: "https://elsewhere/"}, &sdk.Root{URI: "file:///srv/my%20shop"})
	c := s.connectAs(toServer, "2025-06-18")
	c.begin("question", store)
	if req, err := s.open(s.pending(1)[0]).Request(); err != nil || req.Origin.Cwd != "/srv/my shop" {
		t.Errorf("asked from %+v, %v", req.Origin, err)
	}
}

package dialect

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// docs/contracts.md, ask_user, rule by rule.

const decide = `{"title":" Formatter ","intro":"Before I go on.","questions":[
 {"type":"choice","id":"fmt","header":"Formatter","prompt":"Which?","options":[
  {"value":"biome","label":"Biome","description":"one tool","preview":"Rust"},{"value":"prettier","label":"Prettier","details":"Mature"}],"recommendation":"prettier"},
 {"type":"choice","id":"more","header":"Extras","prompt":"What else?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"},{"value":"c","label":"C"}],"multi":true,"recommendation":["c","a"]},
 {"type":"text","id":"why","header":"Reason","prompt":"Why?","placeholder":"optional"}]}`

const decideQuestions = `[{"type":"choice","id":"fmt","header":"Formatter","prompt":"Which?","options":[{"value":"biome","label":"Biome","description":"one tool","preview":"Rust"},{"value":"prettier","label":"Prettier","preview":"Mature"}],` +
	`"multi":false,"recommendation":"prettier","recommendedIndexes":[1]},` +
	`{"type":"choice","id":"more","header":"Extras","prompt":"What else?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"},{"value":"c","label":"C"}],"multi":true,"recommendation":["c","a"],"recommendedIndexes":[0,2]},` +
	`{"type":"text","id":"why","header":"Reason","prompt":"Why?","placeholder":"optional"}]`

// choice is a request of one choice question with these members.
func choice(members string) string {
	return `{"questions":[{"type":"choice","id":"a","header":"H","prompt":"p",` + members + `}]}`
}

const yesOrNo = `"options":[{"value":"y","label":"Yes"},{"value":"n","label":"No"}]`

func manyOf(count int, item string) string {
	items := make([]string, count)
	for i := range items {
		items[i] = strings.ReplaceAll(item, "#", string(rune('a'+i)))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func TestAskUserTakes(t *testing.T) {
	t.Parallel()
	runTakes(t, "ask_user", []takes{
		{"normalised", decide, `{"title":"Formatter","intro":"Before I go on.","questions":` + decideQuestions + `}`},
		{"a single choice recommends its first option", choice(yesOrNo),
			choice(yesOrNo + `,"multi":false,"recommendedIndexes":[0]`)},
		{"a multiple one none", choice(yesOrNo + `,"multi":true`), choice(yesOrNo + `,"multi":true,"recommendedIndexes":[]`)},
		{"a text recommendation", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"p","recommendation":" t "}]}`,
			`{"questions":[{"type":"text","id":"a","header":"H","prompt":"p","recommendation":"t"}]}`},
		{"a text has no options", `{"questions":[{"type":" text","id":"a","header":"H","prompt":"p","options":[]},{"type":"text","id":"b","header":"H","prompt":"p","options":["x"]}]}`,
			`{"questions":[{"type":"text","id":"a","header":"H","prompt":"p"},{"type":"text","id":"b","header":"H","prompt":"p"}]}`},
		{"strings are trimmed", `{"questions":[{"type":" text ","id":" a ","header":"\u00a0H\n","prompt":"\tp"}]}`, `{"questions":[{"type":"text","id":"a","header":"H","prompt":"p"}]}`},
		{"before they are measured", `{"title":" ` + strings.Repeat("é", 120) + ` ","questions":[{"type":"text","id":"a","header":"` + strings.Repeat("x", 60) + ` ","prompt":"p"}]}`, ""},
		{"a value is trimmed like its recommendation", choice(`"options":[{"value":" y ","label":"Yes"},{"value":"n","label":"No"}],"recommendation":"y "`),
			choice(yesOrNo + `,"multi":false,"recommendation":"y","recommendedIndexes":[0]`)},
		{"escapes in what is shown are decoded", `{"title":"caf\\u00e9 \\ud83d\\ude00 \\u003cb\\u003e","questions":[{"type":"text","id":"\\u00e9","header":"\\u00e9","prompt":"\\u00E9\\u000a!"}]}`,
			`{"title":"café 😀 <b>","questions":[{"type":"text","id":"\\u00e9","header":"é","prompt":"é\n!"}]}`},
		{"but nothing that could make up another", `{"questions":[{"type":"text","id":"a","header":"\\u005cu00e9","prompt":"\\\u005cu0041 \\ud83d \\u00g0"}]}`,
			`{"questions":[{"type":"text","id":"a","header":"\\u005cu00e9","prompt":"\\\\u0041 \\ud83d \\u00g0"}]}`},
		{"details is another name of preview", choice(`"options":[{"value":"y","label":"Yes","details":"d"},{"value":"n","label":"No","details":"d","preview":"p"}]`),
			choice(`"options":[{"value":"y","label":"Yes","preview":"d"},{"value":"n","label":"No","preview":"p"}],"multi":false,"recommendedIndexes":[0]`)},
		{"ten questions", `{"questions":` + manyOf(10, `{"type":"text","id":"#","header":"H","prompt":"p"}`) + `}`, ""},
		{"twelve options", choice(`"options":` + manyOf(12, `{"value":"#","label":"l"}`)), ""},
		{"unknown fields", choice(yesOrNo + `,"colour":"red"`), ""},
	})
}

func TestAskUserForm(t *testing.T) {
	t.Parallel()
	_, f := request(t, "ask_user", decide)
	if f.Title != "Formatter" || f.Intro != "Before I go on." || !f.Review || !f.Partial || f.Remarks != form.Comments {
		t.Errorf("%+v", f)
	}
	for i, want := range []struct {
		kind        form.Kind
		initial     string
		recommended string
		preset      bool
	}{
		{form.One, `{"choices":[1]}`, `[1]`, true},
		{form.Many, `{"choices":[0,2]}`, `[0,2]`, true},
		{form.Text, `{}`, `null`, false},
	} {
		q := f.Questions[i]
		if q.Kind != want.kind || q.Other != "" || q.Optional || q.Preset != want.preset ||
			string(mustJSON(q.Initial)) != want.initial || string(mustJSON(q.Recommended)) != want.recommended {
			t.Errorf("question %d is %+v", i, q)
		}
	}
	if p := f.Questions[0].Options[1].Preview; p == nil || p.Content != "Mature" || p.Type != "" {
		t.Errorf("preview %+v", p)
	}
	_, f = request(t, "ask_user", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"p","recommendation":"t"}]}`)
	if q := f.Questions[0]; !f.Review || *q.Initial.Text != "t" || !q.Preset {
		t.Errorf("one question ends on the review too, a text recommendation is pre-filled: %+v", q)
	}
}

func TestAskUserRefuses(t *testing.T) {
	t.Parallel()
	runRefuses(t, "ask_user", []refuses{
		{"no questions", `{"questions":[]}`, "questions: expected at least one, got none"},
		{"questions left out", `{"title":"t"}`, "questions: expected an array of at least one, got nothing"},
		{"eleven questions", `{"questions":` + manyOf(11, `{"type":"text","id":"#","header":"H","prompt":"p"}`) + `}`, "questions: expected at most 10 questions, got 11"},
		{"title of 121", `{"title":"` + strings.Repeat("x", 121) + `","questions":[{"type":"text","id":"a","header":"H","prompt":"p"}]}`, "title: expected at most 120 characters, got 121"},
		{"intro of 4001", `{"intro":"` + strings.Repeat("x", 4001) + `","questions":[{"type":"text","id":"a","header":"H","prompt":"p"}]}`, "intro: expected at most 4000 characters, got 4001"},
		{"no type", `{"questions":[{"id":"a","header":"H","prompt":"p"}]}`, `questions[0].type: expected one of "choice", "text", got nothing`},
		{"an unknown type", `{"questions":[{"type":"radio","id":"a","header":"H","prompt":"p"}]}`, `questions[0].type: expected one of "choice", "text", got "radio"`},
		{"no id", `{"questions":[{"type":"text","header":"H","prompt":"p"}]}`, "questions[0].id: expected a non-empty string, got nothing"},
		{"id twice", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"p"},{"type":"text","id":" a","header":"H","prompt":"p"}]}`, `questions[1].id: duplicate id "a", already used by questions[0]`},
		{"no header", `{"questions":[{"type":"text","id":"a","prompt":"p"}]}`, "questions[0].header: expected a non-empty string, got nothing"},
		{"header of 61", `{"questions":[{"type":"text","id":"a","header":"` + strings.Repeat("x", 61) + `","prompt":"p"}]}`, "questions[0].header: expected at most 60 characters, got 61"},
		{"no prompt", `{"questions":[{"type":"text","id":"a","header":"H"}]}`, "questions[0].prompt: expected a non-empty string, got nothing"},
		{"prompt of 4001", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"` + strings.Repeat("x", 4001) + `"}]}`, "questions[0].prompt: expected at most 4000 characters, got 4001"},
		{"no options", choice(`"multi":true`), "questions[0].options: expected an array of 2 to 12 options for type choice, got nothing"},
		{"one option", choice(`"options":[{"value":"y","label":"Yes"}]`), "questions[0].options: expected at least 2 options, got 1"},
		{"thirteen options", choice(`"options":` + manyOf(13, `{"value":"#","label":"l"}`)), "questions[0].options: expected at most 12 options, got 13"},
		{"an option without value", choice(`"options":[{"value":"y","label":"Yes"},{"label":"No"}]`), "questions[0].options[1].value: expected a non-empty string, got nothing"},
		{"a value twice", choice(`"options":[{"value":"y","label":"Yes"},{"value":"y","label":"No"}]`),
			`questions[0].options[1].value: duplicate value "y", already used by questions[0].options[0].value`},
		{"multi no boolean", choice(yesOrNo + `,"multi":"yes"`), "questions[0].multi: expected a boolean, got a string"},
		{"recommendation names none; the allowed ones", choice(yesOrNo + `,"recommendation":"Yes"`), `questions[0].recommendation: "Yes" names no option; there are "y", "n"`},
		{"recommendation of a single choice is an array", choice(yesOrNo + `,"recommendation":["y"]`), "questions[0].recommendation: expected a string, got an array"},
		{"recommendation of a multiple one is a string", choice(yesOrNo + `,"multi":true,"recommendation":"y"`), "questions[0].recommendation: expected an array, got a string"},
		{"recommendation in an array names none", choice(yesOrNo + `,"multi":true,"recommendation":["y","x"]`), `questions[0].recommendation[1]: "x" names no option; there are "y", "n"`},
		{"recommendation twice", choice(yesOrNo + `,"multi":true,"recommendation":["y","y"]`), `questions[0].recommendation[1]: duplicate recommendation "y"`},
		{"recommendation of a text", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"p","recommendation":["t"]}]}`, "questions[0].recommendation: expected a string, got an array"},
		{"placeholder of 201", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"p","placeholder":"` + strings.Repeat("x", 201) + `"}]}`, "questions[0].placeholder: expected at most 200 characters, got 201"},
		{"allowPartialSubmit", `{"allowPartialSubmit":false,"questions":[]}`,
			"allowPartialSubmit: is gone: every form may be sent with questions open, and its outcome is then needs_discussion"},
		{"required", choice(yesOrNo + `,"required":true`), "questions[0].required: is gone: every question is required, and one left open makes the outcome needs_discussion"},
		{"initial", choice(yesOrNo + `,"initial":"y"`), `questions[0].initial: is gone, use "recommendation"`},
		{"allowOther", choice(yesOrNo + `,"allowOther":true`),
			"questions[0].allowOther: is gone: the person can comment on every option and question; use a text question for an open answer"},
	})
}

func TestAskUserEnds(t *testing.T) {
	t.Parallel()
	details := func(outcome, comment, responses string) string {
		return `{"title":"Formatter","intro":"Before I go on.","questions":` + decideQuestions + `,"outcome":"` + outcome + `",` + comment + `"responses":[` + responses + `]}`
	}
	failed := func(message, rest string) string { return `{"kind":"error","message":"` + message + `"` + rest + `}` }
	a := form.Choose(1)
	a.OptionNotes = map[int]string{0: "too new", 1: " fine "}
	b := noted(form.Choose(0, 2), "no rush")
	b.OptionNotes = map[int]string{2: "later", 1: "  "}
	open := form.Answer{Note: "what for?", OptionNotes: map[int]string{1: "maybe"}}
	runEnds(t, "ask_user", decide, []ends{
		{"submitted", form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0), form.Choose(0, 1), form.Type("speed")}},
			"Formatter: Biome\nExtras: A; B\nReason: speed",
			details("submitted", "", `{"questionId":"fmt","answer":{"kind":"choice","answered":true,"options":[{"value":"biome","label":"Biome","selected":true}]}},`+
				`{"questionId":"more","answer":{"kind":"choice","answered":true,"options":[{"value":"a","label":"A","selected":true},{"value":"b","label":"B","selected":true}]}},`+
				`{"questionId":"why","answer":{"kind":"text","answered":true,"value":"speed"}}`), false},
		{"comments on the form, questions and options", form.Result{Outcome: form.Answered, Comment: " thanks ", Answers: []form.Answer{a, b, noted(form.Type("x"), "see above")}},
			"Form comment: thanks\nFormatter: Prettier (comment: fine)\nFormatter option comment (Biome): too new\n" +
				"Extras: A; C (comment: later)\nExtras question comment: no rush\nReason: x\nReason question comment: see above",
			details("submitted", `"comment":"thanks",`, `{"questionId":"fmt","answer":{"kind":"choice","answered":true,"options":[{"value":"biome","label":"Biome","selected":false,"comment":"too new"},{"value":"prettier","label":"Prettier","selected":true,"comment":"fine"}]}},`+
				`{"questionId":"more","questionComment":"no rush","answer":{"kind":"choice","answered":true,"options":[{"value":"a","label":"A","selected":true},{"value":"c","label":"C","selected":true,"comment":"later"}]}},`+
				`{"questionId":"why","questionComment":"see above","answer":{"kind":"text","answered":true,"value":"x"}}`), false},
		{"open questions", form.Result{Outcome: form.NeedsDiscussion, Comment: "call me", Answers: []form.Answer{open, form.Choose(0), {}}},
			"User needs discussion before a complete decision.\nUnanswered: Formatter, Reason\nForm comment: call me\n" +
				"Formatter question comment: what for?\nFormatter option comment (Prettier): maybe\nExtras: A",
			details("needs_discussion", `"comment":"call me",`, `{"questionId":"fmt","questionComment":"what for?","answer":{"kind":"choice","answered":false,"options":[{"value":"prettier","label":"Prettier","selected":false,"comment":"maybe"}]}},`+
				`{"questionId":"more","answer":{"kind":"choice","answered":true,"options":[{"value":"a","label":"A","selected":true}]}},`+
				`{"questionId":"why","answer":{"kind":"text","answered":false}}`), false},
		{"cancelled", without(form.Cancelled), "The user interaction was cancelled.", failed("The user interaction was cancelled.", ""), true},
		{"declined", declined, "The user interaction was cancelled: explain more first",
			failed("The user interaction was cancelled: explain more first", `,"reason":"explain more first"`), true},
		{"aborted", without(form.Aborted), "The user interaction was cancelled.", failed("The user interaction was cancelled.", ""), true},
		{"timeout", without(form.Timeout), "No answer before the deadline (3600 s)", failed("No answer before the deadline (3600 s)", ""), false},
		{"unavailable", form.Result{Outcome: form.Unavailable, Reason: "no terminal"}, "Error: UI not available: no terminal",
			failed("UI not available: no terminal", `,"reason":"no terminal"`), true},
	})
	if r := askUser.Reject(ErrInFlight); !r.IsError || !strings.HasPrefix(string(r.Details), `{"kind":"error","message":"another ask_user form is already in flight`) {
		t.Errorf("a second form: %+v", r)
	}
}

// The text is limited to 2,000 lines or 50 KB; details are never truncated.
func TestAskUserLimits(t *testing.T) {
	t.Parallel()
	d, f := request(t, "ask_user", `{"questions":[{"type":"text","id":"a","header":"H","prompt":"p"}]}`)
	lines := func(n int) string { return strings.TrimSuffix(strings.Repeat("x\n", n), "\n") }
	for _, c := range []struct {
		rule, text string
		cut        bool
	}{
		{"2,000 lines", lines(2000), false},
		{"2,001 lines", lines(2001), true},
		{"exactly 50 KB", strings.Repeat("x", 50<<10-len("H: ")), false},
		{"a byte more, in one line", strings.Repeat("x", 50<<10-len("H: ")+1), true},
		{"many bytes of several each", strings.Repeat("é\n", 1000) + strings.Repeat("日", 40_000), true},
		{"long lines", strings.Repeat(strings.Repeat("x", 999)+"\n", 300), true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := d.Encode(&f, form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type(c.text)}})
			count := strings.Count(r.Text, "\n") + 1
			if len(r.Text) > 50<<10 || count > 2000 {
				t.Errorf("%d bytes in %d lines", len(r.Text), count)
			}
			body, notice, cut := strings.Cut(r.Text, "\n[Output truncated")
			if cut != c.cut || cut && (!strings.HasSuffix(notice, "]") || !strings.Contains(notice, "focused follow-up")) {
				t.Errorf("cut is %v, want %v: %q", cut, c.cut, notice)
			}
			if !strings.HasPrefix("H: "+c.text, body) || cut && len(body) < 20<<10 && count < 2000 {
				t.Errorf("kept %d bytes in %d lines", len(body), count)
			}
			if !strings.Contains(string(r.Details), string(mustJSON(c.text))) {
				t.Error("the details are cut")
			}
		})
	}
}

func TestAskUserPays(t *testing.T) {
	t.Parallel()
	a, b, c := form.Choose(1), form.Choose(0, 2), form.Type("speed")
	_, f := request(t, "ask_user", decide)
	runPays(t, "ask_user", decide, []pays{
		{"by id", `{"fmt":"prettier","more":["a","c"],"why":"speed"}`, []form.Answer{a, b, c}, ""},
		{"by index, labels", `{"answers":{"0":"Prettier","1":["C","A"],"2":{"text":"speed"}}}`, []form.Answer{a, b, c}, ""},
		{"notes are question comments", `{"fmt":"prettier","more":["a","c"],"why":"speed","notes":{"more":"no rush"}}`, []form.Answer{a, noted(b, "no rush"), c}, ""},
		{"null leaves a question open", `{"fmt":null,"more":["a","c"],"why":null}`, []form.Answer{{}, b, {}}, ""},
		{"a missing one is an error", `{"fmt":"prettier","more":["a","c"]}`, nil, `answers: missing the answer to "why" (key it by "why" or "2")`},
		{"other words", `{"fmt":{"mode":"other","text":"dprint"},"more":["a"],"why":"w"}`, nil, "answers.fmt: the answer is a text, but only the options can be chosen"},
		{"unknown value", `{"fmt":"dprint","more":["a"],"why":"w"}`, nil, `answers.fmt: "dprint" is none of the options ("Biome", "Prettier")`},
	})
	for raw, want := range map[string]form.Outcome{
		`{"fmt":null,"more":["a","c"],"why":"w"}`:       form.NeedsDiscussion,
		`{"fmt":"prettier","more":["a","c"],"why":"w"}`: form.Answered,
	} {
		if r, err := Answered(defaults, &f, []byte(raw)); r.Outcome != want || err != nil {
			t.Errorf("%s: the outcome is %q (%v), want %q", raw, r.Outcome, err, want)
		}
	}
}

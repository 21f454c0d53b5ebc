package dialect

import (
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// docs/contracts.md, ask_user_question, rule by rule.

const setup = `{"title":"Setup","description":"A few choices","questions":[
 {"id":"db","type":"radio","prompt":"Which?","label":"Database","options":[{"value":"pg","label":"PostgreSQL","description":"queries"},{"label":"SQLite"}]},
 {"id":"tests","type":"checkbox","prompt":"Which tests?","label":"Testing","options":[{"value":"unit","label":"Unit"},{"value":"e2e","label":"E2E"}],"required":false},
 {"id":"notes","type":"text","prompt":"Notes?","required":false,"placeholder":"anything"}]}`

const setupQuestions = `[{"id":"db","type":"radio","prompt":"Which?","label":"Database","options":[{"value":"pg","label":"PostgreSQL","description":"queries"},{"value":"SQLite","label":"SQLite"}],"allowOther":true,"required":true},` +
	`{"id":"tests","type":"checkbox","prompt":"Which tests?","label":"Testing","options":[{"value":"unit","label":"Unit"},{"value":"e2e","label":"E2E"}],"allowOther":true,"required":false},` +
	`{"id":"notes","type":"text","prompt":"Notes?","label":"Q3","options":[],"allowOther":false,"required":false,"placeholder":"anything"}]`

func TestControlsTakes(t *testing.T) {
	t.Parallel()
	runTakes(t, "ask_user_question", []takes{
		{"the defaults, filled in", setup, `{"title":"Setup","description":"A few choices","questions":` + setupQuestions + `}`},
		{"an option's value falls back to its label", `{"questions":[{"id":"a","type":"radio","prompt":"p","options":[{"label":"x"},{"value":" ","label":"y"}]}]}`,
			`{"questions":[{"id":"a","type":"radio","prompt":"p","label":"Q1","options":[{"value":"x","label":"x"},{"value":"y","label":"y"}],"allowOther":true,"required":true}]}`},
		{"no options, but other words", `{"questions":[{"id":"a","type":"radio","prompt":"p"}]}`,
			`{"questions":[{"id":"a","type":"radio","prompt":"p","label":"Q1","options":[],"allowOther":true,"required":true}]}`},
		{"defaults of each type", `{"questions":[
			{"id":"a","type":"radio","prompt":"p","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}],"default":"y","allowOther":false},
			{"id":"b","type":"checkbox","prompt":"p","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}],"default":["y","x"]},
			{"id":"c","type":"text","prompt":"p","default":"t"}]}`,
			`{"questions":[{"id":"a","type":"radio","prompt":"p","label":"Q1","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}],"allowOther":false,"required":true,"default":"y"},` +
				`{"id":"b","type":"checkbox","prompt":"p","label":"Q2","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}],"allowOther":true,"required":true,"default":["y","x"]},` +
				`{"id":"c","type":"text","prompt":"p","label":"Q3","options":[],"allowOther":false,"required":true,"default":"t"}]}`},
		{"options of a text question mean nothing", `{"questions":[{"id":"a","type":"text","prompt":"p","options":[{"label":"x"}],"allowOther":true}]}`,
			`{"questions":[{"id":"a","type":"text","prompt":"p","label":"Q1","options":[],"allowOther":false,"required":true}]}`},
		{"null is absent", `{"title":null,"questions":[{"id":"a","type":"text","prompt":"p","label":null,"default":null,"required":null}]}`, ""},
	})
}

func TestControlsForm(t *testing.T) {
	t.Parallel()
	_, f := request(t, "ask_user_question", setup)
	if f.Title != "Setup" || f.Intro != "A few choices" || !f.Review {
		t.Errorf("title %q, intro %q, review %v", f.Title, f.Intro, f.Review)
	}
	for i, want := range []form.Question{
		{Kind: form.One, Other: "Other...", Label: "Database", Named: true},
		{Kind: form.Many, Other: "Other...", Label: "Testing", Named: true, Optional: true},
		{Kind: form.Text, Label: "Q3", Optional: true, Multiline: true, Placeholder: "anything"},
	} {
		q := f.Questions[i]
		if q.Kind != want.Kind || q.Other != want.Other || q.Label != want.Label || q.Named != want.Named ||
			q.Optional != want.Optional || q.Multiline != want.Multiline || q.Placeholder != want.Placeholder || q.Preset {
			t.Errorf("question %d is %+v", i, q)
		}
	}
	_, f = request(t, "ask_user_question", `{"questions":[
		{"id":"a","type":"radio","prompt":"p","options":[{"label":"x"},{"label":"y"}],"default":"y"},
		{"id":"b","type":"checkbox","prompt":"p","options":[{"label":"x"},{"label":"y"},{"label":"z"}],"default":["z","x"]},
		{"id":"c","type":"text","prompt":"p","default":"t"}, {"id":"d","type":"checkbox","prompt":"p","default":[]}, {"id":"e","type":"text","prompt":"p","default":""}]}`)
	for i, want := range []string{`{"choices":[1]}`, `{"choices":[0,2]}`, `{"text":"t"}`, `{}`, `{}`} {
		q := f.Questions[i]
		if got := string(mustJSON(q.Initial)); got != want || q.Preset != (want != "{}") {
			t.Errorf("question %d starts with %s (preset %v), want %s", i, got, q.Preset, want)
		}
	}
	if _, one := request(t, "ask_user_question", `{"questions":[{"id":"a","type":"text","prompt":"p"}]}`); one.Review {
		t.Error("one question submits when answered")
	}
}

func TestControlsRefuses(t *testing.T) {
	t.Parallel()
	with := func(members string) string {
		return `{"questions":[{"id":"a","prompt":"p","options":[{"value":"v","label":"L"}],` + members + `}]}`
	}
	runRefuses(t, "ask_user_question", []refuses{
		{"no questions", `{"questions":[]}`, "No questions provided"},
		{"questions left out", `{}`, "No questions provided"},
		{"no id", `{"questions":[{"type":"text","prompt":"p"}]}`, "questions[0].id: expected a non-empty string, got nothing"},
		{"id twice", `{"questions":[{"id":"a","type":"text","prompt":"p"},{"id":"a","type":"text","prompt":"p"}]}`, `questions[1].id: duplicate id "a", already used by questions[0]`},
		{"no type", with(`"label":"l"`), `questions[0].type: expected one of "radio", "checkbox", "text", got nothing`},
		{"an unknown type", with(`"type":"select"`), `questions[0].type: expected one of "radio", "checkbox", "text", got "select"`},
		{"no prompt", `{"questions":[{"id":"a","type":"text"}]}`, "questions[0].prompt: expected a non-empty string, got nothing"},
		{"an option without label", `{"questions":[{"id":"a","prompt":"p","type":"radio","options":[{"label":"a"},{"value":"v"}]}]}`,
			"questions[0].options[1].label: expected a non-empty string, got nothing"},
		{"allowOther no boolean", with(`"type":"radio","allowOther":"no"`), "questions[0].allowOther: expected a boolean, got a string"},
		{"required no boolean", with(`"type":"radio","required":1`), "questions[0].required: expected a boolean, got a number"},
		{"nothing to choose", `{"questions":[{"id":"a","prompt":"p","type":"checkbox","allowOther":false}]}`,
			"questions[0].options: expected at least one, since allowOther is false"},
		{"a radio default that names no option", with(`"type":"radio","default":"L"`), `questions[0].default: "L" names no option; there are "v"`},
		{"a radio default that is an array", with(`"type":"radio","default":["v"]`), "questions[0].default: expected a string, got an array"},
		{"a checkbox default that names no option", with(`"type":"checkbox","default":["v","w"]`), `questions[0].default[1]: "w" names no option; there are "v"`},
		{"a checkbox default that is a value", with(`"type":"checkbox","default":"v"`), "questions[0].default: expected an array, got a string"},
		{"a checkbox default of numbers", with(`"type":"checkbox","default":[1]`), "questions[0].default[0]: expected a string, got a number"},
		{"a text default that is none", with(`"type":"text","default":7`), "questions[0].default: expected a string, got a number"},
	})
}

func TestControlsEnds(t *testing.T) {
	t.Parallel()
	answered := func(a, b, c form.Answer) form.Result {
		return form.Result{Outcome: form.Answered, Answers: []form.Answer{a, b, c}}
	}
	details := func(answers string, rest string) string {
		return `{"title":"Setup","questions":` + setupQuestions + `,"answers":[` + answers + `],"cancelled":` + rest + `}`
	}
	typedToo := form.Choose(0, 1)
	typedToo.Text = new("smoke")
	runEnds(t, "ask_user_question", setup, []ends{
		{"values; the checkbox in option order", answered(form.Choose(0), form.Choose(0, 1), form.Type("API first")),
			"Database: pg\nTesting: unit, e2e\nQ3: API first",
			details(`{"id":"db","type":"radio","value":"pg","wasCustom":false},{"id":"tests","type":"checkbox","value":["unit","e2e"],"wasCustom":false},`+
				`{"id":"notes","type":"text","value":"API first","wasCustom":true}`, "false"), false},
		{"typed; then the typed one", answered(form.Type("MySQL"), typedToo, form.Type("a\nb")),
			"Database: (wrote) MySQL\nTesting: unit, e2e, (wrote) smoke\nQ3: a\nb",
			details(`{"id":"db","type":"radio","value":"MySQL","wasCustom":true},{"id":"tests","type":"checkbox","value":["unit","e2e","smoke"],"wasCustom":true},`+
				`{"id":"notes","type":"text","value":"a\nb","wasCustom":true}`, "false"), false},
		{"optional ones left empty, or not visited", answered(form.Choose(1), form.Answer{Empty: true}, form.Answer{}),
			"Database: SQLite\nTesting: (none selected)\nQ3: (empty)",
			details(`{"id":"db","type":"radio","value":"SQLite","wasCustom":false},{"id":"tests","type":"checkbox","value":[],"wasCustom":false},`+
				`{"id":"notes","type":"text","value":"","wasCustom":true}`, "false"), false},
		{"cancelled", without(form.Cancelled), "User cancelled the form", details("", "true"), false},
		{"declined", declined, "User cancelled the form: explain more first", details("", `true,"reason":"explain more first"`), false},
		{"no UI", form.Result{Outcome: form.Unavailable, Reason: "no terminal"}, "Error: UI not available (running in non-interactive mode)",
			details("", `true,"reason":"no terminal"`), true},
		{"timeout", without(form.Timeout), "No answer before the deadline (3600 s)", details("", "true"), false},
		{"aborted", without(form.Aborted), "Error: the question was withdrawn before it was answered", details("", "true"), true},
	})
	runEnds(t, "ask_user_question", `{"questions":[{"id":"a","type":"radio","prompt":"p","options":[{"label":"x"}],"required":false}]}`, []ends{
		{"an optional radio", form.Result{Outcome: form.Answered, Answers: []form.Answer{{Empty: true}}}, "Q1: (none selected)",
			`{"questions":[{"id":"a","type":"radio","prompt":"p","label":"Q1","options":[{"value":"x","label":"x"}],"allowOther":true,"required":false}],` +
				`"answers":[{"id":"a","type":"radio","value":"","wasCustom":false}],"cancelled":false}`, false},
	})
	if r := askUserQuestionForm.Reject(errNoQuestions); r.Text != "Error: No questions provided" || string(r.Details) != `{"questions":[],"answers":[],"cancelled":true}` {
		t.Errorf("rejected: %+v", r)
	}
}

func TestControlsPays(t *testing.T) {
	t.Parallel()
	a, b, c := form.Choose(0), form.Choose(0, 1), form.Type("t")
	typedToo := form.Choose(1)
	typedToo.Text = new("smoke")
	runPays(t, "ask_user_question", setup, []pays{
		{"by id, values", `{"db":"pg","tests":["unit","e2e"],"notes":"t"}`, []form.Answer{a, b, c}, ""},
		{"by index, labels, any order", `{"0":"PostgreSQL","1":["E2E","Unit"],"2":{"text":"t"}}`, []form.Answer{a, b, c}, ""},
		{"typed", `{"db":{"mode":"other","text":"MySQL"},"tests":["e2e",{"mode":"other","text":"smoke"}],"notes":"t"}`,
			[]form.Answer{form.Type("MySQL"), typedToo, c}, ""},
		{"optional ones left out", `{"db":"pg"}`, []form.Answer{a, {}, {}}, ""},
		{"optional ones null", `{"db":"pg","tests":null,"notes":null}`, []form.Answer{a, {}, {}}, ""},
		{"optional ones empty", `{"db":"pg","tests":[],"notes":""}`, []form.Answer{a, {Empty: true}, {Empty: true}}, ""},
		{"a required one left out", `{"tests":[]}`, nil, `answers: missing the answer to "db" (key it by "db" or "0")`},
		{"an unknown value in an array", `{"db":"pg","tests":["unit","load"]}`, nil,
			`answers.tests[1]: "load" is none of the options ("Unit", "E2E"); for an answer in other words send {"mode":"other","text":…}`},
		{"twice the same", `{"db":"pg","tests":["unit","Unit"]}`, nil, `answers.tests[1]: "Unit" is chosen twice`},
		{"two typed texts", `{"db":"pg","tests":[{"text":"a"},{"text":"b"}]}`, nil, "answers.tests[1]: a second typed text; there can be one"},
		{"no array", `{"db":"pg","tests":"unit"}`, nil, "answers.tests: expected an array, got a string"},
		{"a text that is none", `{"db":"pg","notes":7}`, nil, "answers.notes: expected a non-empty string, got a number"},
	})
}

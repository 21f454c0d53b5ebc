package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// docs/contracts.md, AskUserQuestion, rule by rule.

// one is a request of one question with these members besides header and question.
func one(members string) string {
	return `{"questions":[{"header":"H","question":"Q?",` + members + `}]}`
}

// value is the normalised form of that.
func oneValue(members string) string {
	return `{"questions":[{"id":"q1","header":"H","question":"Q?",` + members + `}]}`
}

func listed(count int) string {
	var options []string
	for i := range count {
		options = append(options, `{"label":"`+string(rune('a'+i))+`"}`)
	}
	return `"options":[` + strings.Join(options, ",") + `]`
}

func TestTypedTakes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 4000)
	runTakes(t, "AskUserQuestion", []takes{
		{"id assigned", one(`"type":"free_text"`), oneValue(`"type":"free_text","multiline":true`)},
		{"id assigned, unique beside given ones", `{"questions":[{"header":"A","question":"q","type":"number"},{"id":"q1","header":"B","question":"q","type":"number"},{"header":"C","question":"q","type":"number"}]}`,
			`{"questions":[{"id":"q2","header":"A","question":"q","type":"number"},{"id":"q1","header":"B","question":"q","type":"number"},{"id":"q3","header":"C","question":"q","type":"number"}]}`},
		{"id of 64 characters", `{"questions":[{"id":"` + strings.Repeat("é", 64) + `","header":"H","question":"q","type":"number"}]}`, ""},
		{"header of 20 characters", `{"questions":[{"header":"` + strings.Repeat("é", 20) + `","question":"q","type":"number"}]}`, ""},
		{"question and description of 4000", `{"questions":[{"header":"H","question":"` + long + `","description":"` + long + `","type":"number"}]}`, ""},
		{"select_one gets Other", one(`"type":"select_one","options":[{"label":"A","description":"d"}]`),
			oneValue(`"type":"select_one","options":[{"label":"A","description":"d"},{"label":"Other"}]`)},
		{"select_many gets Other", one(`"type":"select_many",` + listed(2)),
			oneValue(`"type":"select_many","options":[{"label":"a"},{"label":"b"},{"label":"Other"}]`)},
		{"confirm_enum without options", one(`"type":"confirm_enum"`),
			oneValue(`"type":"confirm_enum","options":[{"label":"Affirm"},{"label":"Decline"},{"label":"Other"}]`)},
		{"confirm_enum with two", one(`"type":"confirm_enum","options":[{"label":"Ship"},{"label":"Wait"}]`),
			oneValue(`"type":"confirm_enum","options":[{"label":"Ship"},{"label":"Wait"},{"label":"Other"}]`)},
		{"an option named other is that slot", one(`"type":"select_one","options":[{"label":"OTHER","description":"mine"},{"label":"A"}]`),
			oneValue(`"type":"select_one","options":[{"label":"A"},{"label":"OTHER","description":"mine"}]`)},
		{"in a confirm_enum as well", one(`"type":"confirm_enum","options":[{"label":"Yes"},{"label":"No"},{"label":"other"}]`),
			oneValue(`"type":"confirm_enum","options":[{"label":"Yes"},{"label":"No"},{"label":"other"}]`)},
		{"seven options", one(`"type":"select_one",` + listed(7)), ""},
		{"default of select_one", one(`"type":"select_one","default":"b",` + listed(2)),
			oneValue(`"type":"select_one","options":[{"label":"a"},{"label":"b"},{"label":"Other"}],"default":"b"`)},
		{"default of select_many", one(`"type":"select_many","default":["b","a"],` + listed(3)),
			oneValue(`"type":"select_many","options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"Other"}],"default":["b","a"]`)},
		{"default of select_many, none", one(`"type":"select_many","default":[],` + listed(1)),
			oneValue(`"type":"select_many","options":[{"label":"a"},{"label":"Other"}],"default":[]`)},
		{"default of confirm_enum", one(`"type":"confirm_enum","default":"decline"`),
			oneValue(`"type":"confirm_enum","options":[{"label":"Affirm"},{"label":"Decline"},{"label":"Other"}],"default":"decline"`)},
		{"default of number, on the bound", one(`"type":"number","default":1,"min":1,"max":1`), oneValue(`"type":"number","default":1,"min":1,"max":1`)},
		{"default of number, zero", one(`"type":"number","default":0,"min":-1.5`), oneValue(`"type":"number","default":0,"min":-1.5`)},
		{"default of free_text", one(`"type":"free_text","default":"t","placeholder":"p","multiline":false`),
			oneValue(`"type":"free_text","default":"t","placeholder":"p","multiline":false`)},
		{"is_dangerous as given", one(`"type":"number","is_dangerous":true`), oneValue(`"type":"number","is_dangerous":true`)},
		{"is_dangerous false is not absent", one(`"type":"number","is_dangerous":false`), oneValue(`"type":"number","is_dangerous":false`)},
		{"each type of preview", one(`"type":"select_one","options":[{"label":"a","preview":{"type":"markdown","content":"c"}},{"label":"b","preview":{"type":"code","content":"c"}},` +
			`{"label":"c","preview":{"type":"text","content":"c"}},{"label":"d","preview":{"type":"mermaid","content":"c"}},{"label":"e","preview":{"type":"svg","content":"c"}},{"label":"f","preview":{"type":"html","content":"c"}}]`), ""},
		{"an unknown preview is dropped, and only that", one(`"type":"select_one","options":[{"label":"a","description":"d","preview":{"type":"pdf","content":"c"}},{"label":"b","preview":{"type":"code","content":"c"}}]`),
			oneValue(`"type":"select_one","options":[{"label":"a","description":"d"},{"label":"b","preview":{"type":"code","content":"c"}},{"label":"Other"}]`)},
		{"an unknown preview may have anything", one(`"type":"select_one","options":[{"label":"a","preview":{"type":"image","url":"u"}},{"label":"b","preview":{"type":"","content":7}}]`),
			oneValue(`"type":"select_one","options":[{"label":"a"},{"label":"b"},{"label":"Other"}]`)},
		{"unknown fields", one(`"type":"number","colour":"red"`), oneValue(`"type":"number"`)},
	})
}

func TestTypedForm(t *testing.T) {
	t.Parallel()
	_, f := request(t, "AskUserQuestion", `{"questions":[
		{"header":"A","question":"a","description":"d","type":"select_one","options":[{"label":"x","preview":{"type":"code","content":"c"}},{"label":"y"}],"default":"y"},
		{"header":"B","question":"b","type":"select_many","options":[{"label":"x"},{"label":"oTher"},{"label":"y"}],"default":["y","x"]},
		{"header":"C","question":"c","type":"confirm_enum","options":[{"label":"decline"},{"label":"affirm"}],"default":"affirm"},
		{"header":"D","question":"d","type":"number","min":1,"max":9,"default":2}]}`)
	if !f.Review || f.Remarks != form.Notes || f.Partial {
		t.Errorf("review %v, remarks %q, partial %v", f.Review, f.Remarks, f.Partial)
	}
	for i, want := range []struct {
		kind           form.Kind
		other, initial string
		options        string
	}{
		{form.One, "Other", `{"choices":[1]}`, `[{"value":"x","label":"x","preview":{"type":"code","content":"c"}},{"value":"y","label":"y"}]`},
		{form.Many, "oTher", `{"choices":[0,1]}`, `[{"value":"x","label":"x"},{"value":"y","label":"y"}]`},
		{form.One, "Other", `{"choices":[0]}`, `[{"value":"affirm","label":"decline"},{"value":"decline","label":"affirm"}]`},
		{form.Number, "", `{"number":2}`, `[]`},
	} {
		q := f.Questions[i]
		if q.Kind != want.kind || q.Other != want.other || string(mustJSON(q.Initial)) != want.initial || string(mustJSON(q.Options)) != want.options {
			t.Errorf("question %d is %+v", i, q)
		}
		if q.Preset {
			t.Errorf("question %d: the person must still confirm the default", i)
		}
	}
	if a := f.Questions[0]; a.Label != "A" || !a.Named || a.Prompt != "a" || a.Description != "d" {
		t.Errorf("%+v", a)
	}
	if d := f.Questions[3]; *d.Min != 1 || *d.Max != 9 {
		t.Errorf("bounds %v, %v", *d.Min, *d.Max)
	}
	_, f = request(t, "AskUserQuestion", one(`"type":"free_text","is_dangerous":true,"default":"t","placeholder":"p"`))
	if q := f.Questions[0]; !q.Dangerous || q.Initial.Given() || q.Placeholder != "p" || !q.Multiline || f.Review {
		t.Errorf("a dangerous question takes no default: %+v", q)
	}
}

func TestTypedRefuses(t *testing.T) {
	t.Parallel()
	q := func(members string) string { return `{"questions":[{` + members + `}]}` }
	defaults := `"type":"select_one",` + listed(2) + `,"default":`
	many := `"type":"select_many",` + listed(2) + `,"default":`
	const types = `"select_one", "select_many", "confirm_enum", "number", "free_text"`
	runRefuses(t, "AskUserQuestion", []refuses{
		{"none", `{"questions":[]}`, "questions: expected at least one, got none"},
		{"questions left out", `{}`, "questions: expected an array of at least one, got nothing"},
		{"five questions", `{"questions":[` + strings.Repeat(`{"header":"h","question":"q","type":"number"},`, 4) + `{"header":"h","question":"q","type":"number"}]}`,
			"questions: expected at most 4 questions, got 5"},
		{"id empty", q(`"id":"","header":"h","question":"q","type":"number"`), "questions[0].id: expected a non-empty string, got a blank one"},
		{"id of 65 characters", q(`"id":"` + strings.Repeat("x", 65) + `","header":"h","question":"q","type":"number"`), "questions[0].id: expected at most 64 characters, got 65"},
		{"id twice", `{"questions":[{"id":"a","header":"h","question":"q","type":"number"},{"id":"a","header":"h","question":"q","type":"number"}]}`,
			`questions[1].id: duplicate id "a", already used by questions[0]`},
		{"no header", q(`"question":"q","type":"number"`), "questions[0].header: expected a non-empty string, got nothing"},
		{"header of 21 characters", q(`"header":"` + strings.Repeat("é", 21) + `","question":"q","type":"number"`), "questions[0].header: expected at most 20 characters, got 21"},
		{"no question", q(`"header":"h","type":"number"`), "questions[0].question: expected a non-empty string, got nothing"},
		{"question of 4001", q(`"header":"h","question":"` + strings.Repeat("x", 4001) + `","type":"number"`), "questions[0].question: expected at most 4000 characters, got 4001"},
		{"description of 4001", q(`"header":"h","question":"q","type":"number","description":"` + strings.Repeat("x", 4001) + `"`), "questions[0].description: expected at most 4000 characters, got 4001"},
		{"no type", q(`"header":"h","question":"q"`), "questions[0].type: expected one of " + types + ", got nothing"},
		{"an unknown type", one(`"type":"slider"`), "questions[0].type: expected one of " + types + `, got "slider"`},
		{"select_one without options", one(`"type":"select_one"`), "questions[0].options: expected at least one option for type select_one, got none"},
		{"select_many with empty options", one(`"type":"select_many","options":[]`), "questions[0].options: expected at least one option for type select_many, got none"},
		{"options of number", one(`"type":"number",` + listed(2)), "questions[0].options: not allowed for type number"},
		{"options of free_text", one(`"type":"free_text","options":[]`), "questions[0].options: not allowed for type free_text"},
		{"eight options", one(`"type":"select_one",` + listed(8)), "questions[0].options: expected at most 7 options, got 8"},
		{"an option without label", one(`"type":"select_one","options":[{"label":"a"},{"description":"d"}]`), "questions[0].options[1].label: expected a non-empty string, got nothing"},
		{"an option that is a string", one(`"type":"select_one","options":["a"]`), "questions[0].options[0]: expected an object, got a string"},
		{"label of 201", one(`"type":"select_one","options":[{"label":"` + strings.Repeat("x", 201) + `"}]`), "questions[0].options[0].label: expected at most 200 characters, got 201"},
		{"option description of 2001", one(`"type":"select_one","options":[{"label":"a","description":"` + strings.Repeat("x", 2001) + `"}]`),
			"questions[0].options[0].description: expected at most 2000 characters, got 2001"},
		{"a label twice", one(`"type":"select_one","options":[{"label":"a"},{"label":"b"},{"label":"a"}]`),
			`questions[0].options[2].label: duplicate label "a", already used by questions[0].options[0].label`},
		{"a preview that is no object", one(`"type":"select_one","options":[{"label":"a","preview":"c"}]`), "questions[0].options[0].preview: expected an object, got a string"},
		{"confirm_enum with one", one(`"type":"confirm_enum","options":[{"label":"Yes"}]`),
			"questions[0].options: expected exactly two options for type confirm_enum (the first affirms, the second declines), got 1"},
		{"confirm_enum with three", one(`"type":"confirm_enum",` + listed(3)),
			"questions[0].options: expected exactly two options for type confirm_enum (the first affirms, the second declines), got 3"},
		{"default of select_one, unknown", one(defaults + `"z"`), `questions[0].default: must be the label of an option ("a", "b"), got "z"`},
		{"default of select_one, an array", one(defaults + `["a"]`), `questions[0].default: must be the label of an option ("a", "b"), got an array`},
		{"default of select_one, null", one(defaults + `null`), `questions[0].default: must be the label of an option ("a", "b"), got null`},
		{"default of select_one, Other", one(defaults + `"Other"`), `questions[0].default: must be the label of an option ("a", "b"), got "Other"`},
		{"default of select_many, a label", one(many + `"a"`), `questions[0].default: must be an array of option labels ("a", "b"), got "a"`},
		{"default of select_many, unknown", one(many + `["a","z"]`), `questions[0].default[1]: default must hold labels of options ("a", "b"), got "z"`},
		{"default of select_many, twice", one(many + `["a","a"]`), `questions[0].default[1]: default must hold distinct labels, got "a" twice`},
		{"default of confirm_enum, a label", one(`"type":"confirm_enum","default":"Affirm"`), `questions[0].default: must be "affirm" or "decline", got "Affirm"`},
		{"default of confirm_enum, true", one(`"type":"confirm_enum","default":true`), `questions[0].default: must be "affirm" or "decline", got a boolean`},
		{"default of number, a string", one(`"type":"number","default":"1"`), `questions[0].default: must be a finite number, got "1"`},
		{"default of number, endless", one(`"type":"number","default":1e999`), "questions[0].default: expected a finite number, got 1e999"},
		{"default of number, below min", one(`"type":"number","min":1,"default":0`), "questions[0].default: the default is 0, below min 1"},
		{"default of number, above max", one(`"type":"number","max":1,"default":1.5`), "questions[0].default: the default is 1.5, above max 1"},
		{"default of free_text, a number", one(`"type":"free_text","default":1`), "questions[0].default: must be a string, got a number"},
		{"min above max", one(`"type":"number","min":2,"max":1`), "questions[0].min: min 2 is above max 1"},
		{"min no number", one(`"type":"number","min":"1"`), "questions[0].min: expected a number, got a string"},
		{"min of free_text", one(`"type":"free_text","min":1`), "questions[0].min: only allowed for type number"},
		{"placeholder of 201", one(`"type":"free_text","placeholder":"` + strings.Repeat("x", 201) + `"`), "questions[0].placeholder: expected at most 200 characters, got 201"},
		{"multiline no boolean", one(`"type":"free_text","multiline":"yes"`), "questions[0].multiline: expected a boolean, got a string"},
		{"is_dangerous a string", one(`"type":"number","is_dangerous":"true"`), "questions[0].is_dangerous: expected a boolean, got a string"},
		{"expected without danger", one(`"type":"number","expected":"x"`), "questions[0].expected: only allowed with is_dangerous true"},
		{"expected in two lines", one(`"type":"number","is_dangerous":true,"expected":"a\nb"`), "questions[0].expected: must be one line of visible text, without typographic quotes and runs of blanks"},
		{"is_dangerous a number", one(`"type":"number","is_dangerous":1`), "questions[0].is_dangerous: expected a boolean, got a number"},
		{"is_dangerous null", one(`"type":"number","is_dangerous":null`), "questions[0].is_dangerous: expected a boolean, got null"},
		{"is_dangerous is never passed over", `{"questions":[{"header":"H","question":"Q?","is_dangerous":true,` + listed(2) + `}]}`,
			"questions[0].type: expected one of " + types + ", got nothing"},
	})
}

func TestTypedRefusesTheOlderVersion(t *testing.T) {
	t.Parallel()
	runRefuses(t, "AskUserQuestion", []refuses{
		{"all in one message", `{"questions":[
			{"header":"H","prompt":"p","type":"single_select","required":true,"options":[{"label":"a","markdown":"m"},{"label":"b","markdown":"m"}]},
			{"header":"H","prompt":"p","input_mode":"text","type":"multi_select"},{"header":"H","prompt":"p","type":"confirm"},{"type":"text"}]}`,
			`questions[0].type: "single_select" is now "select_one"; questions[0].prompt: is gone, use "question" (and 2 more like it); ` +
				`questions[0].required: is gone: every question is required; ` +
				`questions[0].options[0].markdown: is gone, use "preview" with {type, content} (and 1 more like it); ` +
				`questions[1].type: "multi_select" is now "select_many"; questions[1].input_mode: is gone, use "type"; ` +
				`questions[2].type: "confirm" is now "confirm_enum"; questions[3].type: "text" is now "free_text"`},
	})
}

const typedFour = `{"questions":[
 {"header":"Db","question":"a","type":"select_one","options":[{"label":"Pg"},{"label":"My"}]},
 {"header":"Tools","question":"b","type":"select_many","options":[{"label":"x"},{"label":"y"}]},
 {"header":"Ship","question":"c","type":"confirm_enum","options":[{"label":"Go"},{"label":"Wait"}]},
 {"header":"Port","question":"d","type":"number","min":1,"max":65535}]}`

const typedFourEcho = `[{"id":"q1","header":"Db","question":"a","type":"select_one","options":[{"label":"Pg"},{"label":"My"},{"label":"Other"}]},` +
	`{"id":"q2","header":"Tools","question":"b","type":"select_many","options":[{"label":"x"},{"label":"y"},{"label":"Other"}]},` +
	`{"id":"q3","header":"Ship","question":"c","type":"confirm_enum","options":[{"label":"Go"},{"label":"Wait"},{"label":"Other"}]},` +
	`{"id":"q4","header":"Port","question":"d","type":"number","min":1,"max":65535}]`

func noted(a form.Answer, note string) form.Answer {
	a.Note = note
	return a
}

func TestTypedEnds(t *testing.T) {
	t.Parallel()
	details := func(answers, lifecycle, rest string) string {
		return `{"questions":` + typedFourEcho + `,"answers":{` + answers + `},` + rest + `"lifecycle":"` + lifecycle + `","url":null,"port":null,"debounceMs":300`
	}
	typedToo := form.Choose(0)
	typedToo.Text = new("z")
	runEnds(t, "AskUserQuestion", typedFour, []ends{
		{"options, confirm by position, a number", form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(1), form.Choose(0, 1), form.Choose(1), form.Count(8080)}},
			"Db: My\nTools: x, y\nShip: decline\nPort: 8080",
			details(`"0":{"mode":"option","value":"My"},"1":[{"mode":"option","value":"x"},{"mode":"option","value":"y"}],"2":{"mode":"option","value":"decline"},"3":8080`, "answered", "") + `}`, false},
		{"typed, and notes where there are any", form.Result{Outcome: form.Answered, Answers: []form.Answer{
			noted(form.Type("Lite"), " small "), typedToo, noted(form.Type("later"), " "), noted(form.Count(1), "why")}},
			"Db: (Other) Lite\nTools: x, (Other) z\nShip: (Other) later\nPort: 1\nnote (Db): small\nnote (Port): why",
			details(`"0":{"mode":"other","text":"Lite"},"1":[{"mode":"option","value":"x"},{"mode":"other","text":"z"}],"2":{"mode":"other","text":"later"},"3":1`,
				"answered", `"notes":{"0":"small","3":"why"},`) + `}`, false},
		{"cancelled", without(form.Cancelled), "User cancelled the questionnaire", details("", "cancelled", "") + `}`, false},
		{"declined", declined, "User cancelled the questionnaire: explain more first", details("", "cancelled", "") + `,"reason":"explain more first"}`, false},
		{"timeout", without(form.Timeout), "No answer before the deadline (3600 s)", details("", "cancelled", "") + `}`, false},
		{"unavailable", without(form.Unavailable), "Error: UI not available", details("", "rejected", "") + `}`, true},
		{"aborted", without(form.Aborted), "Error: the question was withdrawn before it was answered", details("", "cancelled", "") + `}`, true},
	})
	runEnds(t, "AskUserQuestion", one(`"type":"free_text","is_dangerous":true`), []ends{
		{"free text is a string", form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("<prod> & more")}}, "H: <prod> & more",
			`{"questions":[{"id":"q1","header":"H","question":"Q?","type":"free_text","multiline":true,"is_dangerous":true}],"answers":{"0":"<prod> & more"},` +
				`"lifecycle":"answered","url":null,"port":null,"debounceMs":300}`, false},
	})
	d, f := request(t, "AskUserQuestion", one(`"type":"number"`))
	r := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Count(1e21)}}
	if got := d.EncodeIn(Context{Page: func() (string, int) { return "http://127.0.0.1:4711/", 4711 }}, &f, r); !strings.Contains(string(got.Details), `"url":"http://127.0.0.1:4711/","port":4711,`) {
		t.Errorf("where a page is up: %s", got.Details)
	}
	if got := d.EncodeIn(Context{DebounceMs: 20}, &f, r); !strings.Contains(string(got.Details), `"0":1000000000000000000000}`) ||
		!strings.Contains(string(got.Details), `"debounceMs":20}`) || !json.Valid(got.Details) {
		t.Errorf("a large number, and the setting in force: %s", got.Details)
	}
	if r := askUserQuestion.Reject(errNoQuestions); string(r.Details) != `{"questions":[],"answers":{},"lifecycle":"rejected"}` {
		t.Errorf("rejected: %s", r.Details)
	}
}

func TestTypedPays(t *testing.T) {
	t.Parallel()
	want := []form.Answer{form.Choose(1), form.Choose(0, 1), form.Choose(0), form.Count(80)}
	full := func(db, tools, ship, port string) string {
		return `{"0":` + db + `,"1":` + tools + `,"2":` + ship + `,"3":` + port + `}`
	}
	ok := func(i int, value string) string {
		members := []string{`"My"`, `["y","x"]`, `"affirm"`, `80`}
		members[i] = value
		return full(members[0], members[1], members[2], members[3])
	}
	const none = `; for an answer in other words send {"mode":"other","text":…}`
	typedToo := form.Choose(0)
	typedToo.Text = new("z")
	withNotes := append([]form.Answer{}, want...)
	withNotes[1].Note = "why"
	runPays(t, "AskUserQuestion", typedFour, []pays{
		{"index-keyed, bare labels", ok(0, `"My"`), want, ""},
		{"id-keyed", `{"q1":"My","q2":["x","y"],"q3":"affirm","q4":80}`, want, ""},
		{"wrapped", `{"answers":` + ok(0, `"My"`) + `}`, want, ""},
		{"wrapped twice", `{"question_response":{"answers":` + ok(0, `"My"`) + `}}`, want, ""},
		{"mode and value", full(`{"mode":"option","value":"My"}`, `[{"mode":"option","value":"x"},"y"]`, `{"mode":"option","value":"affirm"}`, `{"value":80}`), want, ""},
		{"custom confirm labels", ok(2, `"Go"`), want, ""},
		{"booleans", ok(2, `true`), want, ""},
		{"booleans in value", ok(2, `{"mode":"option","value":true}`), want, ""},
		{"numeric strings", ok(3, `" 80 "`), want, ""},
		{"typed", full(`{"mode":"other","text":"Lite"}`, `["x",{"mode":"other","text":"z"}]`, `false`, `1.5`),
			[]form.Answer{form.Type("Lite"), typedToo, form.Choose(1), form.Count(1.5)}, ""},
		{"notes beside the answers", `{"answers":` + ok(0, `"My"`) + `,"notes":{"1":" why ","0":""}}`, withNotes, ""},
		{"notes among the answers", `{"q1":"My","q2":["x","y"],"q3":"affirm","q4":80,"notes":{"q2":"why"}}`, withNotes, ""},
		{"notes within the response", `{"question_response":{"answers":` + ok(0, `"My"`) + `,"notes":{"1":"why"}}}`, withNotes, ""},
		{"unknown label, quoted", ok(0, `"No"`), nil, `answers.0: "No" is none of the options ("Pg", "My")` + none},
		{"value absent", ok(0, `{"mode":"option"}`), nil, "answers.0: expected a value or a text"},
		{"bare Other", ok(0, `"Other"`), nil, `answers.0: "Other" is none of the options ("Pg", "My")` + none},
		{"above max", ok(3, `65536`), nil, "answers.3: the answer is 65536, above max 65535"},
		{"below min", ok(3, `"0"`), nil, "answers.3: the answer is 0, below min 1"},
		{"no number", ok(3, `"many"`), nil, `answers.3: expected a number, got "many"`},
		{"not a number", ok(3, `"NaN"`), nil, "answers.3: the answer is not a finite number"},
		{"missing question", `{"0":"My","1":["x"],"2":true}`, nil, `answers: missing the answer to "q4" (key it by "q4" or "3")`},
		{"blank Other text", ok(0, `{"mode":"other","text":" "}`), nil, "answers.0.text: expected a non-empty string, got \" \""},
		{"confirm value", ok(2, `"maybe"`), nil, `answers.2: "maybe" is neither "affirm" nor "decline" ("Go", "Wait")` + none},
		{"confirm value, a number", ok(2, `1`), nil, `answers.2: a number is neither "affirm" nor "decline" ("Go", "Wait")` + none},
		{"select_many no array", ok(1, `"x"`), nil, "answers.1: expected an array, got a string"},
		{"select_many empty", ok(1, `[]`), nil, "answers.1: expected at least one choice in the array"},
		{"select_many, a number in it", ok(1, `[1]`), nil, `answers.1[0]: a number is none of the options ("x", "y")` + none},
		{"notes to no question", `{"answers":` + ok(0, `"My"`) + `,"notes":{"9":"why"}}`, nil, `notes.9: no such question; there are "q1" (0), "q2" (1), "q3" (2), "q4" (3)`},
		{"notes that are none", `{"answers":` + ok(0, `"My"`) + `,"notes":{"1":7}}`, nil, "notes.1: expected a string, got a number"},
		{"a boolean for select_one", ok(0, `true`), nil, `answers.0: a boolean is none of the options ("Pg", "My")` + none},
	})
}

func TestTypedPaysDanger(t *testing.T) {
	t.Parallel()
	const refused = `answers.0: this question is dangerous; expected the name of what is at stake, as a string or as {"mode":"other","text":…}, got `
	runPays(t, "AskUserQuestion", one(`"type":"confirm_enum","is_dangerous":true`), []pays{
		{"typed", `{"0":{"mode":"other","text":"prod"}}`, []form.Answer{form.Type("prod")}, ""},
		{"a bare string is typed text", `{"0":"affirm"}`, []form.Answer{form.Type("affirm")}, ""},
		{"an option", `{"0":{"mode":"option","value":"affirm"}}`, nil, refused + "an object"},
		{"true", `{"0":true}`, nil, refused + "a boolean"},
		{"blank", `{"0":" "}`, nil, "answers.0: expected a non-empty string, got \" \""},
	})
	runPays(t, "AskUserQuestion", one(`"type":"select_many","is_dangerous":true,`+listed(2)), []pays{
		{"select_many, typed", `{"0":[{"mode":"other","text":"prod"}]}`, []form.Answer{form.Type("prod")}, ""},
		{"select_many, an option", `{"0":[{"mode":"option","value":"a"}]}`, nil, strings.Replace(refused, ".0", ".0[0]", 1) + "an object"},
	})
	runPays(t, "AskUserQuestion", one(`"type":"confirm_enum","is_dangerous":true,"expected":"prod db"`), []pays{
		{"as expected", `{"0":"prod db"}`, []form.Answer{form.Type("prod db")}, ""},
		{"not quite", `{"0":"Prod db "}`, nil, "answers.0: the answer must be exactly “prod db”, as shown"},
	})
	runPays(t, "AskUserQuestion", one(`"type":"number","is_dangerous":true,"expected":"12"`), []pays{
		{"another number", `{"0":13}`, nil, "answers.0: the answer must be exactly “12”, as shown"},
	})
	_, f := request(t, "AskUserQuestion", one(`"type":"confirm_enum","is_dangerous":true`))
	got, err := Answered(Context{}, &f, []byte(`{"0":true}`))
	if err != nil || len(got.Answers[0].Choices) != 1 {
		t.Errorf("with the setting off the question is an ordinary one: %+v, %v", got, err)
	}
}

package dialect

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// docs/contracts.md, The second shape.

const plainTwo = `{"questions":[
 {"question":"Which database?","header":"The database we use","options":[{"label":"Pg","description":"solid","preview":"# Pg"},{"label":"Lite"}],"multiSelect":false},
 {"question":"And which tools?","header":"Tools","options":[{"label":"x","description":"d"},{"label":"y","description":"d"}],"multiSelect":true}]}`

const plainEchoed = `[{"question":"Which database?","header":"The database we use","options":[{"label":"Pg","description":"solid","preview":"# Pg"},{"label":"Lite"}],"multiSelect":false},` +
	`{"question":"And which tools?","header":"Tools","options":[{"label":"x","description":"d"},{"label":"y","description":"d"}],"multiSelect":true}]`

func TestPlainTakes(t *testing.T) {
	t.Parallel()
	runTakes(t, "AskUserQuestion", []takes{
		{"a long header, no description, as given", plainTwo, `{"questions":` + plainEchoed + `}`},
		{"multiSelect left out", `{"questions":[{"question":"q","header":"h",` + listed(2) + `}]}`,
			`{"questions":[{"question":"q","header":"h","options":[{"label":"a"},{"label":"b"}],"multiSelect":false}]}`},
		{"seven options", `{"questions":[{"question":"q","header":"h",` + listed(7) + `}]}`, ""},
		{"their own Other", `{"questions":[{"question":"q","header":"h","options":[{"label":"a"},{"label":"b"},{"label":"Other"}]}]}`,
			`{"questions":[{"question":"q","header":"h","options":[{"label":"a"},{"label":"b"},{"label":"Other"}],"multiSelect":false}]}`},
		{"fields of no meaning here", `{"questions":[{"id":"x","question":"q","header":"h",` + listed(2) + `,"default":"a"}],"metadata":{}}`, ""},
	})
	_, f := request(t, "AskUserQuestion", plainTwo)
	a, b := f.Questions[0], f.Questions[1]
	if a.Label != "The databas…" || a.Kind != form.One || a.Other != "Other" || a.Options[0].Preview.Type != "" || a.Options[0].Preview.Content != "# Pg" {
		t.Errorf("%+v", a)
	}
	if b.Kind != form.Many || b.ID != "q2" || !f.Review || f.Remarks != form.Notes {
		t.Errorf("%+v", b)
	}
}

func TestPlainRefuses(t *testing.T) {
	t.Parallel()
	runRefuses(t, "AskUserQuestion", []refuses{
		{"five questions", `{"questions":[` + strings.Repeat(`{"question":"q","header":"h",`+listed(2)+`},`, 4) + `{"question":"q","header":"h",` + listed(2) + `}]}`,
			"questions: expected at most 4 questions, got 5"},
		{"one option", `{"questions":[{"question":"q","header":"h",` + listed(1) + `}]}`, "questions[0].options: expected at least 2 options, got 1"},
		{"eight options", `{"questions":[{"question":"q","header":"h",` + listed(8) + `}]}`, "questions[0].options: expected at most 7 options, got 8"},
		{"no header", `{"questions":[{"question":"q",` + listed(2) + `}]}`, "questions[0].header: expected a non-empty string, got nothing"},
		{"a label twice", `{"questions":[{"question":"q","header":"h","options":[{"label":"a"},{"label":"a"}]}]}`,
			`questions[0].options[1].label: duplicate label "a", already used by questions[0].options[0].label`},
		{"a question twice, since the answers are keyed by it", `{"questions":[{"question":"q","header":"h",` + listed(2) + `},{"question":"q","header":"i",` + listed(2) + `}]}`,
			`questions[1].question: duplicate question "q", already used by questions[0].question`},
		{"multiSelect no boolean", `{"questions":[{"question":"q","header":"h",` + listed(2) + `,"multiSelect":"yes"}]}`, "questions[0].multiSelect: expected a boolean, got a string"},
		{"one question of each shape", `{"questions":[{"question":"q","header":"h",` + listed(2) + `},{"question":"r","header":"h","type":"number"}]}`,
			`questions[0].type: expected one of "select_one", "select_many", "confirm_enum", "number", "free_text", got nothing`},
	})
}

func TestPlainEnds(t *testing.T) {
	t.Parallel()
	typedToo := form.Choose(1)
	typedToo.Text = new("z")
	runEnds(t, "AskUserQuestion", plainTwo, []ends{
		{"labels by question text, joined; the chosen preview", form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0), form.Choose(0, 1)}},
			"The database we use: Pg\nTools: x, y",
			`{"questions":` + plainEchoed + `,"answers":{"Which database?":"Pg","And which tools?":"x, y"},"annotations":{"Which database?":{"preview":"# Pg"}}}`, false},
		{"typed, and notes", form.Result{Outcome: form.Answered, Answers: []form.Answer{noted(form.Choose(1), "n"), noted(typedToo, " m ")}},
			"The database we use: Lite\nTools: y, (Other) z\nnote (The database we use): n\nnote (Tools): m",
			`{"questions":` + plainEchoed + `,"answers":{"Which database?":"Lite","And which tools?":"y, z"},` +
				`"annotations":{"Which database?":{"notes":"n"},"And which tools?":{"notes":"m"}}}`, false},
		{"no annotations", form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("My"), form.Choose(0)}},
			"The database we use: (Other) My\nTools: x",
			`{"questions":` + plainEchoed + `,"answers":{"Which database?":"My","And which tools?":"x"}}`, false},
		{"cancelled", without(form.Cancelled), "User cancelled the questionnaire", `{"questions":` + plainEchoed + `,"answers":{}}`, false},
		{"declined", declined, "User cancelled the questionnaire: explain more first", `{"questions":` + plainEchoed + `,"answers":{},"reason":"explain more first"}`, false},
		{"timeout", without(form.Timeout), "No answer before the deadline (3600 s)", `{"questions":` + plainEchoed + `,"answers":{}}`, false},
		{"aborted", without(form.Aborted), "Error: the question was withdrawn before it was answered", `{"questions":` + plainEchoed + `,"answers":{}}`, true},
	})
}

// Of the agent's own dialog each of several questions may be left empty.
func TestPlainLeftEmpty(t *testing.T) {
	t.Parallel()
	d, f := request(t, "AskUserQuestion", plainTwo)
	f.Skip()
	r, err := Answered(defaults, &f, []byte(`{"0":"","1":["x"]}`))
	if got := d.Encode(&f, r); err != nil || got.Text != "Tools: x" || !strings.HasSuffix(string(got.Details), `"answers":{"And which tools?":"x"}}`) {
		t.Errorf("%q %s, %v", got.Text, got.Details, err)
	}
}

func TestPlainPays(t *testing.T) {
	t.Parallel()
	want := []form.Answer{form.Choose(1), form.Choose(0)}
	runPays(t, "AskUserQuestion", plainTwo, []pays{
		{"by index", `{"0":"Lite","1":["x"]}`, want, ""},
		{"by id", `{"q1":"Lite","q2":[{"mode":"option","value":"x"}]}`, want, ""},
		{"by the question's text", `{"answers":{"Which database?":"Lite","And which tools?":["x"]}}`, want, ""},
		{"unknown label", `{"0":"My","1":["x"]}`, nil, `answers.0: "My" is none of the options ("Pg", "Lite"); for an answer in other words send {"mode":"other","text":…}`},
		{"joined labels are no array", `{"0":"Lite","1":"x, y"}`, nil, "answers.1: expected an array, got a string"},
	})
}

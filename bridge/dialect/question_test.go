package dialect

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

const two = `{"questions":[
 {"id":"db","label":"Store","prompt":"Which <store> & why?","options":[
  {"value":"pg","label":"Postgres","description":"solid"},{"value":"lite","label":"SQLite"}]},
 {"id":"name","prompt":"Its name?"}]}`

// twoEcho is the normalised request, in the contract's order of members.
const twoEcho = `[{"id":"db","label":"Store","prompt":"Which <store> & why?","options":[` +
	`{"value":"pg","label":"Postgres","description":"solid"},{"value":"lite","label":"SQLite"}]},` +
	`{"id":"name","label":"Q2","prompt":"Its name?","options":[]}]`

func decode(t *testing.T, raw string) (*Dialect, form.Form) {
	t.Helper()
	d, f, err := Decode("question", []byte(raw))
	if err != nil {
		t.Fatalf("Decode(%s): %v", raw, err)
	}
	return d, f
}

func TestDecodeNormalises(t *testing.T) {
	t.Parallel()
	d, f := decode(t, two)
	if d.Name != "question" || f.Dialect != "question" {
		t.Errorf("dialect is %q, the form's %q", d.Name, f.Dialect)
	}
	if want := `{"questions":` + twoEcho + `}`; string(f.Echo) != want {
		t.Errorf("echo is\n%s\nwant\n%s", f.Echo, want)
	}
	if !f.Review {
		t.Error("several questions end on a review")
	}
	for i, want := range []struct {
		label string
		named bool
	}{{"Store", true}, {"Q2", false}} {
		q := f.Questions[i]
		if q.Label != want.label || q.Named != want.named {
			t.Errorf("question %d: label %q (named %v), want %q (%v)", i, q.Label, q.Named, want.label, want.named)
		}
		if q.Other != "Something else\u2026" || q.Kind != form.One {
			t.Errorf("question %d: other %q, kind %q", i, q.Other, q.Kind)
		}
	}
	for label, named := range map[string]bool{"Which one?": false, "Which…": false, "Which": true, "One…": true} {
		if _, f := decode(t, `{"questions":[{"id":"a","label":"`+label+`","prompt":"Which one?"}]}`); f.Questions[0].Named != named || f.Questions[0].Label != label {
			t.Errorf("a question labelled %q has the label %q (named %v)", label, f.Questions[0].Label, f.Questions[0].Named)
		}
	}
	if _, one := decode(t, `{"questions":[{"id":"a","prompt":"b"}]}`); one.Review {
		t.Error("one question has no review")
	}
}

func TestDecodeAccepts(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"unknown fields":                       `{"x":1,"questions":[{"id":"a","prompt":"p","type":"pick","options":[{"value":"v","label":"l","z":[]}]}],"title":{}}`,
		"null options":                         `{"questions":[{"id":"a","prompt":"p","options":null}]}`,
		"null label":                           `{"questions":[{"id":"a","prompt":"p","label":null}]}`,
		"blank label":                          `{"questions":[{"id":"a","prompt":"p","label":" "}]}`,
		"same value twice":                     `{"questions":[{"id":"a","prompt":"p","options":[{"value":"v","label":"l"},{"value":"v","label":"l"}]}]}`,
		"many options":                         `{"questions":[{"id":"a","prompt":"p","options":[` + strings.Repeat(`{"value":"v","label":"l"},`, 99) + `{"value":"v","label":"l"}]}]}`,
		"an option named as the synthetic one": `{"questions":[{"id":"a","prompt":"p","options":[{"value":"v","label":"Something else…"}]}]}`,
		"blanks around":                        "\n\t " + `{"questions":[{"id":"a","prompt":"p"}]}` + " \n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, dialect := range []string{"question", ""} {
				if _, f, err := Decode(dialect, []byte(raw)); err != nil || len(f.Questions) != 1 || f.Dialect != "question" {
					t.Errorf("Decode(%q) = %d questions, dialect %q, %v", dialect, len(f.Questions), f.Dialect, err)
				}
			}
		})
	}
	_, f := decode(t, `{"questions":[{"id":"a","prompt":"p","label":" "}]}`)
	if f.Questions[0].Label != "Q1" {
		t.Errorf("a blank label reads as %q, want Q1", f.Questions[0].Label)
	}
}

func TestDecodeRejects(t *testing.T) {
	t.Parallel()
	q := func(members string) string { return `{"questions":[{"id":"a","prompt":"p"},{` + members + `}]}` }
	runRefuses(t, "question", []refuses{
		{"no questions", `{"questions":[]}`, "No questions provided"},
		{"questions absent", `{}`, "No questions provided"},
		{"questions null", `{"questions":null}`, "No questions provided"},
		{"questions of a wrong type", `{"questions":"x"}`, "questions: expected an array, got a string"},
		{"questions an object", `{"questions":{}}`, "questions: expected an array, got an object"},
		{"not an object", `[]`, "request: expected a JSON object, got an array"},
		{"null", `null`, "request: expected a JSON object, got null"},
		{"a question that is none", `{"questions":[7]}`, "questions[0]: expected an object, got a number"},
		{"id absent", q(`"prompt":"p"`), "questions[1].id: expected a non-empty string, got nothing"},
		{"id null", q(`"id":null,"prompt":"p"`), "questions[1].id: expected a non-empty string, got null"},
		{"id empty", q(`"id":"","prompt":"p"`), "questions[1].id: expected a non-empty string, got a blank one"},
		{"id blank", q(`"id":" ","prompt":"p"`), "questions[1].id: expected a non-empty string, got a blank one"},
		{"id a number", q(`"id":3,"prompt":"p"`), "questions[1].id: expected a non-empty string, got a number"},
		{"id twice", q(`"id":"a","prompt":"p"`), `questions[1].id: duplicate id "a", already used by questions[0]`},
		{"prompt absent", q(`"id":"b"`), "questions[1].prompt: expected a non-empty string, got nothing"},
		{"prompt blank", q(`"id":"b","prompt":"\n"`), "questions[1].prompt: expected a non-empty string, got a blank one"},
		{"prompt an array", q(`"id":"b","prompt":[]`), "questions[1].prompt: expected a non-empty string, got an array"},
		{"label a boolean", q(`"id":"b","prompt":"p","label":true`), "questions[1].label: expected a string, got a boolean"},
		{"options an object", q(`"id":"b","prompt":"p","options":{}`), "questions[1].options: expected an array, got an object"},
		{"option a string", q(`"id":"b","prompt":"p","options":["x"]`), "questions[1].options[0]: expected an object, got a string"},
		{"option null", q(`"id":"b","prompt":"p","options":[null]`), "questions[1].options[0]: expected an object, got null"},
		{"value absent", q(`"id":"b","prompt":"p","options":[{"label":"l"}]`), "questions[1].options[0].value: expected a non-empty string, got nothing"},
		{"option label blank", q(`"id":"b","prompt":"p","options":[{"value":"v","label":"l"},{"value":"v","label":""}]`),
			"questions[1].options[1].label: expected a non-empty string, got a blank one"},
		{"description a number", q(`"id":"b","prompt":"p","options":[{"value":"v","label":"l","description":1}]`),
			"questions[1].options[0].description: expected a string, got a number"},
		{"all that is wrong at once", `{"questions":[{"prompt":"p"},{"id":"b"}]}`,
			"questions[0].id: expected a non-empty string, got nothing; questions[1].prompt: expected a non-empty string, got nothing"},
	})
	d, _, err := Decode("question", []byte(`{"questions":[{},{},{},{},{}]}`))
	const last = "questions[3].prompt: expected a non-empty string, got nothing; and 2 more"
	if err == nil || !strings.HasSuffix(err.Error(), last) {
		t.Errorf("what is wrong is listed endlessly: %v", err)
	}
	r := d.Reject(err)
	if want := `{"questions":[],"answers":[],"cancelled":true}`; string(r.Details) != want || r.Text != "Error: "+err.Error() {
		t.Errorf("%q, details %s, want %s", r.Text, r.Details, want)
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	details := func(answers string, rest string) string {
		return `{"questions":` + twoEcho + `,"answers":[` + answers + `],"cancelled":` + rest + `}`
	}
	none := details("", "true")
	runEnds(t, "question", two, []ends{
		{"answered", form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(1), form.Type("a \"b\" <c>")}},
			"Store: user selected: 2. SQLite\nQ2: user wrote: a \"b\" <c>",
			details(`{"id":"db","value":"lite","label":"SQLite","wasCustom":false,"index":2},`+
				`{"id":"name","value":"a \"b\" <c>","label":"a \"b\" <c>","wasCustom":true}`, "false"), false},
		{"cancelled", form.Result{Outcome: form.Cancelled}, "User cancelled", none, false},
		{"declined with a reason", form.Result{Outcome: form.Cancelled, Reason: "not now"}, "User cancelled: not now",
			details("", `true,"reason":"not now"`), false},
		{"unavailable", form.Result{Outcome: form.Unavailable}, "Error: UI not available", none, true},
		{"unavailable, and why", form.Result{Outcome: form.Unavailable, Reason: "no terminal"}, "Error: UI not available: no terminal",
			details("", `true`), true},
		{"timeout", form.Result{Outcome: form.Timeout, Waited: time.Hour}, "No answer before the deadline (3600 s)", none, false},
		{"timeout of a fraction", form.Result{Outcome: form.Timeout, Waited: 1500 * time.Millisecond}, "No answer before the deadline (1.5 s)", none, false},
		{"timeout of weeks", form.Result{Outcome: form.Timeout, Waited: 1e6 * time.Second}, "No answer before the deadline (1000000 s)", none, false},
		{"aborted", form.Result{Outcome: form.Aborted}, "Error: the question was withdrawn before it was answered", none, true},
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	if _, err := ByName("nonsense"); err == nil || !strings.Contains(err.Error(), `unknown dialect "nonsense"; there are question`) {
		t.Errorf("ByName of an unknown name: %v", err)
	}
	if _, _, err := Decode("nonsense", []byte(two)); err == nil {
		t.Error("Decode takes an unknown dialect")
	}
	for _, name := range Names() {
		if d, err := ByName(name); err != nil || d.Name != name {
			t.Errorf("ByName(%q) = %v, %v", name, d, err)
		}
	}
}

package dialect

import (
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

const threeOptions = `{"questions":[
 {"id":"a","prompt":"A?","options":[{"value":"x","label":"Ex"},{"value":"y","label":"Why"},{"value":"Ex","label":"Zed"}]},
 {"id":"b","prompt":"B?","options":[{"value":"1","label":"One"}]}]}`

func TestAnswersAccepts(t *testing.T) {
	t.Parallel()
	want := []form.Answer{form.Choose(1), form.Type("my own")}
	runPays(t, "question", threeOptions, []pays{
		{"by id, values", `{"a":"y","b":{"mode":"other","text":"my own"}}`, want, ""},
		{"by id, labels", `{"a":"Why","b":{"text":"my own"}}`, want, ""},
		{"by index", `{"0":"y","1":{"mode":"other","text":"my own"}}`, want, ""},
		{"mixed keys", `{"a":"y","1":{"mode":"other","text":"my own"}}`, want, ""},
		{"option objects", `{"a":{"mode":"option","value":"y"},"b":{"mode":"other","text":"my own"}}`, want, ""},
		{"mode left out", `{"a":{"value":"Why"},"b":{"text":"my own"}}`, want, ""},
		{"wrapped", `{"answers":{"a":"y","b":{"text":"my own"}}}`, want, ""},
		{"wrapped twice", `{"question_response":{"answers":{"0":"y","1":{"text":"my own"}}}}`, want, ""},
		{"with notes", `{"a":"y","b":{"text":"my own"},"notes":{"a":"n"}}`, want, ""},
		{"notes beside", `{"answers":{"a":"y","b":{"text":"my own"}},"notes":{"a":"n"}}`, want, ""},
		{"unknown in answer", `{"a":{"value":"y","z":1},"b":{"text":"my own"}}`, want, ""},
		{"a value goes before a label", `{"a":"Ex","b":"1"}`, []form.Answer{form.Choose(2), form.Choose(0)}, ""},
	})
}

func TestAnswersRejects(t *testing.T) {
	t.Parallel()
	const none = `; for an answer in other words send {"mode":"other","text":…}`
	ok := func(a string) string { return `{"a":` + a + `,"b":"One"}` }
	runPays(t, "question", threeOptions, []pays{
		{"unknown label, quoted", ok(`"No"`), nil, `answers.a: "No" is none of the options ("Ex", "Why", "Zed")` + none},
		{"unknown value in an object", ok(`{"value":"No"}`), nil, `answers.a.value: "No" is none of the options ("Ex", "Why", "Zed")` + none},
		{"missing question", `{"a":"x"}`, nil, `answers: missing the answer to "b" (key it by "b" or "1")`},
		{"null for a question", `{"a":null,"b":"One"}`, nil, `answers: missing the answer to "a" (key it by "a" or "0")`},
		{"blank text", ok(`{"mode":"other","text":" "}`), nil, "answers.a.text: expected a non-empty string, got \" \""},
		{"empty text", ok(`{"text":""}`), nil, "answers.a.text: expected a non-empty string, got \"\""},
		{"text absent", ok(`{"mode":"other"}`), nil, "answers.a.text: expected a non-empty string, got nothing"},
		{"text a number", ok(`{"mode":"other","text":5}`), nil, "answers.a.text: expected a non-empty string, got a number"},
		{"empty label", ok(`""`), nil, "answers.a: expected a non-empty string, got a blank one"},
		{"value absent", ok(`{"mode":"option"}`), nil, "answers.a: expected a value or a text"},
		{"unknown mode", ok(`{"mode":"maybe","value":"x"}`), nil, `answers.a.mode: expected "option" or "other", got "maybe"`},
		{"neither value nor text", ok(`{}`), nil, "answers.a: expected a value or a text"},
		{"a number", ok(`1`), nil, `answers.a: a number is none of the options ("Ex", "Why", "Zed")` + none},
		{"an array", ok(`["x"]`), nil, `answers.a: an array is none of the options ("Ex", "Why", "Zed")` + none},
		{"a boolean", ok(`true`), nil, `answers.a: a boolean is none of the options ("Ex", "Why", "Zed")` + none},
		{"an unknown question", `{"a":"x","b":"One","c":"x"}`, nil, `answers.c: no such question; there are "a" (0), "b" (1)`},
		{"an index too high", `{"0":"x","1":"One","2":"x"}`, nil, `answers.2: no such question; there are "a" (0), "b" (1)`},
		{"not an object", `[]`, nil, "answers: expected an object, got an array"},
		{"wrapped, not an object", `{"answers":[]}`, nil, "answers: expected an object, got an array"},
		{"path in a wrapper", `{"answers":{"a":"No","b":"One"}}`, nil, `answers.a: "No" is none of the options ("Ex", "Why", "Zed")` + none},
		{"path in two wrappers", `{"question_response":{"answers":{"a":"x","b":{}}}}`, nil,
			"question_response.answers.b: expected a value or a text"},
		{"empty object", `{}`, nil, `answers: missing the answer to "a" (key it by "a" or "0"); answers: missing the answer to "b" (key it by "b" or "1")`},
	})
}

// Whatever its kind, a question that may be left open takes each way of saying so.
func TestAnswersLeftOpen(t *testing.T) {
	t.Parallel()
	_, f, err := Decode("elicitation", []byte(`{"message":"m","requestedSchema":{"properties":{"one":{"enum":["a"]},"some":{"type":"array","minItems":1,"items":{"enum":["a"]}},
		"number":{"type":"integer"},"text":{"type":"string"},"yes":{"type":"boolean"}}}}`))
	must.Do(t, err)
	for _, nothing := range []string{`null`, `""`, `[]`} {
		for _, q := range f.Questions {
			got, err := Answered(defaults, &f, []byte(`{"`+q.ID+`":`+nothing+`}`))
			if err != nil || len(f.Missing(got.Answers)) > 0 {
				t.Errorf("%s as %s: %v, %+v", q.ID, nothing, err, got.Answers)
			}
		}
	}
}

// What is not named keeps its default, as in the form, unless it is said to be empty.
func TestAnswersKeepDefaults(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]form.Answer{`{}`: form.Choose(0), `{"a":null}`: {}, `{"a":[]}`: {Empty: true}} {
		runPays(t, "ask_user_question", `{"questions":[{"id":"a","type":"checkbox","prompt":"A?","required":false,"default":["x"],"options":[{"value":"x","label":"X"}]}]}`,
			[]pays{{given, given, []form.Answer{want}, ""}})
	}
}

// Ids may look like indexes or like the wrappers; an id goes first.
func TestAnswersByOddIDs(t *testing.T) {
	t.Parallel()
	d, f := decode(t, `{"questions":[{"id":"1","prompt":"p"},{"id":"0","prompt":"p"},{"id":"answers","prompt":"p"}]}`)
	got, err := d.Answers(&f, []byte(`{"1":{"text":"first"},"0":{"text":"second"},"answers":{"text":"third"}}`))
	must.Do(t, err)
	for i, want := range []string{"first", "second", "third"} {
		if *got[i].Text != want {
			t.Errorf("answer %d is %q, want %q", i, *got[i].Text, want)
		}
	}
}

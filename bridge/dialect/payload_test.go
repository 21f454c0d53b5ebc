package dialect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

const threeOptions = `{"questions":[
 {"id":"a","prompt":"A?","options":[{"value":"x","label":"Ex"},{"value":"y","label":"Why"},{"value":"Ex","label":"Zed"}]},
 {"id":"b","prompt":"B?","options":[{"value":"1","label":"One"}]}]}`

func TestAnswersAccepts(t *testing.T) {
	want := []form.Answer{form.Choose(1), form.Type("my own")}
	for name, raw := range map[string]string{
		"by id, values":     `{"a":"y","b":{"mode":"other","text":"my own"}}`,
		"by id, labels":     `{"a":"Why","b":{"text":"my own"}}`,
		"by index":          `{"0":"y","1":{"mode":"other","text":"my own"}}`,
		"mixed keys":        `{"a":"y","1":{"mode":"other","text":"my own"}}`,
		"option objects":    `{"a":{"mode":"option","value":"y"},"b":{"mode":"other","text":"my own"}}`,
		"mode left out":     `{"a":{"value":"Why"},"b":{"text":"my own"}}`,
		"wrapped":           `{"answers":{"a":"y","b":{"text":"my own"}}}`,
		"wrapped twice":     `{"question_response":{"answers":{"0":"y","1":{"text":"my own"}}}}`,
		"with notes":        `{"a":"y","b":{"text":"my own"},"notes":{"a":"n"}}`,
		"notes beside":      `{"answers":{"a":"y","b":{"text":"my own"}},"notes":{"a":"n"}}`,
		"unknown in answer": `{"a":{"value":"y","z":1},"b":{"text":"my own"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			d, f := decode(t, threeOptions)
			got, err := d.Answers(&f, []byte(raw))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("Answers = %+v, %v", got, err)
			}
		})
	}
	d, f := decode(t, threeOptions)
	got, err := d.Answers(&f, []byte(`{"a":"Ex","b":"1"}`))
	if err != nil || !reflect.DeepEqual(got[0], form.Choose(2)) {
		t.Errorf("a value goes before a label: %+v, %v", got, err)
	}
}

func TestAnswersRejects(t *testing.T) {
	const none = `; for an answer in other words send {"mode":"other","text":…}`
	ok := func(a string) string { return `{"a":` + a + `,"b":"One"}` }
	for _, c := range []struct{ name, raw, want string }{
		{"unknown label, quoted", ok(`"No"`), `answers.a: "No" is none of the options ("Ex", "Why", "Zed")` + none},
		{"unknown value in an object", ok(`{"value":"No"}`), `answers.a.value: "No" is none of the options ("Ex", "Why", "Zed")` + none},
		{"missing question", `{"a":"x"}`, `answers: missing the answer to "b" (key it by "b" or "1")`},
		{"null for a question", `{"a":null,"b":"One"}`, `answers: missing the answer to "a" (key it by "a" or "0")`},
		{"blank text", ok(`{"mode":"other","text":" "}`), "answers.a.text: expected a non-empty string"},
		{"empty text", ok(`{"text":""}`), "answers.a.text: expected a non-empty string"},
		{"text absent", ok(`{"mode":"other"}`), "answers.a.text: expected a non-empty string, got nothing"},
		{"text a number", ok(`{"mode":"other","text":5}`), "answers.a.text: expected a non-empty string, got a number"},
		{"empty label", ok(`""`), "answers.a: expected a non-empty string"},
		{"value absent", ok(`{"mode":"option"}`), "answers.a.value: expected a non-empty string, got nothing"},
		{"unknown mode", ok(`{"mode":"maybe","value":"x"}`), `answers.a.mode: expected "option" or "other", got "maybe"`},
		{"neither value nor text", ok(`{}`), "answers.a: expected a value or a text"},
		{"a number", ok(`1`), "answers.a: expected an object, got a number"},
		{"an array", ok(`["x"]`), "answers.a: expected an object, got an array"},
		{"a boolean", ok(`true`), "answers.a: expected an object, got a boolean"},
		{"an unknown question", `{"a":"x","b":"One","c":"x"}`, `answers.c: no such question; there are "a" (0), "b" (1)`},
		{"an index too high", `{"0":"x","1":"One","2":"x"}`, `answers.2: no such question; there are "a" (0), "b" (1)`},
		{"not an object", `[]`, "answers: expected an object, got an array"},
		{"wrapped, not an object", `{"answers":[]}`, "answers: expected an object, got an array"},
		{"path in a wrapper", `{"answers":{"a":"No","b":"One"}}`, `answers.a: "No" is none of the options ("Ex", "Why", "Zed")` + none},
		{"path in two wrappers", `{"question_response":{"answers":{"a":"x","b":{}}}}`,
			"question_response.answers.b: expected a value or a text"},
		{"empty object", `{}`, `answers: missing the answer to "a" (key it by "a" or "0"); answers: missing the answer to "b" (key it by "b" or "1")`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, f := decode(t, threeOptions)
			got, err := d.Answers(&f, []byte(c.raw))
			if err == nil {
				t.Fatalf("accepted as %+v", got)
			}
			text := err.Error()
			if strings.HasSuffix(c.want, "string") { // the rest says what it got
				text, _, _ = strings.Cut(text, ", got")
			}
			if text != c.want {
				t.Errorf("error is\n%s\nwant\n%s", err, c.want)
			}
			if got != nil {
				t.Errorf("answers beside the error: %+v", got)
			}
		})
	}
}

// Ids may look like indexes or like the wrappers; an id goes first.
func TestAnswersByOddIDs(t *testing.T) {
	d, f := decode(t, `{"questions":[{"id":"1","prompt":"p"},{"id":"0","prompt":"p"},{"id":"answers","prompt":"p"}]}`)
	got, err := d.Answers(&f, []byte(`{"1":{"text":"first"},"0":{"text":"second"},"answers":{"text":"third"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"first", "second", "third"} {
		if *got[i].Text != want {
			t.Errorf("answer %d is %q, want %q", i, *got[i].Text, want)
		}
	}
}

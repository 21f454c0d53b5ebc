package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
	"github.com/google/jsonschema-go/jsonschema"
)

// The other rules of docs/contracts.md, question, are in question_test.go.

func TestQuestionTakesBothShapes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, raw, want string }{
		{"its own shape", `{"questions":[{"id":"a","prompt":"p"}]}`, "question"},
		{"the shape of buttons", `{"prompt":"p","options":[{"label":"a"},{"label":"b"}]}`, "buttons"},
		{"questions go first", `{"prompt":7,"questions":[{"id":"a","prompt":"p"}]}`, "question"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			d, f := request(t, "question", c.raw)
			if d.Name != c.want || f.Dialect != c.want {
				t.Errorf("dialect %q, the form's %q, want %q", d.Name, f.Dialect, c.want)
			}
			agree(t, d, c.raw, nil)
			var whole jsonschema.Schema
			must.Do(t, json.Unmarshal(question.Schema(), &whole))
			var doc any
			must.Do(t, json.Unmarshal([]byte(c.raw), &doc))
			if resolved, err := whole.Resolve(nil); err != nil || resolved.Validate(doc) != nil {
				t.Errorf("the published schema does not take %s (%v)", c.raw, err)
			}
		})
	}
	runRefuses(t, "question", []refuses{
		{"the shape of buttons, half of it", `{"prompt":"p"}`, "options: expected an array, got nothing"},
		{"the shape of buttons, the other half", `{"options":[]}`, "prompt: expected a non-empty string, got nothing; options: expected at least 2 options, got 0"},
		{"neither", `{}`, "No questions provided"},
	})
}

// With no --dialect, the request's own shape decides.
func TestShapeDecides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, raw, want string }{
		{"prompt and options at the top", `{"prompt":"p","options":[{"label":"a"},{"label":"b"}]}`, "buttons"},
		{"even with questions beside", `{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"questions":[]}`, "buttons"},
		{"header and question", `{"questions":[{"header":"h","question":"q","type":"free_text"}]}`, "AskUserQuestion"},
		{"header and question, no type", `{"questions":[{"header":"h","question":"q","options":[{"label":"a"},{"label":"b"}]}]}`, "AskUserQuestion"},
		{"radio with id and no header", `{"questions":[{"id":"a","type":"radio","prompt":"p","options":[{"label":"x"}]}]}`, "ask_user_question"},
		{"checkbox likewise", `{"questions":[{"id":"a","type":"checkbox","prompt":"p","options":[{"label":"x"}]}]}`, "ask_user_question"},
		{"text likewise", `{"questions":[{"id":"a","type":"text","prompt":"p"}]}`, "ask_user_question"},
		{"choice with header", `{"questions":[{"id":"a","type":"choice","header":"h","prompt":"p","options":[{"value":"x","label":"x"},{"value":"y","label":"y"}]}]}`, "ask_user"},
		{"text with header", `{"questions":[{"id":"a","type":"text","header":"h","prompt":"p"}]}`, "ask_user"},
		{"otherwise", `{"questions":[{"id":"a","prompt":"p"}]}`, "question"},
		{"a type of no dialect", `{"questions":[{"id":"a","prompt":"p","type":"slider"}]}`, "question"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if d, _ := request(t, "", c.raw); d.Name != c.want {
				t.Errorf("dialect is %q, want %q", d.Name, c.want)
			}
		})
	}
	for _, raw := range []string{`{}`, `{"prompt":"p"}`, `{"options":[]}`, `{"questions":{}}`, `{"questions":null}`} {
		want := "the request has the shape of none of the dialects (" + strings.Join(Names(), ", ") + "): " +
			"expected a list `questions`, or a `prompt` with `options`"
		d, _, err := Decode("", []byte(raw))
		if d != nil || err == nil || err.Error() != want {
			t.Errorf("Decode(%s) = %v, %v", raw, d, err)
		}
		if r := d.Reject(err); !r.IsError || string(r.Details) != `{}` || r.Text != "Error: "+want {
			t.Errorf("Reject without a dialect: %+v", r)
		}
	}
}

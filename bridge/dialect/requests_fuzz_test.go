package dialect

import (
	"encoding/json"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// One target a decoder, so that each gets its own corpus. The seeds are the
// requests of the tables and the odd ones below.

func FuzzButtons(f *testing.F) {
	fuzzRequests(f, &buttons, cache, `{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"style":"select","timeout":1e9,"multi":true,"allowOther":true}`)
}

func FuzzTyped(f *testing.F) {
	fuzzRequests(f, &askUserQuestion, typedFour, one(`"type":"number","min":1e308,"max":1e999,"default":-0`),
		one(`"type":"confirm_enum","options":[{"label":"Yes"},{"label":"No"},{"label":"OTHER"}],"default":"affirm","is_dangerous":true`),
		one(`"type":"select_many",`+listed(7)+`,"default":["a"]`), one(`"type":"single_select","required":true`))
}

func FuzzPlain(f *testing.F) {
	fuzzRequests(f, &askUserQuestion, plainTwo, `{"questions":[{"question":"q","header":"h","options":[{"label":"Other"},{"label":"other"}],"multiSelect":null}]}`)
}

func FuzzControls(f *testing.F) {
	fuzzRequests(f, &askUserQuestionForm, setup, `{"questions":[{"id":"a","type":"checkbox","prompt":"p","options":[{"value":"","label":"x"},{"value":"x","label":"y"}],"default":["x","x"]}]}`)
}

func FuzzAskUser(f *testing.F) {
	fuzzRequests(f, &askUser, decide, `{"title":"\\u005cu0041\\ud83d\\ude00","questions":[{"type":"text","id":" a ","header":"\\u00a0h","prompt":"p","recommendation":"\\u000a"}]}`,
		choice(yesOrNo+`,"recommendation":["y"],"multi":true`))
}

func FuzzQuestionRequests(f *testing.F) {
	fuzzRequests(f, &question, two, threeOptions, cache, nested(32), nested(33), "{\"questions\":[{\"id\":\"\xff\"}]}",
		`{"questions":[{"id":"a","id":"b","prompt":"p","options":[{}]}]}`, `{"questions":[{"id":"a","prompt":"p"},{"id":"a","prompt":"p"}]}`,
		`{"questions":[{"id":"\ud800","prompt":"\u202e\u001b[2J","options":[{"value":"v","label":"l","description":""}]}]}`)
}

func fuzzRequests(f *testing.F, d *Dialect, seeds ...string) {
	for _, seed := range append(seeds, `{`, `null`, `{}`, `{"questions":[null,{"options":[null]}]}`, `{"questions":{}}`, `[]`, ``) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, decoded, err := Decode(d.Name, raw)
		agree(t, got, string(raw), err)
		if err != nil {
			if r := got.Reject(err); r.Text == "" || !json.Valid(r.Details) {
				t.Fatalf("Reject(%v) = %+v", err, r)
			}
			return
		}
		sound(t, got, &decoded)
		settled(t, got, &decoded)
	})
}

// settled: what was normalised decodes to itself, and each way of ending it can
// be encoded.
func settled(t *testing.T, d *Dialect, f *form.Form) {
	t.Helper()
	// Seven options and the Other that was added are one more than a request may have.
	full := false
	for _, q := range f.Questions {
		full = full || len(q.Options) == 7 && q.Other != ""
	}
	if len(f.Echo) <= MaxBytes && !full {
		if _, g, err := Decode(d.Name, f.Echo); err != nil || string(g.Echo) != string(f.Echo) {
			t.Fatalf("normalised %s decodes to %s (%v)", f.Echo, g.Echo, err)
		}
	}
	by, err := ByName(f.Dialect)
	must.Do(t, err)
	results := []form.Result{{Outcome: form.Cancelled}, declined, {Outcome: form.Timeout}, {Outcome: form.Unavailable}, {Outcome: form.Aborted}}
	results = append(results, form.Result{Outcome: form.Answered, Answers: someAnswers(f)})
	for _, r := range results {
		must.Do(t, f.Check(r))
		if reply := by.Encode(f, r); reply.Text == "" || !json.Valid(reply.Details) {
			t.Fatalf("%s encodes to %+v", r.Outcome, reply)
		}
	}
}

func someAnswers(f *form.Form) []form.Answer {
	answers := make([]form.Answer, len(f.Questions))
	for i, q := range f.Questions {
		switch {
		case len(q.Options) > 0:
			answers[i] = form.Choose(len(q.Options) - 1)
		case q.Kind != form.Number:
			answers[i] = form.Type("x")
		case q.Min != nil:
			answers[i] = form.Count(*q.Min)
		case q.Max != nil:
			answers[i] = form.Count(*q.Max)
		default:
			answers[i] = form.Count(0)
		}
	}
	return answers
}

// FuzzPayload: whatever is answered, what comes of it is what the form takes.
func FuzzPayload(f *testing.F) {
	for _, seed := range [][2]string{
		{typedFour, `{"0":"My","1":["x",{"mode":"other","text":"z"}],"2":true,"3":"80","notes":{"0":"n"}}`},
		{plainTwo, `{"answers":{"Which database?":"Lite","1":["x"]},"notes":{"q1":"n"}}`},
		{setup, `{"question_response":{"answers":{"db":{"text":"x"},"tests":[],"notes":""}}}`},
		{decide, `{"fmt":null,"more":["a","a"],"why":{"value":"w"}}`},
		{cache, `{"q1":{"mode":"option","value":"Redis"}}`},
		{one(`"type":"select_many","is_dangerous":true,` + listed(2)), `{"0":["prod"]}`},
		{one(`"type":"number","is_dangerous":true`), `{"0":{"text":"1e400"}}`},
		{`{"questions":[{"id":"notes","prompt":"p"},{"id":"answers","prompt":"p"}]}`, `{"notes":{"text":"x"},"answers":{"text":"y"}}`},
		{`{"questions":[{"id":"answers","prompt":"p"},{"id":"0","prompt":"p"}]}`, `{"answers":{"text":"x"},"0":{"text":"y"}}`},
		{threeOptions, `{"question_response":{"answers":{"a":"x","b":"1"}},"notes":{}}`},
		{threeOptions, `{"a":{"mode":"other","text":" "},"b":null}`},
		{threeOptions, `{"a":{"mode":"option"},"b":{"mode":1}}`},
		{threeOptions, `{"answers":{"answers":{}}}`},
		{threeOptions, `"a"`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, request, payload []byte) {
		_, decoded, err := Decode("", request)
		if err != nil {
			return
		}
		d, err := ByName(decoded.Dialect)
		must.Do(t, err)
		r, err := Answered(defaults, &decoded, payload)
		if err != nil {
			if r.Answers != nil || err.Error() == "" {
				t.Fatalf("refused with %+v, %q", r.Answers, err)
			}
			return
		}
		if err := decoded.Check(r); err != nil {
			t.Fatalf("accepted %s for %s: %v", payload, request, err)
		}
		if reply := d.Encode(&decoded, r); !json.Valid(reply.Details) {
			t.Fatalf("encodes to %+v", reply)
		}
	})
}

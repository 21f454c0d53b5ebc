package dialect

import (
	"encoding/json"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{two, threeOptions, small + "}", nested(32), nested(33), ``, `{`, `null`, `[]`, `{}`,
		`{"questions":[]}`, `{"questions":[null]}`, `{"questions":[{"id":"a","id":"b","prompt":"p","options":[{}]}]}`,
		`{"questions":[{"id":"a","prompt":"p"},{"id":"a","prompt":"p"}]}`, "{\"questions\":[{\"id\":\"\xff\"}]}",
		`{"questions":[{"id":"\ud800","prompt":"\u202e\u001b[2J","options":[{"value":"v","label":"l","description":""}]}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, name := range append(Names(), "") {
			d, got, err := Decode(name, raw)
			if err != nil {
				if r := d.Reject(err); !r.IsError || !json.Valid(r.Details) {
					t.Fatalf("Reject(%v) = %+v", err, r)
				}
				continue
			}
			invariants(t, d, &got)
			again(t, d, &got)
		}
	})
}

// invariants are what the popup and the bridge rely on.
func invariants(t *testing.T, d *Dialect, f *form.Form) {
	t.Helper()
	if len(f.Questions) == 0 || f.Dialect != d.Name || !json.Valid(f.Echo) {
		t.Fatalf("%d questions, dialect %q, echo %s", len(f.Questions), f.Dialect, f.Echo)
	}
	if err := f.Sound(); err != nil { // else the popup would not show it
		t.Fatalf("%v: %+v", err, f)
	}
	seen := map[string]bool{}
	for _, q := range f.Questions {
		switch {
		case seen[q.ID]:
			t.Fatalf("id %q twice", q.ID)
		case blank(q.ID) || blank(q.Label) || blank(q.Prompt):
			t.Fatalf("blank: %+v", q)
		case len(q.Options) == 0 && q.Other == "":
			t.Fatalf("nobody can answer %+v", q)
		case q.Options == nil:
			t.Fatalf("options of %q read as null in the details", q.ID)
		}
		seen[q.ID] = true
		for _, o := range q.Options {
			if blank(o.Value) || blank(o.Label) {
				t.Fatalf("blank option in %+v", q)
			}
		}
	}
}

// again: what was normalised decodes to the same form, and every way of ending
// it can be encoded.
func again(t *testing.T, d *Dialect, f *form.Form) {
	t.Helper()
	if len(f.Echo) <= MaxBytes {
		if _, g, err := Decode(d.Name, f.Echo); err != nil || string(g.Echo) != string(f.Echo) {
			t.Fatalf("normalised %s decodes to %s (%v)", f.Echo, g.Echo, err)
		}
	}
	answers := make([]form.Answer, len(f.Questions))
	for i, q := range f.Questions {
		if answers[i] = form.Type("x"); len(q.Options) > 0 {
			answers[i] = form.Choose(len(q.Options) - 1)
		}
	}
	for _, r := range []form.Result{{Outcome: form.Answered, Answers: answers}, {Outcome: form.Cancelled}, {Outcome: form.Timeout},
		{Outcome: form.Unavailable}, {Outcome: form.Aborted}} {
		if reply := d.Encode(f, r); reply.Text == "" || !json.Valid(reply.Details) {
			t.Fatalf("%s encodes to %+v", r.Outcome, reply)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{`{"a":"x","b":"One"}`, `{"0":"Why","1":{"text":"t"}}`, `{"answers":{"a":"x","b":"1"}}`,
		`{"question_response":{"answers":{"a":"x","b":"1"}},"notes":{}}`, `{"a":{"mode":"other","text":" "},"b":null}`,
		`{"a":{"mode":"option"},"b":{"mode":1}}`, `{"answers":{"answers":{}}}`, `[]`, ``, `{`, `"a"`} {
		f.Add([]byte(threeOptions), []byte(seed))
	}
	f.Add([]byte(`{"questions":[{"id":"answers","prompt":"p"},{"id":"0","prompt":"p"}]}`), []byte(`{"answers":{"text":"x"},"0":{"text":"y"}}`))
	f.Fuzz(func(t *testing.T, request, payload []byte) {
		d, decoded, err := Decode("", request)
		if err != nil {
			return
		}
		answers, err := d.Answers(&decoded, payload)
		if err != nil {
			if answers != nil || err.Error() == "" {
				t.Fatalf("refused with %+v, %q", answers, err)
			}
			return
		}
		if err := decoded.Check(form.Result{Outcome: form.Answered, Answers: answers}); err != nil {
			t.Fatalf("accepted %s for %s: %v", payload, request, err)
		}
	})
}

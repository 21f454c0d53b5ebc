package dialect

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// defaults are those of the settings.
var defaults = Context{DebounceMs: 300, DangerCheck: true}

// The tables in <dialect>_test.go have a row for each rule of docs/contracts.md.
// These are their columns.

// takes is a request that must pass, and its normalised value; an empty one is
// not compared.
type takes struct{ rule, raw, value string }

// refuses is a request that must not pass, and the whole error.
type refuses struct{ rule, raw, err string }

// ends is a way for a form to end, and the result: details is the whole of it.
type ends struct {
	rule    string
	r       form.Result
	text    string
	details string
	isError bool
}

// pays is a payload and what it must become: answers, or the whole error.
type pays struct {
	rule, raw string
	want      []form.Answer
	err       string
}

func request(t *testing.T, name, raw string) (*Dialect, form.Form) {
	t.Helper()
	d, f, err := Decode(name, []byte(raw))
	if err != nil {
		t.Fatalf("Decode(%q, %s): %v", name, raw, err)
	}
	return d, f
}

func runTakes(t *testing.T, name string, rows []takes) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.rule, func(t *testing.T) {
			d, f := request(t, name, c.raw)
			if c.value != "" && string(f.Echo) != c.value {
				t.Errorf("value is\n%s\nwant\n%s", f.Echo, c.value)
			}
			agree(t, d, c.raw, nil)
			sound(t, d, &f)
		})
	}
}

func runRefuses(t *testing.T, name string, rows []refuses) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.rule, func(t *testing.T) {
			d, _, err := Decode(name, []byte(c.raw))
			if err == nil {
				t.Fatal("was accepted")
			}
			if err.Error() != c.err {
				t.Errorf("error is\n%s\nwant\n%s", err, c.err)
			}
			if r := d.Reject(err); !strings.HasPrefix(r.Text, "Error: ") || !r.IsError || !json.Valid(r.Details) {
				t.Errorf("Reject = %+v", r)
			}
			agree(t, d, c.raw, err)
		})
	}
}

func runEnds(t *testing.T, name, raw string, rows []ends) {
	t.Helper()
	d, f := request(t, name, raw)
	for _, c := range rows {
		t.Run(c.rule, func(t *testing.T) {
			must.Do(t, f.Check(c.r))
			got := d.Encode(&f, c.r)
			if got.Text != c.text || got.IsError != c.isError {
				t.Errorf("text\n%s\n(error %v), want\n%s\n(%v)", got.Text, got.IsError, c.text, c.isError)
			}
			if string(got.Details) != c.details {
				t.Errorf("details\n%s\nwant\n%s", got.Details, c.details)
			}
			// The spool knows the dialect only by its name.
			if by, err := ByName(f.Dialect); err != nil || string(by.Encode(&f, c.r).Details) != c.details {
				t.Errorf("encoded by name: %v", err)
			}
		})
	}
}

func runPays(t *testing.T, name, raw string, rows []pays) {
	t.Helper()
	_, f := request(t, name, raw)
	d, err := ByName(f.Dialect)
	must.Do(t, err)
	for _, c := range rows {
		t.Run(c.rule, func(t *testing.T) {
			got, err := d.Answers(&f, []byte(c.raw))
			if c.err != "" {
				if err == nil || err.Error() != c.err || got != nil {
					t.Errorf("Answers = %+v\n%v\nwant\n%s", got, err, c.err)
				}
				return
			}
			if err != nil || string(mustJSON(got)) != string(mustJSON(c.want)) {
				t.Errorf("Answers = %s, %v\nwant %s", mustJSON(got), err, mustJSON(c.want))
				return
			}
			if r, _ := Answered(defaults, &f, []byte(c.raw)); f.Check(r) != nil {
				t.Error(f.Check(r))
			}
		})
	}
}

// Encode and Answers go by the default settings.
func (d *Dialect) Encode(f *form.Form, r form.Result) Reply { return d.EncodeIn(defaults, f, r) }

func (d *Dialect) Answers(f *form.Form, raw []byte) ([]form.Answer, error) {
	r, err := Answered(defaults, f, raw)
	return r.Answers, err
}

// without is an ending without answers, as every dialect has them.
func without(o form.Outcome) form.Result {
	r := form.Result{Outcome: o}
	if o == form.Timeout {
		r.Waited = time.Hour
	}
	return r
}

var errNoQuestions = errors.New(noQuestions) //lint:ignore ST1005 the contract's own text

var declined = form.Result{Outcome: form.Cancelled, Reason: "explain more first"}

// publishedSchemas are the schemas as somebody else would use them: from their
// text. Of several shapes it is the dialect's.
var (
	schemas          sync.Mutex // guards the next
	publishedSchemas = map[*Dialect]*jsonschema.Resolved{}
)

func publishedSchema(t *testing.T, d *Dialect) *jsonschema.Resolved {
	t.Helper()
	schemas.Lock()
	defer schemas.Unlock()
	if publishedSchemas[d] == nil {
		var s jsonschema.Schema
		must.Do(t, json.Unmarshal(d.Schema(), &s))
		shape := func(s *jsonschema.Schema) *jsonschema.Schema {
			if s.AnyOf == nil {
				return s
			}
			return s.AnyOf[d.alternative]
		}
		own := shape(&s)
		for name, property := range own.Properties {
			own.Properties[name] = shape(property)
		}
		resolved, err := own.Resolve(nil)
		must.Do(t, err)
		publishedSchemas[d] = resolved
	}
	return publishedSchemas[d]
}

// agree: what is wrong with the structure of a request is the same to us and to a
// library that has the published schema, and nothing of that is taken. Null
// members and the blanks that ask_user trims are gone by then, as Schema's comment
// says.
func agree(t *testing.T, d *Dialect, raw string, refused error) {
	t.Helper()
	v, err := parse([]byte(raw))
	if err != nil {
		return
	}
	doc, isObject := v.(map[string]any)
	if !isObject || oddBlanks(doc) {
		return
	}
	if d.early != nil { // it tidies
		d.early(node{v: doc, errs: new(faults)})
	}
	var ours faults
	d.validate(d.structure(), node{v: doc, errs: &ours})
	theirs := publishedSchema(t, d).Validate(plain(d, doc))
	if (theirs == nil) != (len(ours) == 0) {
		t.Errorf("%s: we say %v of %s, by the published schema it is %v", d.Name, ours, raw, theirs)
	}
	if refused == nil && theirs != nil {
		t.Errorf("the decoder takes %s, the published schema does not: %v", raw, theirs)
	}
}

// oddBlanks reports whether a string in v consists of blanks that the pattern \S
// takes for something in Go, as in no other language.
func oddBlanks(v any) bool {
	switch v := v.(type) {
	case string:
		return blank(v) && strings.Trim(v, "\t\n\f\r ") != ""
	case []any:
		return slices.ContainsFunc(v, oddBlanks)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), oddBlanks)
	}
	return false
}

// plain is a document as the library takes it: numbers are float64, and null
// members are left out where they mean absent.
func plain(d *Dialect, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if member != nil || slices.Contains(d.nullCounts, name) {
				out[name] = plain(d, member)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = plain(d, item)
		}
		return out
	case json.Number:
		f, _ := v.Float64() // out of range is an infinity, which the rules refuse
		return f
	}
	return v
}

// sound is what the popup and the bridge rely on in any form.
func sound(t *testing.T, d *Dialect, f *form.Form) {
	t.Helper()
	empty := func(s string) bool { return strings.TrimSpace(s) == "" }
	if len(f.Questions) == 0 || f.Dialect != d.Name || !json.Valid(f.Echo) {
		t.Fatalf("%d questions, dialect %q, echo %s", len(f.Questions), f.Dialect, f.Echo)
	}
	if err := f.Sound(); err != nil { // else the popup would not show it
		t.Fatalf("%v: %+v", err, f)
	}
	seen := map[string]bool{}
	for i := range f.Questions {
		q := &f.Questions[i]
		choice := q.Kind == form.One || q.Kind == form.Many
		switch {
		case seen[q.ID], empty(q.ID), empty(q.Label), empty(q.Prompt):
			t.Fatalf("id, label or prompt of %+v", q)
		case q.Options == nil, choice && len(q.Options) == 0 && q.Other == "", !choice && len(q.Options) > 0:
			t.Fatalf("options of %+v", q)
		case q.Dangerous && q.Initial.Given():
			t.Fatalf("a dangerous question starts with an answer: %+v", q)
		case q.Preset != q.Initial.Given() && q.Preset:
			t.Fatalf("preset to nothing: %+v", q)
		}
		if q.Initial.Given() {
			if err := q.Check(q.Initial); err != nil {
				t.Fatalf("the form starts with what it would not take: %v in %+v", err, q)
			}
		}
		seen[q.ID] = true
		for _, o := range q.Options {
			if empty(o.Value) || empty(o.Label) {
				t.Fatalf("blank option in %+v", q)
			}
		}
	}
}

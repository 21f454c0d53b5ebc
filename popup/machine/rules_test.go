package machine

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// A list of which two have to be chosen: one is no answer, is kept in the draft, and the
// form says what is missing.
func TestTooFewChoices(t *testing.T) {
	t.Parallel()
	f := decoded(t, `{"message":"m","requestedSchema":{"properties":{"a":{"type":"array","minItems":2,"items":{"enum":["x","y","z"]}}},"required":["a"]}}`)
	m := New(f, nil, false)
	m.Handle(Event{Action: Pick, N: 1})
	m.Handle(Event{Action: Commit})
	if _, over := m.Result(); over || !strings.Contains(m.Notice(), "has 1 choice; it takes at least 2 choices") || m.Answer(0).Given() {
		t.Fatalf("%q, %+v", m.Notice(), m.Answer(0))
	}
	d := m.Draft()
	m = New(f, &d, false)
	m.Handle(Event{Action: Pick, N: 3})
	m.Handle(Event{Action: Commit})
	if r, over := m.Result(); !over || r.Outcome != form.Answered || len(r.Answers[0].Choices) != 2 {
		t.Fatalf("%+v, %q", r, m.Notice())
	}
}

// What breaks a rule of a text stays in its entry, and the form says which.
func TestTextBreaksRule(t *testing.T) {
	t.Parallel()
	f := decoded(t, `{"message":"m","requestedSchema":{"properties":{"a":{"type":"string","format":"email"}},"required":["a"]}}`)
	m := New(f, nil, false)
	m.Handle(Event{Action: Type, Text: "ops"})
	m.Handle(Event{Action: Accept})
	if _, over := m.Result(); over || m.Notice() != "The answer is not an email address." || m.EntryText(0) != "ops" {
		t.Fatalf("%q, %q", m.Notice(), m.EntryText(0))
	}
	m.Handle(Event{Action: Type, Text: "ops@example.org"})
	m.Handle(Event{Action: Accept})
	if r, over := m.Result(); !over || *r.Answers[0].Text != "ops@example.org" {
		t.Fatalf("%+v, %q", r, m.Notice())
	}
}

// Of a Many's own words those count that were accepted, whatever is edited after that.
func TestOwnWordsAreAcceptedOnes(t *testing.T) {
	t.Parallel()
	for _, selects := range []bool{false, true} {
		f := newForm(1)
		f.Review = true
		q := &f.Questions[0]
		q.Kind, q.Other, q.SelectRow = form.Many, "Other", selects
		for edited, want := range map[string]string{"first and more": "first", "": "first"} {
			for _, accepts := range []bool{false, true} {
				m := New(f, nil, true)
				events := []Event{do(TypeOther), typed("first"), do(Accept), do(First), do(Commit), do(Prev), do(TypeOther), typed(edited)}
				if accepts && edited != "" {
					events, want = append(events, do(Accept)), edited
				}
				for _, e := range append(events, do(Back), do(First), do(Choose), do(Commit), do(Last), do(Choose)) {
					m.Handle(e)
				}
				r, over := m.Result()
				if !over || r.Answers[0].Text == nil || *r.Answers[0].Text != want || len(r.Answers[0].Choices) != 1 {
					t.Errorf("select row %v, edited to %q, accepted %v: it ends (%v) with %+v in %s: %s", selects, edited, accepts, over, r.Answers, m.Mode(), m.Notice())
				}
			}
		}
	}
}

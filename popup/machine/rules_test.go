package machine

import (
	"slices"
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

// What need not be answered can be left empty, and is again after it was answered.
func TestOptionalIsTakenBack(t *testing.T) {
	t.Parallel()
	m := New(&form.Form{Review: true, Questions: []form.Question{
		{ID: "a", Label: "A", Kind: form.One, Optional: true, Options: []form.Option{{Value: "x", Label: "X"}}, Initial: form.Choose(0), Preset: true},
		{ID: "b", Label: "B", Kind: form.Number, Optional: true},
		{ID: "c", Label: "C", Kind: form.Number},
	}}, nil, true)
	m.Handle(do(Unanswer))
	if m.Takes(Unanswer) || m.Answer(0).Given() {
		t.Errorf("a default that counts is not taken back: %+v", m.Answer(0))
	}
	for _, typed := range []string{"5", ""} {
		for _, e := range []Event{nth(GoTo, 1), do(Open), {Action: Type, Text: typed}, do(Accept)} {
			m.Handle(e)
		}
	}
	if m.Step() != 2 || m.Answer(1).Number != nil || !m.Answer(1).Empty {
		t.Errorf("on question %d an emptied number is %+v (%s)", m.Step(), m.Answer(1), m.Notice())
	}
	for _, e := range []Event{do(Open), do(Accept)} {
		m.Handle(e)
	}
	if m.Answer(2).Given() || m.Notice() != blankNotice || m.Takes(Unanswer) {
		t.Errorf("a number that must be given is %+v (%s)", m.Answer(2), m.Notice())
	}
	for _, e := range []Event{{Action: Type, Text: "7"}, do(Accept), do(Last), do(Choose)} {
		m.Handle(e)
	}
	if r, over := m.Result(); !over || r.Answers[0].Given() || !r.Answers[1].Empty || *r.Answers[2].Number != 7 {
		t.Errorf("it ends (%v) as %+v", over, r)
	}
	// A form that ends with its one answer could not be sent without it.
	if m := New(&form.Form{Questions: m.Form().Questions[:1]}, nil, true); m.Takes(Unanswer) {
		t.Error("the answer of a single question is taken back, and nothing sends none")
	}
}

// The filter finds a choice by what is on view of it: in one line, without the tabs and the runs of
// blanks that its label has.
func TestFilterFindsWhatIsShown(t *testing.T) {
	t.Parallel()
	f := newForm(1)
	f.Questions[0].Options = append(f.Questions[0].Options, slices.Repeat([]form.Option{{Value: "z", Label: "Zebra"}}, FilterFrom)...)
	f.Questions[0].Options[1].Label = "Roll\tback\nnow"
	m := New(f, nil, true)
	for _, e := range []Event{do(Find), typed("back now")} {
		m.Handle(e)
	}
	if rows := m.Shown(); rows[0] != 1 || m.Cursor() != 1 {
		t.Errorf("rows %v, cursor %d", rows, m.Cursor())
	}
}

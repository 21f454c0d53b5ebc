package machine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// newForm has one question for each number: that many options, and a last choice
// that takes text.
func newForm(options ...int) *form.Form {
	f := &form.Form{Dialect: "question", Review: len(options) > 1}
	for i, n := range options {
		q := form.Question{ID: fmt.Sprintf("q%d", i), Label: fmt.Sprintf("Q%d", i+1), Prompt: "?", Kind: form.One, Other: "Else"}
		for o := range n {
			q.Options = append(q.Options, form.Option{Value: fmt.Sprintf("v%d", o), Label: fmt.Sprintf("L%d", o)})
		}
		f.Questions = append(f.Questions, q)
	}
	return f
}

func do(a Action) Event         { return Event{Action: a} }
func nth(a Action, n int) Event { return Event{Action: a, N: n} }
func typed(text string) Event   { return Event{Action: Type, Text: text} }

// state is what a person can tell about a machine.
type state struct {
	mode   Mode
	step   int
	cursor int
	notice string
}

const blankNotice = "Nothing is typed yet."

func TestEvents(t *testing.T) {
	t.Parallel()
	answered := func(a ...form.Answer) *form.Result { return &form.Result{Outcome: form.Answered, Answers: a} }
	cancelled := &form.Result{Outcome: form.Cancelled}
	toReview := []Event{nth(Pick, 1), nth(Pick, 2)} // of newForm(2, 2)
	for _, c := range []struct {
		name   string
		form   *form.Form
		events []Event
		want   state
		result *form.Result
	}{
		{"a form begins at its first choice", newForm(3), nil, state{List, 0, 0, ""}, nil},
		{"one question: choosing completes", newForm(3), []Event{do(Down), do(Choose)}, state{Over, 0, 1, ""}, answered(form.Choose(1))},
		{"one question: a digit completes", newForm(3), []Event{nth(Pick, 3)}, state{Over, 0, 2, ""}, answered(form.Choose(2))},
		{"one question: Esc cancels", newForm(3), []Event{do(Cancel)}, state{Over, 0, 0, ""}, cancelled},
		{"one question has no other step", newForm(3), []Event{do(Next), do(Prev), nth(GoTo, 1)}, state{List, 0, 0, ""}, nil},
		{"the cursor stops at both ends", newForm(2), []Event{do(Up), do(Down), do(Down), do(Down), do(Down)}, state{List, 0, 2, ""}, nil},
		{"the help closes on what it lay over", newForm(2), []Event{nth(Pick, 3), typed("half"), do(ShowHelp), do(Choose)}, state{Entry, 0, 2, ""}, nil},
		{"and so over the reasons", newForm(2), []Event{do(Refuse), do(ShowHelp), do(Choose)}, state{Decline, 0, 0, ""}, nil},
		{"first and last", newForm(3), []Event{do(Last), do(First), do(Last)}, state{List, 0, 3, ""}, nil},
		{"a digit past the end says so", newForm(2), []Event{nth(Pick, 4)}, state{List, 0, 0, "There is no choice 4; there are 3."}, nil},
		{"no digit at all", newForm(2), []Event{nth(Pick, 0)}, state{List, 0, 0, "There is no choice 0; there are 3."}, nil},
		{"the notice goes with the next event", newForm(2), []Event{nth(Pick, 4), do(Down)}, state{List, 0, 1, ""}, nil},

		{"the last choice opens the entry", newForm(2), []Event{do(Last), do(Choose)}, state{Entry, 0, 2, ""}, nil},
		{"its digit too", newForm(2), []Event{nth(Pick, 3)}, state{Entry, 0, 2, ""}, nil},
		{"typed text completes", newForm(2), []Event{nth(Pick, 3), typed("mine"), do(Accept)}, state{Over, 0, 2, ""}, answered(form.Type("mine"))},
		{"text is kept as it is", newForm(0), []Event{nth(Pick, 1), typed(" a\n\tb "), do(Accept)}, state{Over, 0, 0, ""}, answered(form.Type(" a\n\tb "))},
		{"empty is refused", newForm(2), []Event{nth(Pick, 3), do(Accept)}, state{Entry, 0, 2, blankNotice}, nil},
		{"blank is refused", newForm(2), []Event{nth(Pick, 3), typed(" \n\t"), do(Accept)}, state{Entry, 0, 2, blankNotice}, nil},
		{"Esc in the entry goes back", newForm(2), []Event{nth(Pick, 3), typed("x"), do(Back)}, state{List, 0, 2, ""}, nil},
		{"a cancel in the entry does not cancel", newForm(2), []Event{nth(Pick, 3), typed("x"), do(Cancel)}, state{Entry, 0, 2, ""}, nil},
		{"the text is there again", newForm(2), []Event{nth(Pick, 3), typed("x"), do(Back), do(Choose), do(Accept)},
			state{Over, 0, 2, ""}, answered(form.Type("x"))},
		{"typing outside the entry means nothing", newForm(2), []Event{typed("x"), do(Accept), do(Back)}, state{List, 0, 0, ""}, nil},
		{"an option after a text", newForm(2), []Event{nth(Pick, 3), typed("x"), do(Back), nth(Pick, 1)}, state{Over, 0, 0, ""}, answered(form.Choose(0))},

		{"several: answering moves on", newForm(2, 2), []Event{nth(Pick, 2)}, state{List, 1, 0, ""}, nil},
		{"several: a text moves on", newForm(2, 2), []Event{nth(Pick, 3), typed("x"), do(Accept)}, state{List, 1, 0, ""}, nil},
		{"several: the last leads to the review", newForm(2, 2), toReview, state{Review, 2, 2, ""}, nil},
		{"several: Tab from each to the review", newForm(2, 2), []Event{do(Next), do(Next)}, state{Review, 2, 2, ""}, nil},
		{"several: no further than the review", newForm(2, 2), []Event{do(Next), do(Next), do(Next)}, state{Review, 2, 2, ""}, nil},
		{"several: back, and not before the first", newForm(2, 2), []Event{do(Next), do(Prev), do(Prev)}, state{List, 0, 0, ""}, nil},
		{"several: Esc cancels", newForm(2, 2), []Event{nth(Pick, 2), do(Cancel)}, state{Over, 1, 0, ""}, cancelled},
		{"each question has its own cursor", newForm(2, 2), []Event{do(Down), do(Next), do(Prev)}, state{List, 0, 1, ""}, nil},
		{"typing opens the last choice", newForm(2), []Event{do(TypeOther), typed("x"), do(Accept)}, state{Over, 0, 2, ""}, answered(form.Type("x"))},
		{"typing goes on with its text", newForm(2), []Event{do(TypeOther), typed("x"), do(Back), do(First), do(TypeOther)}, state{Entry, 0, 2, ""}, nil},
		{"leaving the entry closes it", newForm(2, 2), []Event{nth(Pick, 3), typed("x"), do(Next), do(Prev)}, state{List, 0, 2, ""}, nil},
		{"GoTo out of range", newForm(2, 2), []Event{nth(GoTo, 3), nth(GoTo, -1)}, state{List, 0, 0, ""}, nil},

		{"review submits when all are answered", newForm(2, 2), append(toReview, do(Choose)),
			state{Over, 2, 2, ""}, answered(form.Choose(0), form.Choose(1))},
		{"review names what is missing and goes there", newForm(2, 2, 2), []Event{do(Next), nth(Pick, 1), do(Next), do(Choose)},
			state{Review, 3, 0, "Not answered yet: Q1, Q3"}, nil},
		{"text that was not accepted is no answer", newForm(2, 2), []Event{nth(Pick, 3), typed("x"), do(Next), nth(Pick, 1), do(Choose)},
			state{Review, 2, 0, "Not answered yet: Q1"}, nil},
		{"review's rows stop at both ends", newForm(2, 2), append(toReview, do(Down), do(First), do(Up), do(Down)), state{Review, 2, 1, ""}, nil},
		{"review opens the row", newForm(2, 2), append(toReview, do(First), do(Choose)), state{List, 0, 0, ""}, nil},
		{"review opens by number", newForm(2, 2), append(toReview, nth(Pick, 2)), state{List, 1, 1, ""}, nil},
		{"review has no such number", newForm(2, 2), append(toReview, nth(Pick, 3)), state{Review, 2, 2, ""}, nil},
		{"a change on review returns there", newForm(2, 2), append(toReview, nth(Pick, 1), nth(Pick, 2)), state{Review, 2, 2, ""}, nil},
		{"and counts", newForm(2, 2), append(toReview, nth(Pick, 1), nth(Pick, 2), do(Choose)),
			state{Over, 2, 2, ""}, answered(form.Choose(1), form.Choose(1))},
		{"a text changed on review", newForm(2, 2), append(toReview, nth(Pick, 1), nth(Pick, 3), typed("new"), do(Accept), do(Choose)),
			state{Over, 2, 2, ""}, answered(form.Type("new"), form.Choose(1))},
		{"moving on from a reopened one ends the visit", newForm(2, 2, 2),
			[]Event{nth(Pick, 1), nth(Pick, 1), nth(Pick, 1), nth(Pick, 1), do(Next), nth(Pick, 1)}, state{List, 2, 0, ""}, nil},
		{"Esc on review cancels", newForm(2, 2), append(toReview, do(Cancel)), state{Over, 2, 2, ""}, cancelled},
		{"nothing changes afterwards", newForm(3), []Event{do(Cancel), nth(Pick, 1), do(Down), typed("x")}, state{Over, 0, 0, ""}, cancelled},
		{"ended elsewhere", newForm(3), []Event{do(Down), do(End), nth(Pick, 1)}, state{Over, 0, 1, ""}, &form.Result{Outcome: form.Aborted}},
		{"ended elsewhere while typing", newForm(1), []Event{nth(Pick, 2), typed("x"), do(End), do(Accept)}, state{Over, 0, 1, ""},
			&form.Result{Outcome: form.Aborted}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(c.form, nil, true)
			for _, e := range c.events {
				m.Handle(e)
				roundTrip(t, c.form, m)
			}
			if got := (state{m.Mode(), m.Step(), m.Cursor(), m.Notice()}); got != c.want {
				t.Errorf("state %+v, want %+v", got, c.want)
			}
			r, over := m.Result()
			if over != (c.result != nil) || over && !reflect.DeepEqual(r, *c.result) {
				t.Errorf("result %+v (%v), want %+v", r, over, c.result)
			}
		})
	}
}

// roundTrip: a form opened again from its draft, as the file holds it, is where
// it was.
func roundTrip(t *testing.T, f *form.Form, m *Machine) {
	t.Helper()
	d := m.Draft()
	file, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var read Draft
	if err := json.Unmarshal(file, &read); err != nil {
		t.Fatal(err)
	}
	again := New(f, &read, m.danger)
	if got, _ := json.Marshal(again.Draft()); string(got) != string(file) {
		t.Fatalf("draft\n%s comes back as\n%s", file, got)
	}
	at := m.Mode()
	if at == Help { // it is not there again: a person who comes back wants the form
		at = cmp.Or(m.under, m.base())
	}
	if at != Over && (again.Mode() != at || again.Step() != m.Step() || again.Cursor() != m.Cursor()) {
		t.Fatalf("at %s %d.%d, and from the draft at %s %d.%d", at, m.Step(), m.Cursor(), again.Mode(), again.Step(), again.Cursor())
	}
	for i := range f.Questions {
		if again.EntryText(i) != m.EntryText(i) {
			t.Fatalf("text %q comes back as %q", m.EntryText(i), again.EntryText(i))
		}
	}
}

// A surface that names a choice has the remark on that one, on a dangerous question too.
func TestRemarkOnTheChoiceThatIsNamed(t *testing.T) {
	t.Parallel()
	for _, dangerous := range []bool{false, true} {
		f := newForm(3)
		f.Remarks, f.Questions[0].Dangerous, f.Questions[0].Other = form.Comments, dangerous, ""
		m := New(f, nil, true)
		for _, e := range []Event{nth(Focus, 2), do(NoteOption), typed("x"), do(Leave)} {
			m.Handle(e)
		}
		if got := m.Answer(0).OptionNotes; len(got) != 1 || got[2] != "x" {
			t.Errorf("dangerous %v: the remarks are %v", dangerous, got)
		}
		m.Handle(nth(Focus, 9))
		if m.Cursor() != 2 {
			t.Errorf("dangerous %v: past the end, the cursor is on %d", dangerous, m.Cursor())
		}
	}
	f := &form.Form{Questions: []form.Question{{ID: "a", Kind: form.Text, Dangerous: true}}}
	for _, n := range []int{-1, 7} { // which has no choices
		m := New(f, nil, true)
		if m.Handle(nth(Focus, n)); m.Cursor() != 0 {
			t.Errorf("on choice %d of none, the cursor is on %d", n, m.Cursor())
		}
	}
}

func TestEntryKeepsItsText(t *testing.T) {
	t.Parallel()
	m := New(newForm(1, 1), nil, true)
	for _, e := range []Event{nth(Pick, 2), typed("first"), do(Next), nth(Pick, 2), typed("second"), do(Back), do(Cancel)} {
		m.Handle(e)
	}
	if m.EntryText(0) != "first" || m.EntryText(1) != "second" {
		t.Errorf("texts are %q and %q", m.EntryText(0), m.EntryText(1))
	}
	if m.Answer(0).Given() || m.Answer(1).Given() {
		t.Error("a text that was not accepted counts as an answer")
	}
}

func TestNonsenseDrafts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		d    Draft
		want state
	}{
		{"empty", Draft{}, state{List, 0, 0, ""}},
		{"steps beyond the end", Draft{View: View{Step: 99, Row: 99}}, state{List, 0, 0, ""}},
		{"negative", Draft{View: View{Step: -1, Row: -5, Cursors: []int{-7, -7}}}, state{List, 0, 0, ""}},
		{"cursors too far", Draft{View: View{Cursors: []int{50, 50, 50, 50}}}, state{List, 0, 2, ""}},
		{"answers of another form", Draft{Answers: []form.Answer{form.Choose(9), form.Type(" "), form.Choose(0)}}, state{List, 0, 0, ""}},
		{"typing on the review", Draft{View: View{Step: 2, Over: Entry, Visit: true, Row: 1}}, state{Review, 2, 1, ""}},
		{"more texts than questions", Draft{Entries: []string{"a", "b", "c"}, View: View{Step: 1, Over: Entry}}, state{Entry, 1, 0, ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newForm(2, 2)
			m := New(f, &c.d, true)
			if got := (state{m.Mode(), m.Step(), m.Cursor(), m.Notice()}); got != c.want {
				t.Errorf("state %+v, want %+v", got, c.want)
			}
			for i := range f.Questions {
				if a := m.Answer(i); a.Given() && f.Questions[i].Check(a) != nil {
					t.Errorf("answer %d is %+v", i, a)
				}
			}
			roundTrip(t, f, m)
			m.Handle(do(Choose)) // and it goes on from there
			roundTrip(t, f, m)
		})
	}
	d := Draft{Answers: []form.Answer{form.Choose(1), {}}, Entries: []string{"", "half"}}
	m := New(newForm(2, 2), &d, true)
	if !m.Answer(0).Given() || m.Answer(1).Given() || m.EntryText(1) != "half" {
		t.Error("what fits of a draft is not used")
	}
}

// Where something was said, a cancel ends the form only when another follows; whatever else
// comes keeps the form and does nothing.
func TestCancelIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, second := range []Event{do(Back), do(Down), nth(Pick, 2), typed("x"), do(Next), do(ShowHelp)} {
		m := New(newForm(2, 2), nil, true)
		m.Confirms = true
		m.Handle(nth(Pick, 1))
		before := m.Draft()
		m.Handle(do(Cancel))
		asks := m.Leaving()
		m.Handle(second)
		if !asks || m.Leaving() || m.Mode() != List || !reflect.DeepEqual(before, m.Draft()) {
			t.Errorf("%+v: it asked %v, asks %v, and is %+v in %s", second, asks, m.Leaving(), m.Draft(), m.Mode())
		}
		m.Handle(do(Cancel))
		m.Handle(do(Cancel))
		if r, over := m.Result(); !over || r.Outcome != form.Cancelled {
			t.Errorf("twice in a row it is %+v", r)
		}
	}
}

package form

import (
	"slices"
	"strings"
	"testing"
)

func choiceQuestion(id, other string) Question {
	return Question{ID: id, Label: strings.ToUpper(id), Prompt: id + "?", Kind: One, Other: other,
		Options: []Option{{Value: "r", Label: "Red"}, {Value: "Red", Label: "Not red"}, {Value: "b", Label: "Blue"}}}
}

// said returns what an error says, and nothing where there is none.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestQuestionCheck(t *testing.T) {
	t.Parallel()
	open, closed := choiceQuestion("open", "Else"), choiceQuestion("closed", "")
	both := Choose(0)
	both.Text = Type("x").Text
	for _, c := range []struct {
		name string
		q    Question
		a    Answer
		want string // of the error; empty is none
	}{
		{"first option", open, Choose(0), ""},
		{"last option", open, Choose(2), ""},
		{"text", open, Type("mine"), ""},
		{"text with blanks around", open, Type("  mine\n"), ""},
		{"option of a closed question", closed, Choose(1), ""},
		{"nothing", open, Answer{}, "is missing"},
		{"option too high", open, Choose(3), "is option 4, but there are 3"},
		{"option too low", open, Choose(-1), "is option 0, but there are 3"},
		{"empty text", open, Type(""), "is blank; the text must be non-empty"},
		{"blank text", open, Type(" \t\n"), "is blank; the text must be non-empty"},
		{"text where none may be", closed, Type("mine"), "is a text, but only the options can be chosen"},
		{"both", open, both, "is more than one choice; give one option or a text"},
		{"empty and a text", open, Answer{Empty: true, Text: both.Text}, "is both empty and not"},
		{"a choice for a number", Question{Kind: Number}, Choose(0), "is not a number"},
		{"too large for a whole number", Question{Kind: Number, Rules: &Rules{Whole: true}}, Count(1 << 60), "is 1.152921504606847e+18, which is no whole number below 2^53"},
		{"too short", Question{Kind: Text, Rules: &Rules{MinLength: 3}}, Type("ab"), "has 2 characters; it takes at least 3 characters"},
		{"no URI", Question{Kind: Text, Rules: &Rules{Format: "uri"}}, Type("example.org"), "is not a URI, as https://example.org"},
		{"URI", Question{Kind: Text, Rules: &Rules{Format: "uri"}}, Type("https://example.org/a"), ""},
		{"an unknown format", Question{Kind: Text, Rules: &Rules{Format: "new"}}, Type("a"), "cannot be checked by the rules of this question"},
		{"withheld, and no secret", open, Answer{Withheld: true}, "is missing"},
		{"a secret withheld, with rules", Question{Kind: Text, Secret: true, Rules: &Rules{MinLength: 2}}, Answer{Withheld: true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(c.q.Check(c.a)); got != c.want {
				t.Errorf("Check = %q, want %q", got, c.want)
			}
		})
	}
}

func TestFormCheck(t *testing.T) {
	t.Parallel()
	f := &Form{Questions: []Question{choiceQuestion("a", "Else"), choiceQuestion("b", "Else")}}
	for _, c := range []struct {
		name string
		r    Result
		want string
	}{
		{"complete", Result{Outcome: Answered, Answers: []Answer{Choose(1), Type("x")}}, ""},
		{"cancelled", Result{Outcome: Cancelled}, ""},
		{"timeout", Result{Outcome: Timeout}, ""},
		{"left for discussion", Result{Outcome: NeedsDiscussion}, "outcome needs_discussion, but this form must be complete"},
		{"one short", Result{Outcome: Answered, Answers: []Answer{Choose(1)}}, "1 answers for 2 questions"},
		{"one too many", Result{Outcome: Answered, Answers: make([]Answer, 3)}, "3 answers for 2 questions"},
		{"one open", Result{Outcome: Answered, Answers: []Answer{Choose(1), {}}}, `the answer to "b" is missing`},
		{"remark on no option", Result{Outcome: Answered, Answers: []Answer{Choose(1), {Choices: []int{0}, OptionNotes: map[int]string{3: "x"}}}}, `a remark on option 4 of "b", which has 3`},
		{"silence with answers", Result{Outcome: Timeout, Answers: []Answer{Choose(1), Choose(1)}}, `no form ends as "timeout" with 2 answers`},
		{"nothing", Result{}, `no form ends as "" with 0 answers`},
		{"an outcome that there is not", Result{Outcome: "approved"}, `no form ends as "approved" with 0 answers`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(f.Check(c.r)); got != c.want {
				t.Errorf("Check = %q, want %q", got, c.want)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	f := &Form{Questions: []Question{choiceQuestion("a", "Else"), choiceQuestion("b", ""), choiceQuestion("c", "Else")}}
	for _, c := range []struct {
		name    string
		answers []Answer
		want    []int
	}{
		{"none given", make([]Answer, 3), []int{0, 1, 2}},
		{"gap", []Answer{Choose(0), {}, Type("x")}, []int{1}},
		{"one that is not allowed", []Answer{Choose(0), Type("x"), Type(" ")}, []int{1, 2}},
		{"complete", []Answer{Choose(0), Choose(0), Type("x")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := f.Missing(c.answers); !slices.Equal(got, c.want) {
				t.Errorf("Missing = %v, want %v", got, c.want)
			}
		})
	}
}

func TestOptionByValueThenLabel(t *testing.T) {
	t.Parallel()
	q := choiceQuestion("a", "")
	for text, want := range map[string]int{"r": 0, "Red": 1, "Not red": 1, "b": 2, "Blue": 2} {
		if i, ok := q.Option(text); !ok || i != want {
			t.Errorf("Option(%q) = %d, %v, want %d", text, i, ok, want)
		}
	}
	for _, text := range []string{"", "red", "Else", "Blue "} {
		if i, ok := q.Option(text); ok {
			t.Errorf("Option(%q) = %d, want none", text, i)
		}
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	named, unnamed := Question{Label: "Colour", Named: true, Prompt: "Which?"}, Question{Label: "Q1", Prompt: "Which?"}
	for _, c := range []struct {
		f    Form
		want string
	}{
		{Form{Title: "T", Questions: []Question{named}}, "T"},
		{Form{Questions: []Question{named}}, "Colour"},
		{Form{Questions: []Question{unnamed}}, "Which?"},
		{Form{}, ""},
	} {
		if got := c.f.Header(); got != c.want {
			t.Errorf("Header of %+v = %q, want %q", c.f, got, c.want)
		}
	}
}

func TestGiven(t *testing.T) {
	t.Parallel()
	if (Answer{}).Given() || !Choose(0).Given() || !Type("").Given() {
		t.Error("Given: only the zero answer is none")
	}
}

func TestSound(t *testing.T) {
	t.Parallel()
	q := choiceQuestion("a", "Else")
	with := func(change func(*Question)) Form {
		other := q
		change(&other)
		return Form{Questions: []Question{q, other}}
	}
	for _, c := range []struct {
		name string
		f    Form
		want string
	}{
		{"one", Form{Questions: []Question{q}}, ""},
		{"none", Form{}, "the form has no questions"},
		{"twice the same", Form{Questions: []Question{q, q}}, `question 2 has no id of its own ("a")`},
		{"kind", with(func(q *Question) { q.ID, q.Kind = "b", "some" }), `question 2 is of an unknown kind, "some"`},
		{"nothing to choose", with(func(q *Question) { q.ID, q.Options, q.Other = "b", nil, "" }), "question 2 has nothing to choose"},
		{"a secret in lines", with(func(q *Question) { q.ID, q.Kind, q.Secret, q.Multiline = "b", Text, true, true }), "question 2 is secret, and not a text in one line that starts empty"},
		{"no label", with(func(q *Question) { q.ID, q.Label = "b", "" }), "question 2 has no label"},
		{"initial", with(func(q *Question) { q.ID, q.Initial = "b", Choose(3) }), "question 2 speaks of option 4, and there are 3"},
		{"recommended", with(func(q *Question) { q.ID, q.Recommended = "b", []int{-1} }), "question 2 speaks of option 0, and there are 3"},
		{"a permission that may be left open", with(func(q *Question) { q.ID, q.Subject, q.Optional = "b", &Subject{}, true }), "question 2 asks for a permission or is about a document, and is not answered by one option"},
		{"initial of another kind", with(func(q *Question) { q.ID, q.Initial = "b", Count(1) }), "question 2 starts with an answer that is a number, but the question takes none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(c.f.Sound()); got != c.want {
				t.Errorf("Sound = %q, want %q", got, c.want)
			}
		})
	}
}

// TestDecided allows nothing by what is no whole answer.
func TestDecided(t *testing.T) {
	t.Parallel()
	q := Question{ID: "permission", Label: "Bash", Prompt: "?", Kind: One, Other: "No, because…", Subject: &Subject{}, Options: []Option{{Value: "once", Allows: true}, {Value: "no"}}}
	dangerous := q
	dangerous.Options = slices.Clone(q.Options)
	dangerous.Endanger("rm")
	said := func(a Answer) Result { return Result{Outcome: Answered, Answers: []Answer{a}} }
	for name, c := range map[string]struct {
		q    Question
		r    Result
		want Decision
	}{
		"once":              {q, said(Choose(0)), Allow},
		"no":                {q, said(Choose(1)), Deny},
		"because":           {q, said(Type("no")), Deny},
		"no answer":         {q, Result{Outcome: Answered}, Undecided},
		"nothing said":      {q, said(Answer{}), Undecided},
		"an option of none": {q, said(Choose(7)), Undecided},
		"a deadline":        {q, Result{Outcome: Timeout, Answers: []Answer{Choose(0)}}, Undecided},
		"handed back":       {q, Result{Outcome: Elsewhere}, Undecided},
		"cancelled":         {q, Result{Outcome: Cancelled}, Undecided},
		"with a reason":     {q, Result{Outcome: Cancelled, Reason: "no"}, Deny},
		"typed":             {dangerous, said(Type("rm")), Allow},
		"typed otherwise":   {dangerous, said(Type("rm ")), Undecided},
		"typed without":     {q, said(Type("rm")), Deny},
		"withheld":          {dangerous, said(Answer{Withheld: true}), Undecided},
	} {
		f := Form{Dialect: "permission", Questions: []Question{c.q}}
		if got := f.Decided(c.r); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

package form

import "testing"

func TestSay(t *testing.T) {
	t.Parallel()
	text, empty, n := "typed", "", 2.5
	q := Question{Options: []Option{{Label: "Red"}, {Label: "✓ Blue"}}}
	secret := Question{Secret: true}
	mark := func(label string) string { return "<" + label + ">" }
	for _, c := range []struct {
		q     *Question
		a     Answer
		label func(string) string
		want  string
	}{
		{&q, Answer{}, nil, ""},
		{&q, Answer{Choices: []int{1, 0}, Text: &text}, nil, "✓ Blue, Red, * typed"},
		{&q, Answer{Choices: []int{1}, Text: &text}, mark, "<✓ Blue>, * typed"},
		{&q, Answer{Choices: []int{7, -1}}, nil, ""},
		{&q, Answer{Number: &n}, nil, "2.5"},
		{&q, Answer{Empty: true}, nil, "left empty"},
		{&secret, Answer{Text: &text}, nil, "* •••"},
		{&secret, Answer{Text: &empty}, nil, "* "},
		{&secret, Answer{Withheld: true}, nil, "* •••"},
	} {
		if got := c.q.Say(c.a, "* ", c.label); got != c.want {
			t.Errorf("%+v of %+v is said %q, want %q", c.a, c.q, got, c.want)
		}
	}
	if !(Answer{Withheld: true}).Given() {
		t.Error("a secret that was taken out was not given")
	}
}

package machine

import (
	"encoding/json"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

func readForm() *form.Form {
	return &form.Form{Questions: []form.Question{
		{ID: "a", Kind: form.One, Other: "Else", Options: []form.Option{{Label: "x"}, {Label: "y"}}, Initial: form.Choose(1), Preset: true},
		{ID: "b", Kind: form.Many, Other: "Else", Options: []form.Option{{Label: "x"}, {Label: "y"}}},
		{ID: "c", Kind: form.Number},
		{ID: "d", Kind: form.Text, Open: true, Optional: true},
		{ID: "e", Kind: form.One, Options: []form.Option{{Label: "x"}}, Dangerous: true},
	}}
}

// What was answered is what is read, of every kind of question.
func TestFinished(t *testing.T) {
	t.Parallel()
	both := form.Type("and this")
	both.Choices, both.Note, both.OptionNotes = []int{1}, "a note", map[int]string{0: "on x"}
	r := form.Result{Outcome: form.Answered, Comment: "on it all",
		Answers: []form.Answer{form.Choose(0), both, form.Count(2.5), {Empty: true}, form.Type("its name")}}
	m := Finished(readForm(), r)
	if m.Mode() != Review || m.Comment() != "on it all" {
		t.Errorf("in mode %s with the comment %q", m.Mode(), m.Comment())
	}
	got, _ := json.Marshal(m.Answers())
	want, _ := json.Marshal(r.Answers)
	if string(got) != string(want) {
		t.Errorf("the answers are %s, want %s", got, want)
	}
	if !m.Ticked(1, 1) || m.Ticked(1, 0) || !m.Ticked(1, 2) {
		t.Error("what was ticked is not")
	}
	// What the agent would have it start with was not said.
	if Reading(readForm(), nil).Answer(0).Given() {
		t.Error("a preset reads as an answer")
	}
}

func TestBegun(t *testing.T) {
	t.Parallel()
	f := readForm()
	for _, c := range []struct {
		name   string
		events []Event
		want   bool
	}{
		{"nothing", nil, false},
		{"looked around", []Event{{Action: Down}, {Action: Next}, {Action: ShowHelp}, {Action: Back}, {Action: Refuse}}, false},
		{"an answer", []Event{{Action: Up}, {Action: Choose}}, true},
		{"a tick", []Event{{Action: Next}, {Action: Toggle}}, true},
		{"typed", []Event{{Action: Pick, N: 3}, {Action: Type, Text: "x"}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(f, nil, true)
			for _, e := range c.events {
				m.Handle(e)
			}
			data, err := json.Marshal(m.Draft())
			if err != nil {
				t.Fatal(err)
			}
			var saved Draft // as it is read from the disk
			if err := json.Unmarshal(data, &saved); err != nil {
				t.Fatal(err)
			}
			if saved.Begun(f) != c.want {
				t.Errorf("Begun = %v, want %v, of %s", !c.want, c.want, data)
			}
		})
	}
}

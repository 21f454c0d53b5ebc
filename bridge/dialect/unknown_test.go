package dialect

import (
	"slices"
	"strings"
	"testing"
)

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, request, want string }{
		{"", `{"questions":[{"id":"a","prompt":"p","options":[{"value":"x","label":"X","lable":1}],"recommended":"x"}],"tittle":"t"}`,
			"questions[0].options[0].lable questions[0].recommended tittle"},
		{"", `{"questions":[{"type":"choice","id":"a","header":"h","prompt":"p","options":[{"value":"x","label":"X","preview":"p"}],"recommended":"x"}]}`,
			"questions[0].recommended"},
		{"", `{"questions":[{"header":"h","question":"q","type":"number","mni":1}]}`, "questions[0].mni"},
		{"", `{"questions":[{"header":"h","question":"q","options":[{"label":"a"},{"label":"b"}],"multiselect":true}]}`, "questions[0].multiselect"},
		{"question", `{"prompt":"p","options":[{"label":"a","colour":"red"},{"label":"b"}]}`, "options[0].colour"},
		{"", `{"questions":[{"type":"choice","id":"a","header":"h","prompt":"p","required":true}]}`, ""}, // an error, which says what replaced it
		{"ask_user", `not JSON`, ""},
		{"", `[]`, ""},
		{"", `{"nothing":1}`, ""},
	} {
		var got []string
		for _, u := range UnknownFields(c.dialect, []byte(c.request)) {
			got = append(got, u.Path)
			if slices.Contains(u.Known, "prompt") || slices.Contains(u.Known, "question") {
				t.Errorf("%s: %v is offered, and part of that is there", u.Path, u.Known)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.request, got, c.want)
		}
	}
}

package form

import (
	"errors"
	"fmt"
	"slices"

	"github.com/askpane/askpane/bridge/text"
)

// Sound reports whether f is a form that some dialect could have decoded, as far
// as what shows it relies on that: one that was read from a disk may have been
// written by anybody who could write there.
func (f *Form) Sound() error {
	if len(f.Questions) == 0 {
		return errors.New("the form has no questions")
	}
	if !slices.Contains([]Remarks{NoRemarks, Notes, Comments}, f.Remarks) {
		return fmt.Errorf("the form takes unknown remarks, %q", text.OneLine(string(f.Remarks), 20))
	}
	seen := map[string]bool{}
	for i := range f.Questions {
		q := &f.Questions[i]
		err := q.sound()
		if err == nil && (q.ID == "" || seen[q.ID]) {
			err = fmt.Errorf("has no id of its own (%q)", text.OneLine(q.ID, 20))
		}
		if err != nil {
			return fmt.Errorf("question %d %w", i+1, err)
		}
		seen[q.ID] = true
	}
	return nil
}

func (q *Question) sound() error {
	switch {
	case !slices.Contains([]Kind{One, Many, Number, Text}, q.Kind):
		return fmt.Errorf("is of an unknown kind, %q", text.OneLine(string(q.Kind), 20))
	case !slices.Contains([]Style{Rows, Buttons, Dropdown}, q.Style):
		return fmt.Errorf("has an unknown style, %q", text.OneLine(string(q.Style), 20))
	case q.Secret && (q.Kind != Text || q.Multiline || q.Initial.Given()):
		return errors.New("is secret, and not a text in one line that starts empty")
	case q.Label == "":
		return errors.New("has no label")
	}
	for _, i := range slices.Concat(q.Recommended, q.Initial.Choices) {
		if i < 0 || i >= len(q.Options) {
			return fmt.Errorf("speaks of option %d, and there are %d", i+1, len(q.Options))
		}
	}
	if q.Initial.Given() {
		if err := q.Check(q.Initial); err != nil {
			return fmt.Errorf("starts with an answer that %w", err)
		}
	}
	return nil
}

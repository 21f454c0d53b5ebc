package form

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/text"
)

// Check reports whether a is a complete and allowed answer to q. The error
// reads on from "the answer".
func (q *Question) Check(a Answer) error {
	switch {
	case !a.Given(), a.Withheld && !q.Secret:
		return errors.New("is missing")
	case a.Empty && (a.Text != nil || a.Number != nil || len(a.Choices) > 0):
		return errors.New("is both empty and not")
	case a.Empty && !q.Optional:
		return errors.New("is empty; the question must be answered")
	case a.Empty:
		return nil
	case q.Rules != nil:
		return q.Rules.check(q, a)
	case a.Number != nil:
		return q.checkNumber(a)
	case a.Text != nil && strings.TrimSpace(*a.Text) == "":
		return errors.New("is blank; the text must be non-empty")
	case q.Kind == Number:
		return errors.New("is not a number")
	}
	return q.checkChoices(a)
}

// Confirm checks a and, with the danger check on, that a dangerous question has what it
// wants typed. (Check knows no settings.)
func (q *Question) Confirm(a Answer, dangerCheck bool) error {
	err := q.Check(a)
	if err != nil || !dangerCheck || !q.Dangerous || q.Expected == "" {
		return err
	}
	typed := ""
	switch {
	case a.Text != nil:
		typed = *a.Text
	case a.Number != nil:
		typed = strconv.FormatFloat(*a.Number, 'f', -1, 64)
	}
	if typed != q.Expected {
		return fmt.Errorf("must be exactly %s, as shown", text.Quoted(q.Expected, 0))
	}
	return nil
}

func (q *Question) checkNumber(a Answer) error {
	switch n := *a.Number; {
	case q.Kind != Number || a.Text != nil || len(a.Choices) > 0:
		return errors.New("is a number, but the question takes none")
	case math.IsNaN(n) || math.IsInf(n, 0):
		return errors.New("is not a finite number")
	case q.Max != nil && n > *q.Max:
		return fmt.Errorf("is %v, above max %v", n, *q.Max)
	case q.Min != nil && n < *q.Min:
		return fmt.Errorf("is %v, below min %v", n, *q.Min)
	}
	return nil
}

func (q *Question) checkChoices(a Answer) error {
	chosen := len(a.Choices)
	switch {
	case q.Kind == Text && chosen > 0:
		return errors.New("is an option, but the question takes a text")
	case q.Kind == Text:
		return nil
	case a.Text != nil && q.Other == "" && !q.Dangerous:
		return errors.New("is a text, but only the options can be chosen")
	case q.Kind == One && (chosen > 1 || chosen > 0 && a.Text != nil):
		return errors.New("is more than one choice; give one option or a text")
	}
	for n, i := range a.Choices {
		if !q.has(i) {
			return fmt.Errorf("is option %d, but there are %d", i+1, len(q.Options))
		}
		if n > 0 && a.Choices[n-1] >= i {
			return errors.New("has its options out of order or twice")
		}
	}
	return nil
}

// has reports whether there is an option i.
func (q *Question) has(i int) bool { return i >= 0 && i < len(q.Options) }

// Check reports whether r can be the result of f. Only complete answers pass,
// but for NeedsDiscussion, where some are open.
func (f *Form) Check(r Result) error {
	open := r.Outcome == NeedsDiscussion
	if r.Outcome != Answered && !open {
		if len(r.Answers) > 0 || !slices.Contains([]Outcome{Cancelled, Timeout, Unavailable, Rejected, Aborted, Elsewhere}, r.Outcome) {
			return fmt.Errorf("no form ends as %q with %d answers", text.OneLine(string(r.Outcome), 40), len(r.Answers))
		}
		return nil
	}
	switch {
	case open && !f.Partial:
		return fmt.Errorf("outcome %s, but this form must be complete", r.Outcome)
	case len(r.Answers) != len(f.Questions):
		return fmt.Errorf("%d answers for %d questions", len(r.Answers), len(f.Questions))
	}
	for i, a := range r.Answers {
		q := &f.Questions[i]
		for o := range a.OptionNotes {
			if !q.has(o) {
				return fmt.Errorf("a remark on option %d of %q, which has %d", o+1, q.ID, len(q.Options))
			}
		}
		if err := q.Check(a); err != nil && (a.Given() || !open && !q.Optional) {
			return fmt.Errorf("the answer to %q %w", q.ID, err)
		}
	}
	return nil
}

// Missing lists the indexes of the questions that answers, one for each, leave open
// and that must be answered.
func (f *Form) Missing(answers []Answer) (open []int) {
	for i, a := range answers {
		if q := &f.Questions[i]; (a.Given() || !q.Optional) && q.Check(a) != nil {
			open = append(open, i)
		}
	}
	return open
}

// Sound reports whether f is a form that some dialect could have decoded, as far
// as what shows it relies on that: one that was read from a disk may have been
// changed there.
func (f *Form) Sound() error {
	if len(f.Questions) == 0 {
		return errors.New("the form has no questions")
	}
	seen := map[string]bool{}
	for i := range f.Questions {
		q := &f.Questions[i]
		if err := q.sound(); err != nil {
			return fmt.Errorf("question %d %w", i+1, err)
		}
		if q.ID == "" || seen[q.ID] {
			return fmt.Errorf("question %d has no id of its own (%q)", i+1, text.OneLine(q.ID, 20))
		}
		seen[q.ID] = true
	}
	return nil
}

func (q *Question) sound() error {
	choices := len(q.Options) + len(q.Other)
	ways, known := map[Kind]int{One: choices, Many: choices, Number: 1, Text: 1}[q.Kind]
	switch {
	case !known:
		return fmt.Errorf("is of an unknown kind, %q", text.OneLine(string(q.Kind), 20))
	case q.Secret && (q.Kind != Text || q.Multiline || q.Initial.Given()):
		return errors.New("is secret, and not a text in one line that starts empty")
	case (q.Subject != nil || q.Document != nil) && (q.Kind != One || q.Optional):
		return errors.New("asks for a permission or is about a document, and is not answered by one option")
	case ways == 0:
		return errors.New("has nothing to choose")
	case q.Label == "":
		return errors.New("has no label")
	}
	if none := slices.DeleteFunc(slices.Concat(q.Recommended, q.Initial.Choices), q.has); len(none) > 0 {
		return fmt.Errorf("speaks of option %d, and there are %d", none[0]+1, len(q.Options))
	}
	if err := q.Check(q.Initial); q.Initial.Given() && err != nil {
		return fmt.Errorf("starts with an answer that %w", err)
	}
	return nil
}

// Skip lets each of several questions be left open.
func (f *Form) Skip() {
	for i := range f.Questions {
		f.Questions[i].Optional = f.Questions[i].Optional || len(f.Questions) > 1
	}
}

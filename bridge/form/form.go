// Package form is the canonical questionnaire: what every dialect decodes a
// request into, what the popup shows, and what a finished form says.
//
// It imports only the standard library and does no I/O. The rule that must hold
// here: a Form and a Result describe data only; how they look is the popup's
// business and how they read to a model is the dialect's.
package form

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Version is the format version written into every file of a spool entry.
// A reader refuses a newer one and leaves the entry alone.
const Version = 1

// Kind says how a question is answered.
type Kind string

const (
	// One is answered by one option, or by typed text where Question.Other is set.
	One Kind = "one"
)

// Form is a whole questionnaire.
type Form struct {
	Dialect   string     `json:"dialect"`
	Title     string     `json:"title,omitempty"`
	Intro     string     `json:"intro,omitempty"`
	Questions []Question `json:"questions"`
	// Review: the form ends on a step that lists all answers and alone submits.
	Review bool `json:"review,omitempty"`
	// Echo is the normalised request in the dialect's own shape. It is what
	// `askpane check` prints as value and what the result's details repeat.
	Echo json.RawMessage `json:"echo"`
}

// Question is one thing to be answered.
type Question struct {
	ID string `json:"id"`
	// Label is the short name for tabs and review; never empty.
	Label string `json:"label"`
	// Named is true where the agent chose Label, false where it was filled in.
	Named   bool     `json:"named,omitempty"`
	Prompt  string   `json:"prompt"`
	Kind    Kind     `json:"kind"`
	Options []Option `json:"options"`
	// Other is the label of the synthetic last choice that opens a text entry;
	// empty where there is none. It is never one of Options.
	Other string `json:"other,omitempty"`
}

// Option is a predefined choice. Value goes to the agent, Label to the person.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Header is the few words that name the form in a title, a list or an alert:
// the form's title, else the first question's own label, else its prompt.
func (f *Form) Header() string {
	if f.Title != "" {
		return f.Title
	}
	if len(f.Questions) == 0 {
		return ""
	}
	if q := f.Questions[0]; !q.Named {
		return q.Prompt
	} else {
		return q.Label
	}
}

// Outcome is how a form ended (CONTRACTS.md, "The envelope").
type Outcome string

const (
	Answered        Outcome = "answered"
	NeedsDiscussion Outcome = "needs_discussion"
	Cancelled       Outcome = "cancelled"
	Timeout         Outcome = "timeout"
	Unavailable     Outcome = "unavailable"
	Rejected        Outcome = "rejected"
	Aborted         Outcome = "aborted"
)

// Result is what answer.json holds: how the form ended, and with which answers.
type Result struct {
	Version int     `json:"version"`
	Outcome Outcome `json:"outcome"`
	// Answers has one element a question, in the form's order, when Outcome is
	// Answered; otherwise it is empty.
	Answers []Answer `json:"answers,omitempty"`
	// Reason is the person's word for declining, or why a form could not be shown.
	Reason string `json:"reason,omitempty"`
	// Waited is how long the form was open to answers, where Outcome is Timeout.
	Waited time.Duration `json:"waited,omitempty"`
	// By names the surface that ended the form: ByPopup and the like.
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// The surfaces that can end a form.
const (
	ByPopup  = "popup"
	ByAnswer = "askpane answer"
	ByBridge = "bridge"
)

// Answer is what was said to one question. The zero value means nothing yet.
type Answer struct {
	// Choice is the 0-based index into Question.Options; nil where none is chosen.
	Choice *int `json:"choice,omitempty"`
	// Text is what was typed under Question.Other; nil where nothing was.
	Text *string `json:"text,omitempty"`
}

// Choose is the answer that picks option i (0-based).
func Choose(i int) Answer { return Answer{Choice: &i} }

// Type is the answer typed under Question.Other.
func Type(text string) Answer { return Answer{Text: &text} }

// Given reports whether the question has been answered.
func (a Answer) Given() bool { return a.Choice != nil || a.Text != nil }

// Check reports whether a is a complete and allowed answer to q. The error
// reads on from "the answer to <question>".
func (q *Question) Check(a Answer) error {
	switch {
	case a.Choice != nil && a.Text != nil:
		return fmt.Errorf("has both an option and a text; give one")
	case a.Choice != nil:
		if *a.Choice < 0 || *a.Choice >= len(q.Options) {
			return fmt.Errorf("is option %d, but there are %d", *a.Choice+1, len(q.Options))
		}
	case a.Text != nil:
		if q.Other == "" {
			return fmt.Errorf("is a text, but only the options can be chosen")
		}
		if strings.TrimSpace(*a.Text) == "" {
			return fmt.Errorf("is blank; the text must be non-empty")
		}
	default:
		return fmt.Errorf("is missing")
	}
	return nil
}

// Check reports whether r can be the result of f. Only complete answers pass.
func (f *Form) Check(r Result) error {
	if r.Outcome != Answered {
		if len(r.Answers) != 0 {
			return fmt.Errorf("outcome %s carries answers", r.Outcome)
		}
		return nil
	}
	if len(r.Answers) != len(f.Questions) {
		return fmt.Errorf("%d answers for %d questions", len(r.Answers), len(f.Questions))
	}
	for i := range f.Questions {
		if err := f.Questions[i].Check(r.Answers[i]); err != nil {
			return fmt.Errorf("the answer to %q %w", f.Questions[i].ID, err)
		}
	}
	return nil
}

// Missing lists the indexes of the questions that answers leave open.
func (f *Form) Missing(answers []Answer) []int {
	var open []int
	for i := range f.Questions {
		if i >= len(answers) || f.Questions[i].Check(answers[i]) != nil {
			open = append(open, i)
		}
	}
	return open
}

// Option finds the option that text names: by value first, then by label.
func (q *Question) Option(text string) (int, bool) {
	if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == text }); i >= 0 {
		return i, true
	}
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Label == text })
	return i, i >= 0
}

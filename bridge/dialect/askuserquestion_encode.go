package dialect

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

type typedDetails struct {
	Questions any               `json:"questions"`
	Answers   map[string]any    `json:"answers"`
	Notes     map[string]string `json:"notes,omitempty"`
	Lifecycle string            `json:"lifecycle"`
	// URL and Port are null as long as no browser page shows the form.
	URL        *string `json:"url"`
	Port       *int    `json:"port"`
	DebounceMs int     `json:"debounceMs"`
	Reason     string  `json:"reason,omitempty"`
}

// typedAnswer is a chosen option or a typed text.
type typedAnswer struct {
	Mode  string  `json:"mode"`
	Value *string `json:"value,omitempty"`
	Text  *string `json:"text,omitempty"`
}

// lifecycles are the contract's words for how a form ended. It has three; the
// envelope's outcome tells the rest.
func lifecycle(o form.Outcome) string {
	switch o {
	case form.Answered:
		return "answered"
	case form.Unavailable, form.Rejected: // nobody was asked
		return "rejected"
	default:
		return "cancelled"
	}
}

func encodeTyped(f *form.Form, r form.Result, c Context) Reply {
	d := typedDetails{Questions: echoed(f, "questions"), Answers: map[string]any{}, Lifecycle: lifecycle(r.Outcome),
		DebounceMs: c.DebounceMs, Reason: r.Reason}
	if r.Outcome != form.Answered {
		return Reply{Text: notAnswered(questionnaireCancelled, f, r), Details: mustJSON(d), IsError: failed(r.Outcome)}
	}
	for i, a := range r.Answers {
		if a.Given() {
			d.Answers[strconv.Itoa(i)] = typedValue(&f.Questions[i], a)
		}
		if note := strings.TrimSpace(a.Note); note != "" {
			if d.Notes == nil {
				d.Notes = map[string]string{}
			}
			d.Notes[strconv.Itoa(i)] = note
		}
	}
	return Reply{Text: typedText(headers(f), f, r), Details: mustJSON(d)}
}

const questionnaireCancelled = "User cancelled the questionnaire"

// headers are the questions' labels as the agent sent them.
func headers(f *form.Form) []string {
	var all []string
	for _, q := range f.Questions {
		all = append(all, q.Label)
	}
	return all
}

func typedValue(q *form.Question, a form.Answer) any {
	switch q.Kind {
	case form.Number:
		return json.Number(plainFloat(*a.Number))
	case form.Text:
		return *a.Text
	case form.One:
		if a.Text != nil {
			return typedAnswer{Mode: "other", Text: a.Text}
		}
		return typedAnswer{Mode: "option", Value: &q.Options[a.Choices[0]].Value}
	}
	all := []typedAnswer{}
	for _, i := range a.Choices {
		all = append(all, typedAnswer{Mode: "option", Value: &q.Options[i].Value})
	}
	if a.Text != nil {
		all = append(all, typedAnswer{Mode: "other", Text: a.Text})
	}
	return all
}

// typedText is the result as the model reads it, in both shapes.
func typedText(headers []string, f *form.Form, r form.Result) string {
	var lines []string
	for i, a := range r.Answers {
		if a.Given() {
			lines = append(lines, fmt.Sprintf("%s: %s", headers[i], spoken(&f.Questions[i], a)))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "(no answers recorded)")
	}
	for i, a := range r.Answers {
		if note := strings.TrimSpace(a.Note); note != "" {
			lines = append(lines, fmt.Sprintf("note (%s): %s", headers[i], note))
		}
	}
	return strings.Join(lines, "\n")
}

func spoken(q *form.Question, a form.Answer) string {
	switch q.Kind {
	case form.Number:
		return plainFloat(*a.Number)
	case form.Text:
		return *a.Text
	}
	var parts []string
	for _, i := range a.Choices {
		parts = append(parts, q.Options[i].Value)
	}
	if a.Text != nil {
		parts = append(parts, "(Other) "+*a.Text)
	}
	return joined(parts)
}

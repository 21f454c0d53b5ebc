package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// lifecycle is the contract's word for how a form ended. It has three; the
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
	answers, notes := map[string]any{}, map[string]string{}
	if r.Outcome == form.Answered {
		for i, a := range r.Answers {
			if a.Given() {
				answers[strconv.Itoa(i)], _ = typedAnswer(&f.Questions[i], a)
			}
			if note := strings.TrimSpace(a.Note); note != "" {
				notes[strconv.Itoa(i)] = note
			}
		}
	}
	// The url and the port are those of a browser page, which there is not yet.
	details := object{{"questions", echoed(f, "questions")}, {"answers", answers}, {"notes", some(notes)}, {"lifecycle", lifecycle(r.Outcome)},
		{"url", nil}, {"port", nil}, {"debounceMs", c.DebounceMs}, {"reason", some(r.Reason)}}
	if r.Outcome != form.Answered {
		return unanswered(questionnaireCancelled, f, r, details)
	}
	return Reply{Text: typedText(f, r), Details: mustJSON(details)}
}

const questionnaireCancelled = "User cancelled the questionnaire"

// headers are the questions' labels as the agent sent them; the form may have
// shortened them.
func headers(f *form.Form) []string {
	var echoes []struct{ Header string }
	if err := json.Unmarshal(echoed(f, "questions"), &echoes); err != nil || len(echoes) != len(f.Questions) {
		echoes = make([]struct{ Header string }, len(f.Questions)) // an entry somebody else wrote; the answer still arrives
	}
	var all []string
	for i, q := range f.Questions {
		all = append(all, cmp.Or(echoes[i].Header, q.Label))
	}
	return all
}

// typedAnswer is an answer as data, a number, a text, a choice or several, and as
// the model reads it.
func typedAnswer(q *form.Question, a form.Answer) (value any, text string) {
	switch q.Kind {
	case form.Number:
		text = plainFloat(*a.Number)
		return json.Number(text), text
	case form.Text:
		return *a.Text, *a.Text
	}
	all := []object{}
	for _, i := range a.Choices {
		all = append(all, object{{"mode", "option"}, {"value", q.Options[i].Value}})
	}
	if a.Text != nil {
		all = append(all, object{{"mode", "other"}, {"text", *a.Text}})
	}
	text = joined(chosen(q, a, optionValue, "(Other) "))
	if q.Kind == form.One {
		return all[len(all)-1], text
	}
	return all, text
}

// typedText is the result as the model reads it, in both shapes.
func typedText(f *form.Form, r form.Result) string {
	headers := headers(f)
	var lines []string
	for i, a := range r.Answers {
		if a.Given() {
			_, text := typedAnswer(&f.Questions[i], a)
			lines = append(lines, headers[i]+": "+text)
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

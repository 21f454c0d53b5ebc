package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// question asks one or several multiple-choice questions (docs/contracts.md). Under
// its name the shape of buttons is taken too.
var question = Dialect{
	Name: "question",
	fits: func(top map[string]any) bool {
		_, ok := top["questions"].([]any)
		return ok
	},
	shape: func(top map[string]any) *Dialect {
		if n := (node{v: top}); !n.field("questions").given() && (n.field("prompt").given() || n.field("options").given()) {
			return &buttons
		}
		return nil
	},
	beside:     &buttons,
	besideWhen: "with prompt and options instead of questions",
	early:      needQuestions,
	decode:     decodeQuestion,
	encode:     encodeQuestion,
	reject:     rejectQuestions,
}

func rejectQuestions(err error) Reply {
	return rejection(err, object{{"questions", []any{}}, {"answers", []any{}}, {"cancelled", true}})
}

// somethingElse is the synthetic last choice of every question, with U+2026.
const somethingElse = "Something else…"

var errNoQuestions = errors.New("No questions provided") //lint:ignore ST1005 the contract's own text

// needQuestions is the error that two of the contracts give for no questions.
func needQuestions(top node) {
	list := top.field("questions")
	if items, ok := list.v.([]any); !list.given() || ok && len(items) == 0 {
		*top.errs = append(*top.errs, errNoQuestions)
	}
}

func decodeQuestion(top node) form.Form {
	var f form.Form
	ids := unique{}
	f.Echo = mustJSON(object{{"questions", top.questions(&f, func(n node, i int) (form.Question, object) {
		q := form.Question{ID: n.string("id"), Prompt: n.string("prompt"), Kind: form.One, Options: n.options(), Other: somethingElse}
		q.Label, q.Named = labelOf(n, i)
		ids.add(n.field("id"))
		return q, object{{"id", q.ID}, {"label", q.Label}, {"prompt", q.Prompt}, {"options", q.Options}}
	})}})
	return f
}

// labelOf is a question's own label, or Q1, Q2… by its place.
func labelOf(n node, i int) (label string, named bool) {
	if label = n.string("label"); !blank(label) {
		return label, true
	}
	return fmt.Sprintf("Q%d", i+1), false
}

func encodeQuestion(f *form.Form, r form.Result, _ Context) Reply {
	questions := echoed(f, "questions")
	if r.Outcome != form.Answered {
		details := object{{"questions", questions}, {"answers", []any{}}, {"cancelled", true}}
		if r.Outcome == form.Cancelled { // the contract has a reason, the person's own, for declining only
			details = append(details, member{"reason", some(r.Reason)})
		}
		return unanswered("User cancelled", f, r, details)
	}
	answers, lines := []object{}, []string{}
	for i, a := range r.Answers {
		q := &f.Questions[i]
		if a.Text != nil {
			answers = append(answers, object{{"id", q.ID}, {"value", *a.Text}, {"label", *a.Text}, {"wasCustom", true}})
			lines = append(lines, fmt.Sprintf("%s: user wrote: %s", q.Label, *a.Text))
			continue
		}
		o, index := q.Options[a.Choices[0]], a.Choices[0]+1
		answers = append(answers, object{{"id", q.ID}, {"value", o.Value}, {"label", o.Label}, {"wasCustom", false}, {"index", index}})
		lines = append(lines, fmt.Sprintf("%s: user selected: %d. %s", q.Label, index, o.Label))
	}
	return Reply{Text: strings.Join(lines, "\n"), Details: mustJSON(object{{"questions", questions}, {"answers", answers}, {"cancelled", false}})}
}

// echoed is one member of the form's normalised request.
func echoed(f *form.Form, member string) json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(f.Echo, &members); err != nil {
		return json.RawMessage("[]") // an entry somebody else wrote; the answer still arrives
	}
	return members[member]
}

// rejection is the result for a request that was refused.
func rejection(err error, details object) Reply {
	return Reply{Text: "Error: " + err.Error(), Details: mustJSON(details), IsError: true}
}

// unanswered is the result for a form that ended without answers; cancelled is
// the dialect's own word for a person who declined.
func unanswered(cancelled string, f *form.Form, r form.Result, details object) Reply {
	return Reply{Text: notAnswered(cancelled, f, r), Details: mustJSON(details), IsError: failed(r.Outcome)}
}

// failed reports whether an outcome is an error to the caller (the envelope's table).
func failed(o form.Outcome) bool {
	return o == form.Unavailable || o == form.Rejected || o == form.Aborted
}

// notAnswered is the text of unanswered.
func notAnswered(cancelled string, f *form.Form, r form.Result) string {
	switch r.Outcome {
	case form.Cancelled:
		if r.Reason != "" {
			return strings.TrimSuffix(cancelled, ".") + ": " + r.Reason
		}
		return cancelled
	case form.Timeout:
		waited := r.Waited
		if waited == 0 {
			waited = f.Timeout
		}
		return fmt.Sprintf("No answer before the deadline (%s)", seconds(waited))
	case form.Unavailable:
		if r.Reason != "" {
			return noUI + ": " + r.Reason
		}
		return noUI
	default:
		return "Error: the question was withdrawn before it was answered"
	}
}

const noUI = "Error: UI not available"

// seconds writes a deadline as the contracts do: 3600 s, not 1h0m0s.
func seconds(d time.Duration) string { return plainFloat(d.Seconds()) + " s" }

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
	early:  needQuestions,
	schema: questionSchema,
	decode: decodeQuestion,
	encode: encodeQuestion,
	reject: func(err error) Reply {
		return Reply{Text: "Error: " + err.Error(), IsError: true,
			Details: mustJSON(questionDetails{Questions: []questionEcho{}, Answers: []questionAnswer{}, Cancelled: true})}
	},
	answer: answerAny,
	guidance: Guidance{
		Description: "Ask the person one or several multiple-choice questions and wait for the answers. Each question shows your options and, last, a way to answer in their own words.",
		Snippet:     "question: ask the person one or more multiple-choice questions",
		Guidelines: []string{
			"Use question when you cannot go on without a decision that only the person can make.",
			"Put questions that belong together into one call; the person reviews all answers before they are sent.",
			"Give two to five options that differ in what happens next, and say in each description what it would mean.",
			"Do not add an option like \"other\": every question ends with one by itself.",
			"Keep label to one or two words; it names the question in tabs and in the result.",
			"If the person cancels, do not ask the same again; go on without it or say what you need.",
		},
	},
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

func questionSchema() *schema {
	return object(member{"questions!", listOf(1, 0, object(
		member{"id!", nonBlank("Names the answer in the result; unique in this call.")},
		member{"label", words("One or two words for tabs and the review. Q1, Q2… if left out.")},
		member{"prompt!", nonBlank("The question in full.")},
		member{"options", listOf(0, 0, object(
			member{"value!", nonBlank("What you get back when this is chosen.")},
			member{"label!", nonBlank("What the person sees.")},
			member{"description", words("What choosing this means.")},
		))},
	))})
}

type questionEcho struct {
	ID      string        `json:"id"`
	Label   string        `json:"label"`
	Prompt  string        `json:"prompt"`
	Options []form.Option `json:"options"`
}

type questionAnswer struct {
	ID        string `json:"id"`
	Value     string `json:"value"`
	Label     string `json:"label"`
	WasCustom bool   `json:"wasCustom"`
	Index     int    `json:"index,omitempty"` // 1-based; absent where the answer was typed
}

type questionDetails struct {
	Questions any              `json:"questions"`
	Answers   []questionAnswer `json:"answers"`
	Cancelled bool             `json:"cancelled"`
	Reason    string           `json:"reason,omitempty"`
}

func decodeQuestion(top node) form.Form {
	questions := top.field("questions").list()
	f := form.Form{Review: len(questions) > 1}
	echoes := []questionEcho{}
	ids := unique{}
	for i, n := range questions {
		q := form.Question{
			ID:      n.field("id").text(),
			Prompt:  n.field("prompt").text(),
			Kind:    form.One,
			Options: []form.Option{}, // none at all is allowed, and reads as [] in the details
			Other:   somethingElse,
		}
		q.Label, q.Named = labelOf(n, i)
		for _, o := range n.field("options").items() {
			q.Options = append(q.Options, form.Option{
				Value:       o.field("value").text(),
				Label:       o.field("label").text(),
				Description: o.field("description").optionalText(),
			})
		}
		ids.add(n.field("id"), q.ID)
		f.Questions = append(f.Questions, q)
		echoes = append(echoes, questionEcho{q.ID, q.Label, q.Prompt, q.Options})
	}
	f.Echo = mustJSON(map[string]any{"questions": echoes})
	return f
}

// labelOf is a question's own label, or Q1, Q2… by its place.
func labelOf(n node, i int) (label string, named bool) {
	label = n.field("label").optionalText()
	if strings.TrimSpace(label) != "" {
		return label, true
	}
	return fmt.Sprintf("Q%d", i+1), false
}

func encodeQuestion(f *form.Form, r form.Result, _ Context) Reply {
	d := questionDetails{Questions: echoed(f, "questions"), Answers: []questionAnswer{}, Cancelled: r.Outcome != form.Answered}
	if r.Outcome == form.Cancelled {
		d.Reason = r.Reason // the person's own; the contract has it for declining only
	}
	if r.Outcome != form.Answered {
		return Reply{Text: notAnswered("User cancelled", f, r), Details: mustJSON(d), IsError: failed(r.Outcome)}
	}
	var lines []string
	for i, a := range r.Answers {
		q := &f.Questions[i]
		if a.Text != nil {
			d.Answers = append(d.Answers, questionAnswer{ID: q.ID, Value: *a.Text, Label: *a.Text, WasCustom: true})
			lines = append(lines, fmt.Sprintf("%s: user wrote: %s", q.Label, *a.Text))
			continue
		}
		o, index := q.Options[a.Choices[0]], a.Choices[0]+1
		d.Answers = append(d.Answers, questionAnswer{ID: q.ID, Value: o.Value, Label: o.Label, Index: index})
		lines = append(lines, fmt.Sprintf("%s: user selected: %d. %s", q.Label, index, o.Label))
	}
	return Reply{Text: strings.Join(lines, "\n"), Details: mustJSON(d)}
}

// echoed is one member of the form's normalised request.
func echoed(f *form.Form, member string) json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(f.Echo, &members); err != nil {
		return json.RawMessage("[]") // an entry somebody else wrote; the answer still arrives
	}
	return members[member]
}

// failed reports whether an outcome is an error to the caller (the envelope's table).
func failed(o form.Outcome) bool {
	return o == form.Unavailable || o == form.Rejected || o == form.Aborted
}

// notAnswered is the text for a form that ended without answers; cancelled is
// the dialect's own word for a person who declined.
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
		text := noUI
		if r.Reason != "" {
			text += ": " + r.Reason
		}
		return text
	default:
		return "Error: the question was withdrawn before it was answered"
	}
}

const noUI = "Error: UI not available"

// seconds writes a deadline as the contracts do: 3600 s, not 1h0m0s.
func seconds(d time.Duration) string { return fmt.Sprintf("%v s", plainFloat(d.Seconds())) }

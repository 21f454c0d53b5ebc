package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// question asks one or several multiple-choice questions (docs/contracts.md). Under
// its name the shape of buttons is taken too.
var question = Dialect{
	Name:  "question",
	fits:  func(top node) bool { return top.field("questions").kind() == "an array" },
	broad: true,
	shape: func(top node) *Dialect {
		if !top.has("questions") && top.has("prompt", "options") {
			return &buttons
		}
		return nil
	},
	beside:     &buttons,
	besideWhen: "with prompt and options instead of questions",
	early:      needQuestions,
	decode: func(top node, f *form.Form) {
		top.labelled(f)
		for i := range f.Questions {
			f.Questions[i].Other = somethingElse
		}
	},
	cancelled: "User cancelled",
	encode:    encodeQuestion,
}

// somethingElse labels the last choice of every question, with U+2026.
const somethingElse = "Something else…"

// noQuestions makes the whole error that two of the contracts give for no questions.
const noQuestions = "No questions provided"

func needQuestions(top node) {
	list := top.field("questions")
	if items, ok := list.v.([]any); !list.given() || ok && len(items) == 0 {
		*top.errs = append(*top.errs, fault{text: noQuestions})
	}
}

// labelled fills in the labels of the questions, and that they have no options.
func (n node) labelled(f *form.Form) {
	for i, n := range n.field("questions").list() {
		n.set("label", f.Questions[i].Label)
		if !n.field("options").given() {
			n.set("options", []any{})
		}
	}
}

func encodeQuestion(f *form.Form, r form.Result, _ Context) (text string, details object) {
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
	details = object{{"questions", echoed(f)}, {"answers", answers}, {"cancelled", r.Outcome != form.Answered}}
	if r.Outcome == form.Cancelled { // the contract has a reason, the person's own, for declining only
		details = append(details, member{"reason", some(r.Reason)})
	}
	return strings.Join(lines, "\n"), details
}

// echoed returns the questions of the form's normalised request.
func echoed(f *form.Form) json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(f.Echo, &members); err != nil {
		return json.RawMessage("[]") // none was read, or somebody else wrote the entry; the answer still arrives
	}
	return members["questions"]
}

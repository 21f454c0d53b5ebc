package dialect

import (
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// askUserQuestionPlain is the second request shape of AskUserQuestion: choices
// only, without type. It goes by the same name.
var askUserQuestionPlain = Dialect{
	Name:        "AskUserQuestion",
	namesTool:   true,
	alternative: 1,
	remarks:     form.Notes,
	decode:      decodePlain,
	cancelled:   questionnaireCancelled,
	encode:      encodePlain,
	rejected:    rejectedTyped,
	byPrompt:    true,
}

// isPlain reports whether a question has the second shape, which all of a request must
// have: it says nothing that only the typed one has and that must not be lost, and it has
// what only choices have.
func isPlain(q node) bool {
	return !q.has("type", "input_mode", "prompt", "is_dangerous") && q.has("options", "multiSelect")
}

// headerRunes of a header are shown; the rest is only sent back.
const headerRunes = 12

func decodePlain(top node, f *form.Form) {
	f.Shape = form.Second
	top.distinct("questions", "question") // the answers are keyed by them
	for i, n := range top.field("questions").list() {
		q := &f.Questions[i]
		n.withoutOther(q)
		q.ID, q.SelectRow = fmt.Sprintf("q%d", i+1), q.Kind == form.Many
		q.Header, q.Label = q.Label, text.OneLine(q.Label, headerRunes)
	}
}

func encodePlain(f *form.Form, r form.Result, c Context) (text string, details object) {
	text, _ = encodeTyped(f, r, c) // to the model both shapes read alike
	answers, annotations := object{}, object{}
	for i, a := range r.Answers {
		q := &f.Questions[i]
		preview := ""
		if q.Kind == form.One && len(a.Choices) > 0 && q.Options[a.Choices[0]].Preview != nil {
			preview = q.Options[a.Choices[0]].Preview.Content
		}
		if a.Given() && !a.Empty {
			answers = append(answers, member{q.Prompt, joined(chosen(q, a, optionLabel, ""))})
		}
		if note := strings.TrimSpace(a.Note); note != "" || preview != "" {
			annotations = append(annotations, member{q.Prompt, object{{"notes", some(note)}, {"preview", some(preview)}}})
		}
	}
	return text, object{{"questions", echoed(f)}, {"answers", answers}, {"annotations", some(annotations)}, {"reason", some(r.Reason)}}
}

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
	decode:      decodePlain,
	encode:      encodePlain,
	reject:      rejectTyped,
	byPrompt:    true,
}

// isPlain reports whether a request has the second shape: no question says
// anything that only the typed one has and that must not be lost, and each has
// what only choices have.
func isPlain(top map[string]any) bool {
	list, _ := top["questions"].([]any)
	for _, v := range list {
		n := node{v: v}
		for _, typed := range []string{"type", "input_mode", "prompt", "is_dangerous"} {
			if n.field(typed).given() {
				return false
			}
		}
		if !n.field("options").given() && !n.field("multiSelect").given() {
			return false
		}
	}
	return len(list) > 0
}

// headerRunes is how much of a header is shown; the rest is only sent back.
const headerRunes = 12

func decodePlain(top node) form.Form {
	f := form.Form{Remarks: form.Notes}
	texts := unique{} // the answers are keyed by them
	f.Echo = mustJSON(object{{"questions", top.questions(&f, func(n node, i int) (form.Question, object) {
		texts.add(n.field("question"))
		header := n.string("header")
		all, options, other := n.withoutOther()
		q := form.Question{ID: fmt.Sprintf("q%d", i+1), Label: text.OneLine(header, headerRunes), Named: true,
			Prompt: n.string("question"), Kind: form.One, Options: options, Other: other.Label}
		if n.flag("multiSelect", false) {
			q.Kind, q.SelectRow = form.Many, true
		}
		return q, object{{"question", q.Prompt}, {"header", header}, {"options", echoOptions(all, false)}, {"multiSelect", q.SelectRow}}
	})}})
	return f
}

func encodePlain(f *form.Form, r form.Result, _ Context) Reply {
	answers, annotations := object{}, object{}
	if r.Outcome == form.Answered {
		for i, a := range r.Answers {
			q := &f.Questions[i]
			preview := ""
			for _, c := range a.Choices {
				if p := q.Options[c].Preview; p != nil && q.Kind == form.One {
					preview = p.Content
				}
			}
			answers = append(answers, member{q.Prompt, joined(chosen(q, a, optionLabel, ""))})
			if note := strings.TrimSpace(a.Note); note != "" || preview != "" {
				annotations = append(annotations, member{q.Prompt, object{{"notes", some(note)}, {"preview", some(preview)}}})
			}
		}
	}
	details := object{{"questions", echoed(f, "questions")}, {"answers", answers}, {"annotations", some(annotations)}, {"reason", some(r.Reason)}}
	if r.Outcome != form.Answered {
		return unanswered(questionnaireCancelled, f, r, details)
	}
	return Reply{Text: typedText(f, r), Details: mustJSON(details)}
}

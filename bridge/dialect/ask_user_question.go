package dialect

import (
	"cmp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// askUserQuestionForm asks by radio buttons, checkboxes and text fields
// (docs/contracts.md).
var askUserQuestionForm = Dialect{
	Name: "ask_user_question",
	fits: func(top node) bool {
		return top.anyQuestion(func(q node) bool {
			t := q.string("type")
			return (t == "radio" || t == "checkbox" || t == textType) && q.field("id").given() && !q.field("header").given()
		})
	},
	early:     needQuestions,
	decode:    decodeControls,
	cancelled: "User cancelled the form",
	encode:    encodeControls,
}

// controlTypes has the contract's words for what the form calls kinds.
var controlTypes = map[form.Kind]string{form.One: "radio", form.Many: "checkbox", form.Text: "text"}

func decodeControls(top node, f *form.Form) {
	top.labelled(f)
	for i, n := range top.field("questions").list() {
		q := &f.Questions[i]
		if q.Open = q.Kind == form.Text; q.Open {
			n.set("options", []any{})
		}
		for j, o := range n.field("options").list() {
			o.set("value", q.Options[j].Value)
		}
		switch other := !q.Open && n.field("allowOther").v != false; {
		case other:
			q.Other = otherDots
		case !q.Open && len(q.Options) == 0:
			n.field("options").fail("expected at least one, since allowOther is false")
		}
		n.set("allowOther", q.Other != "")
		n.starts("default", q, false)
	}
}

func encodeControls(f *form.Form, r form.Result, _ Context) (text string, details object) {
	answers, lines := []object{}, []string{}
	for i, a := range r.Answers {
		q := &f.Questions[i]
		value, said := encodeControl(q, a)
		answers = append(answers, object{{"id", q.ID}, {"type", controlTypes[q.Kind]}, {"value", value},
			{"wasCustom", q.Kind == form.Text || a.Text != nil}})
		lines = append(lines, q.Label+": "+said)
	}
	if r.Outcome == form.Unavailable { // this contract gives the text whole; why stands in the details
		lines = []string{noUI + " (running in non-interactive mode)"}
	}
	return strings.Join(lines, "\n"), object{{"title", some(f.Title)}, {"questions", echoed(f)}, {"answers", answers},
		{"cancelled", r.Outcome != form.Answered}, {"reason", some(r.Reason)}}
}

// encodeControl writes an answer as data and as the model reads it. One that was left
// empty, as an optional one may be, reads so.
func encodeControl(q *form.Question, a form.Answer) (value any, text string) {
	if q.Kind == form.Text {
		if a.Text == nil {
			return "", "(empty)"
		}
		return *a.Text, *a.Text
	}
	text = cmp.Or(joined(chosen(q, a, optionValue, "(wrote) ")), "(none selected)")
	switch values := chosen(q, a, optionValue, ""); {
	case q.Kind == form.Many:
		return values, text
	case len(values) > 0: // it is one
		return values[0], text
	}
	return "", text
}

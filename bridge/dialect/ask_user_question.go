package dialect

import (
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// askUserQuestionForm asks by radio buttons, checkboxes and text fields
// (docs/contracts.md).
var askUserQuestionForm = Dialect{
	Name: "ask_user_question",
	fits: func(top map[string]any) bool {
		return anyQuestion(top, func(q node) bool {
			t := q.field("type").v
			return (t == "radio" || t == "checkbox" || t == "text") && q.field("id").given() && !q.field("header").given()
		})
	},
	early:  needQuestions,
	decode: decodeControls,
	encode: encodeControls,
	reject: rejectQuestions,
}

// controlTypes are the contract's words for what the form calls kinds.
var controlTypes = map[form.Kind]string{form.One: "radio", form.Many: "checkbox", form.Text: "text"}

func decodeControls(top node) form.Form {
	f := form.Form{Title: top.string("title"), Intro: top.string("description")}
	ids := unique{}
	echoes := top.questions(&f, func(n node, i int) (form.Question, object) {
		q, echo := decodeControl(n, i)
		ids.add(n.field("id"))
		return q, echo
	})
	f.Echo = mustJSON(object{{"title", some(f.Title)}, {"description", some(f.Intro)}, {"questions", echoes}})
	return f
}

func decodeControl(n node, i int) (form.Question, object) {
	q := form.Question{ID: n.string("id"), Prompt: n.string("prompt"), Optional: !n.flag("required", true), Placeholder: n.string("placeholder")}
	q.Label, q.Named = labelOf(n, i)
	if n.string("type") == "text" {
		q.Kind, q.Multiline, q.Open, q.Options = form.Text, true, true, []form.Option{}
	} else {
		decodeControlChoice(n, &q)
	}
	decodeSecret(n, &q, "text", "default")
	var initially any = absent{}
	if d := n.field("default"); d.given() {
		initially = decodeControlDefault(&q, d)
	}
	return q, object{{"id", q.ID}, {"type", controlTypes[q.Kind]}, {"prompt", q.Prompt}, {"label", q.Label},
		{"options", echoOptions(q.Options, true)}, {"allowOther", q.Other != ""}, {"required", !q.Optional},
		{"placeholder", some(q.Placeholder)}, {"secret", some(q.Secret)}, {"default", initially}}
}

func decodeControlChoice(n node, q *form.Question) {
	q.Kind, q.Options = form.One, n.options()
	if n.string("type") == "checkbox" {
		q.Kind = form.Many
	}
	if n.flag("allowOther", true) {
		q.Other = otherDots
	} else if len(q.Options) == 0 {
		n.field("options").fail("expected at least one, since allowOther is false")
	}
}

// decodeControlDefault sets what q starts with and returns it for the echo.
func decodeControlDefault(q *form.Question, n node) any {
	if q.Kind == form.Many {
		values := []string{}
		var chosen []int
		for _, item := range n.array() {
			value := item.optionalText()
			if i, ok := valueIndex(q, item, value); ok {
				values, chosen = append(values, value), append(chosen, i)
			}
		}
		slices.Sort(chosen)
		q.Initial, q.Preset = form.Choose(slices.Compact(chosen)...), len(chosen) > 0
		return values
	}
	text := n.optionalText()
	if q.Kind == form.One {
		q.Preset = true
		if i, ok := valueIndex(q, n, text); ok {
			q.Initial = form.Choose(i)
		}
	} else if q.Preset = !blank(text); q.Preset {
		q.Initial = form.Type(text)
	}
	return text
}

// valueIndex finds the option of that value; that there is none is recorded at
// n, with the values that there are. It is silent where n holds no string,
// which has been recorded.
func valueIndex(q *form.Question, n node, value string) (int, bool) {
	if _, isText := n.v.(string); !isText {
		return 0, false
	}
	i := slices.IndexFunc(q.Options, func(o form.Option) bool { return o.Value == value })
	if i < 0 {
		n.fail("%q names no option; there are %s", value, quotedOptions(q, optionValue))
	}
	return i, i >= 0
}

func encodeControls(f *form.Form, r form.Result, _ Context) Reply {
	answers, lines := []object{}, []string{}
	if r.Outcome == form.Answered {
		for i, a := range r.Answers {
			q := &f.Questions[i]
			value, text := encodeControl(q, a)
			answers = append(answers, object{{"id", q.ID}, {"type", controlTypes[q.Kind]}, {"value", value},
				{"wasCustom", q.Kind == form.Text || a.Text != nil}})
			lines = append(lines, q.Label+": "+text)
		}
	}
	details := object{{"title", some(f.Title)}, {"questions", echoed(f, "questions")}, {"answers", answers},
		{"cancelled", r.Outcome != form.Answered}, {"reason", some(r.Reason)}}
	switch r.Outcome {
	case form.Answered:
		return Reply{Text: strings.Join(lines, "\n"), Details: mustJSON(details)}
	case form.Unavailable: // this contract gives the text whole; why stands in the details
		return Reply{Text: noUI + " (running in non-interactive mode)", Details: mustJSON(details), IsError: true}
	}
	return unanswered("User cancelled the form", f, r, details)
}

// encodeControl is an answer as data and as the model reads it. One that was
// left empty, as an optional one may be, reads so.
func encodeControl(q *form.Question, a form.Answer) (value any, text string) {
	if q.Kind == form.Text {
		if a.Text == nil {
			return "", "(empty)"
		}
		return *a.Text, *a.Text
	}
	values, parts := chosen(q, a, optionValue, ""), chosen(q, a, optionValue, "(wrote) ")
	const none = "(none selected)"
	switch {
	case q.Kind == form.Many && len(values) == 0:
		return values, none
	case q.Kind == form.Many:
		return values, joined(parts)
	case len(values) == 0:
		return "", none
	}
	return values[0], parts[0]
}

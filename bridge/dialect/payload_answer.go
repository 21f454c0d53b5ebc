package dialect

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// answerAny decodes an answer by the question's kind.
func answerAny(q *form.Question, n node) form.Answer {
	switch q.Kind {
	case form.Many:
		return answerMany(q, n)
	case form.Number:
		return answerNumber(n)
	case form.Text:
		return answerText(q, n)
	}
	if s, isText := n.v.(string); isText && s == "" && q.Optional {
		return form.Answer{Empty: true}
	}
	return answerOne(q, n)
}

// answerOne decodes the answer to a choose-one question: an option's value or
// label, bare or as {"mode":"option","value":…}, or typed text as
// {"mode":"other","text":…}. For a confirm_enum true is affirm.
func answerOne(q *form.Question, n node) form.Answer {
	if choice, isChoice := pick(q, n); isChoice {
		return choice
	}
	if !n.object() {
		return form.Answer{}
	}
	mode, value := n.field("mode"), n.field("value")
	switch kind := mode.optionalText(); {
	case kind == "other", kind == "" && n.field("text").given():
		return typed(n.field("text"))
	case kind == "option", kind == "" && value.given():
		if _, isBool := value.v.(bool); isBool && isConfirm(q) || value.text() != "" {
			choice, _ := pick(q, value)
			return choice
		}
	case kind != "":
		mode.fail("expected \"option\" or \"other\", got %q", kind)
	default:
		n.fail("expected a value or a text")
	}
	return form.Answer{}
}

// isConfirm reports whether q was a confirm_enum: its two options are worth
// affirm and decline, whatever they are called.
func isConfirm(q *form.Question) bool {
	return q.Kind == form.One && len(q.Options) == 2 &&
		q.Options[0].Value == confirmValues[0] && q.Options[1].Value == confirmValues[1]
}

// pick is the choice of the option that n names, which a string does, and a
// boolean for a confirm_enum. That there is none of that name is recorded.
func pick(q *form.Question, n node) (choice form.Answer, isChoice bool) {
	if yes, isBool := n.v.(bool); isBool && isConfirm(q) {
		if yes {
			return form.Choose(0), true
		}
		return form.Choose(1), true
	}
	s, isText := n.v.(string)
	if !isText {
		return form.Answer{}, false
	}
	if s == "" {
		n.fail("expected a non-empty string")
		return form.Answer{}, true
	}
	if i, ok := q.Option(s); ok {
		return form.Choose(i), true
	}
	instead := ""
	if q.Other != "" {
		instead = "; for an answer in other words send {\"mode\":\"other\",\"text\":…}"
	}
	none := "none of the options"
	if isConfirm(q) {
		none = `neither "affirm" nor "decline"`
	}
	n.fail("%q is %s (%s)%s", clip(s), none, labels(q), instead)
	return form.Answer{}, true
}

// typed is the text at n, which must hold something.
func typed(n node) form.Answer {
	text, ok := n.v.(string)
	if !ok || blank(text) {
		n.fail("expected a non-empty string, got %s", n.kind())
	}
	return form.Type(text)
}

// answerMany decodes an array, each item as for choose-one. One of them may be
// typed text.
func answerMany(q *form.Question, n node) (a form.Answer) {
	items, before := n.array(), len(*n.errs)
	if list, isList := n.v.([]any); isList && len(list) == 0 {
		if !q.Optional {
			n.fail("expected at least one choice in the array")
		}
		return form.Answer{Empty: true}
	}
	for _, item := range items {
		one := answerOne(q, item)
		switch {
		case len(*n.errs) > before:
		case one.Text != nil && a.Text != nil:
			item.fail("a second typed text; there can be one")
		case one.Text != nil:
			a.Text = one.Text
		case slices.Contains(a.Choices, one.Choices[0]):
			item.fail("%q is chosen twice", q.Options[one.Choices[0]].Label)
		default:
			a.Choices = append(a.Choices, one.Choices[0])
		}
	}
	slices.Sort(a.Choices)
	return a
}

// answerNumber decodes a number, or a string that is one.
func answerNumber(n node) form.Answer {
	n = bare(n)
	text := ""
	switch v := n.v.(type) {
	case json.Number:
		return form.Count(n.finite())
	case string:
		text = strings.TrimSpace(v)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		n.fail("expected a number, got %s", n.quoted())
		return form.Answer{}
	}
	return form.Count(f)
}

// answerText decodes a text. For an optional question an empty one is an answer.
func answerText(q *form.Question, n node) form.Answer {
	n = bare(n)
	if s, ok := n.v.(string); ok && blank(s) && q.Optional {
		return form.Answer{Empty: true}
	}
	return typed(n)
}

// bare is the value in {"mode":…,"value"|"text":…}, or n itself.
func bare(n node) node {
	for _, name := range []string{"text", "value"} {
		if inner := n.field(name); inner.given() {
			return inner
		}
	}
	return n
}

// answerDanger decodes the text that confirms a dangerous choice. What would
// choose an option is refused: the form has none to choose then.
func answerDanger(q *form.Question, n node) form.Answer {
	if items, isList := n.v.([]any); isList && q.Kind == form.Many && len(items) == 1 {
		n = n.list()[0]
	}
	switch n.v.(type) {
	case string:
		return typed(n)
	case map[string]any:
		if mode := n.field("mode").v; mode == "other" || mode == nil && n.field("text").given() {
			return typed(n.field("text"))
		}
	}
	n.fail(`this question is dangerous; expected the name of what is at stake, as a string or as {"mode":"other","text":…}, got %s`, n.kind())
	return form.Answer{}
}

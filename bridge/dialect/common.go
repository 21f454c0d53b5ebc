package dialect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// form reads what every dialect's request says in the same way into f. A member
// that a dialect does not have is gone by then. A form of several questions ends on
// a review.
func (n node) form(f *form.Form) {
	f.Title, f.Intro = n.string("title"), cmp.Or(n.string("intro"), n.string("description"))
	n.distinct("questions", "id")
	for i, n := range n.field("questions").list() {
		f.Questions = append(f.Questions, n.question(i))
	}
	f.Review = len(f.Questions) > 1
}

// kinds has the contracts' types of questions. Without a type it is a choice of one.
var kinds = map[string]form.Kind{
	"": form.One, selectOne: form.One, confirmEnum: form.One, "radio": form.One, choiceType: form.One,
	selectMany: form.Many, "checkbox": form.Many, numberType: form.Number, freeText: form.Text, textType: form.Text,
}

// question reads what is the same in every dialect, of question i.
func (n node) question(i int) form.Question {
	q := form.Question{
		ID: n.string("id"), Label: cmp.Or(n.string("header"), n.string("label")), Prompt: cmp.Or(n.string("question"), n.string("prompt")),
		Description: n.string("description"), Kind: kinds[n.string("type")], Options: []form.Option{}, Placeholder: n.string("placeholder"),
		Optional: n.field("required").v == false, Dangerous: n.flag("is_dangerous"),
	}
	if blank(q.Label) {
		q.Label = fmt.Sprintf("Q%d", i+1)
	} else {
		q.Named = !repeats(q.Label, q.Prompt)
	}
	switch {
	case q.Kind == form.One && (n.flag("multi") || n.flag("multiSelect")):
		q.Kind = form.Many
	case q.Kind == form.Text:
		q.Multiline = n.field("multiline").v != false
	}
	if q.Kind == form.One || q.Kind == form.Many {
		q.Options = n.options()
	}
	n.secret(&q)
	return q
}

// repeats reports whether a label is the prompt, or that cut, and so names nothing.
func repeats(label, prompt string) bool {
	begins, cut := strings.CutSuffix(label, "…")
	return label == prompt || cut && strings.HasPrefix(prompt, begins)
}

// options reads those of a question. The label stands in for a value that is absent.
func (n node) options() []form.Option {
	all := []form.Option{} // none at all reads as [] in the details
	for _, o := range n.field("options").list() {
		option := form.Option{Value: o.string("value"), Label: o.string("label"), Emoji: o.string("emoji"), Description: o.string("description")}
		if blank(option.Value) {
			option.Value = option.Label
		}
		p, content := o.field("preview"), cmp.Or(o.string("preview"), o.string("details")) // two names of one thing
		switch _, typed := p.v.(map[string]any); {
		case typed:
			option.Preview = &form.Preview{Type: p.string("type"), Content: p.string("content")}
		case content != "":
			option.Preview = &form.Preview{Content: content}
			o.drop("details")
			o.set("preview", content)
		}
		all = append(all, option)
	}
	return all
}

// withoutOther takes the agent's own Other out of q's options, and returns the options
// as a normalised request has them: that one is the last, or ours where there is none.
func (n node) withoutOther(q *form.Question) (members []any) {
	labels, all := unique{}, q.Options
	var other any = map[string]any{"label": otherLabel}
	q.Options, q.Other = []form.Option{}, ""
	for i, o := range n.field("options").list() {
		switch isOther := strings.EqualFold(strings.TrimSpace(all[i].Label), otherLabel); {
		case !isOther:
			labels.add(o.field("label"))
			q.Options, members = append(q.Options, all[i]), append(members, o.v)
		case q.Other == "":
			other, q.Other = o.v, all[i].Label
		}
	}
	q.Other = cmp.Or(q.Other, otherLabel)
	return append(members, other)
}

// starts reads the named member: the values, or the text, that q starts with and that
// count as the answer until the person says otherwise. Once says that no value may
// come twice.
func (n node) starts(name string, q *form.Question, once bool) {
	switch member := n.field(name); {
	case !member.given():
	case q.Kind == form.Many:
		member.is("an array")
		var indexes []int
		values := []string{}
		for _, item := range member.list() {
			switch i, ok := item.value(q); {
			case ok && once && slices.Contains(indexes, i):
				item.fail("duplicate %s %q", name, item.v)
			case ok:
				indexes, values = append(indexes, i), append(values, q.Options[i].Value)
			}
		}
		n.set(name, values)
		slices.Sort(indexes)
		q.Initial = form.Choose(slices.Compact(indexes)...)
	case q.Kind == form.One:
		if i, ok := member.value(q); ok {
			q.Initial = form.Choose(i)
		}
	default:
		if text := member.optionalText(); !blank(text) {
			q.Initial = form.Type(text)
		}
	}
	q.Preset = q.Initial.Given()
}

// value finds the option of q whose value stands at n, or records those that there are.
func (n node) value(q *form.Question) (i int, ok bool) {
	text := n.optionalText()
	if i = slices.IndexFunc(q.Options, func(o form.Option) bool { return o.Value == text }); i < 0 && n.v == text {
		n.fail("%q names no option; there are %s", text, quotedOptions(q, optionValue))
	}
	return i, i >= 0
}

// secret takes our extension secret over into q, which must be a text that starts
// empty: what is typed there is masked, and kept in no draft, history or log.
func (n node) secret(q *form.Question) {
	text := textType
	if n.has("question") {
		text = freeText
	}
	switch {
	case !n.flag("secret"):
		n.drop("secret")
	case q.Kind != form.Text:
		n.field("secret").fail("only allowed for type %s", text)
	default:
		for _, starts := range []string{"default", "recommendation"} {
			if n.has(starts) {
				n.field(starts).fail("a secret starts empty")
			}
		}
		q.Secret, q.Multiline = true, false
		if n.has("multiline") {
			n.set("multiline", false)
		}
	}
}

func optionValue(o form.Option) string { return o.Value }
func optionLabel(o form.Option) string { return o.Label }

// chosen lists the choices of an answer, by what name returns, and its text, after mark.
func chosen(q *form.Question, a form.Answer, name func(form.Option) string, mark string) []string {
	all := []string{}
	for _, i := range a.Choices {
		all = append(all, name(q.Options[i]))
	}
	if a.Text != nil {
		all = append(all, mark+*a.Text)
	}
	return all
}

// quotedOptions lists the options for an error.
func quotedOptions(q *form.Question, name func(form.Option) string) string {
	var all []string
	for _, o := range q.Options {
		all = append(all, strconv.Quote(name(o)))
	}
	return cmp.Or(joined(all), "none")
}

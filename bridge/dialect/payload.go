package dialect

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// Answers decodes an `askpane answer` payload: an object keyed by question id
// or 0-based index, bare or wrapped in {"answers":…} or
// {"question_response":{"answers":…}}. It is as strict as the form: every
// question must be answered, and with something the form would take.
func (d *Dialect) Answers(f *form.Form, raw []byte) ([]form.Answer, error) {
	v, err := parse(raw)
	if err != nil {
		return nil, err
	}
	var errs []error
	top := node{v: v, path: "answers", errs: &errs}
	if !top.object() {
		return nil, join(errs)
	}
	given := unwrap(f, top)
	if !given.object() {
		return nil, join(errs)
	}
	answers := make([]form.Answer, len(f.Questions))
	used := map[string]bool{"notes": true}
	for i := range f.Questions {
		q := &f.Questions[i]
		key := keyOf(f, given, i)
		used[key] = true
		for _, k := range []string{q.ID, strconv.Itoa(i)} {
			if n := given.field(k); !n.missing && n.v == nil {
				used[k] = true // a null is no answer, and no question of another name either
			}
		}
		if key == "" {
			given.fail("missing the answer to %q (key it by %q or %q)", q.ID, q.ID, strconv.Itoa(i))
			continue
		}
		n := given.field(key)
		before := len(errs)
		answers[i] = d.answer(q, n)
		if len(errs) == before {
			if err := q.Check(answers[i]); err != nil {
				n.fail("the answer %v", err)
			}
		}
	}
	members, _ := given.v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if !used[key] {
			given.field(key).fail("no such question; there are %s", ids(f))
		}
	}
	if len(errs) > 0 {
		return nil, join(errs)
	}
	return answers, nil
}

// unwrap strips the two known wrappers, unless a question goes by that name.
func unwrap(f *form.Form, n node) node {
	for _, wrapper := range []string{"question_response", "answers"} {
		isQuestion := slices.ContainsFunc(f.Questions, func(q form.Question) bool { return q.ID == wrapper })
		if inner := n.field(wrapper); inner.given() && !isQuestion {
			inner.path = strings.TrimPrefix(inner.path, "answers.")
			n = inner
		}
	}
	return n
}

// keyOf is the key under which question i is answered: its id, else its index
// where no question has that index as its id. Empty means not at all.
func keyOf(f *form.Form, given node, i int) string {
	if given.field(f.Questions[i].ID).given() {
		return f.Questions[i].ID
	}
	index := strconv.Itoa(i)
	taken := slices.ContainsFunc(f.Questions, func(q form.Question) bool { return q.ID == index })
	if !taken && given.field(index).given() {
		return index
	}
	return ""
}

// answerChoice decodes the answer to a choose-one question: an option's value
// or label, bare or as {"mode":"option","value":…}, or typed text as
// {"mode":"other","text":…}.
func answerChoice(q *form.Question, n node) form.Answer {
	if s, ok := n.v.(string); ok {
		return pick(q, n, s)
	}
	if !n.object() {
		return form.Answer{}
	}
	mode := n.field("mode")
	switch kind := mode.optionalText(); {
	case kind == "other", kind == "" && n.field("text").given():
		text, ok := n.field("text").v.(string)
		if !ok || strings.TrimSpace(text) == "" {
			n.field("text").fail("expected a non-empty string, got %s", n.field("text").kind())
		}
		return form.Type(text)
	case kind == "option", kind == "" && n.field("value").given():
		if value := n.field("value").text(); value != "" {
			return pick(q, n.field("value"), value)
		}
	case kind != "":
		mode.fail("expected \"option\" or \"other\", got %q", kind)
	default:
		n.fail("expected a value or a text")
	}
	return form.Answer{}
}

func pick(q *form.Question, n node, s string) form.Answer {
	if s == "" {
		n.fail("expected a non-empty string")
		return form.Answer{}
	}
	i, ok := q.Option(s)
	if !ok {
		var labels []string
		for _, o := range q.Options {
			labels = append(labels, strconv.Quote(o.Label))
		}
		n.fail("%q is none of the options (%s); for an answer in other words send {\"mode\":\"other\",\"text\":…}",
			s, strings.Join(labels, ", "))
		return form.Answer{}
	}
	return form.Choose(i)
}

func ids(f *form.Form) string {
	var all []string
	for i, q := range f.Questions {
		all = append(all, fmt.Sprintf("%q (%d)", q.ID, i))
	}
	return strings.Join(all, ", ")
}

package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// Answered reads an `askpane answer` payload, under the settings in c, into the outcome
// and the answers of f. The caller adds who gave them, and when.
//
// A payload is an object keyed by question id or 0-based index, bare or wrapped in
// {"answers":…} or {"question_response":{"answers":…}}, with optional notes keyed
// likewise. It is read as strictly as the form would: every question must be
// answered, and with something the form would take.
//
// Only an optional question may be left out, which keeps its default, or be given as null, "" or [],
// which does not. A form that may be sent with questions open takes null for one that is to stay
// open; the outcome then tells so.
func Answered(c Context, f *form.Form, raw []byte) (form.Result, error) {
	d, err := ByName(f.Dialect)
	if err != nil {
		return form.Result{}, err
	}
	v, err := parse(raw)
	if err != nil {
		return form.Result{}, err
	}
	var errs faults
	r := form.Result{Outcome: form.Answered, Answers: payload{d.of(f), f, c}.answers(node{v: v, path: "answers", errs: &errs})}
	if err := errs.error(); err != nil {
		return form.Result{}, err
	}
	if f.Partial && len(f.Missing(r.Answers)) > 0 {
		r.Outcome = form.NeedsDiscussion
	}
	return r, nil
}

type payload struct {
	*Dialect
	*form.Form
	Context
}

func (p payload) answers(top node) []form.Answer {
	given, notes := p.unwrap(top)
	if !given.is("an object") {
		return nil
	}
	answers := make([]form.Answer, len(p.Questions))
	p.each(given, func(i int, n node) {
		q, before := &p.Questions[i], len(*n.errs)
		switch {
		case n.given(), n.missing && q.Optional && q.Preset:
			answers[i] = p.decodeAnswer(q, n)
			if err := q.Confirm(answers[i], p.DangerCheck); err != nil && len(*n.errs) == before {
				n.fail("the answer %v", err)
			}
		case !q.Optional && (n.missing || !p.Partial):
			given.fail("missing the answer to %q (key it by %q or %q)", q.ID, q.ID, strconv.Itoa(i))
		}
	})
	for _, n := range notes {
		n.path = "notes"
		if n.given() && n.is("an object") && p.Remarks != form.NoRemarks {
			p.each(n, func(i int, note node) {
				if !note.missing {
					answers[i].Note = strings.TrimSpace(note.optionalText())
				}
			})
		}
	}
	return answers
}

// unwrap strips the two known wrappers, unless a question goes by that name,
// and finds the notes, which may stand in each of them.
func (p payload) unwrap(n node) (answers node, notes []node) {
	for _, wrapper := range []string{"question_response", "answers"} {
		inner := n.field(wrapper)
		if !inner.given() || p.asks(wrapper) {
			continue
		}
		notes = append(notes, n.field("notes"))
		inner.path = strings.TrimPrefix(inner.path, "answers.")
		n = inner
	}
	if beside := n.field("notes"); !beside.missing && !p.asks("notes") {
		n.drop("notes")
		notes = append(notes, beside)
	}
	return n, notes
}

// asks reports whether the form has a question of that id.
func (p payload) asks(id string) bool {
	return slices.ContainsFunc(p.Questions, func(q form.Question) bool { return q.ID == id })
}

// each calls take with what n, an object, has for each question: under its id, else
// under its index where no question has that as its id, else, in the shape whose own
// answers are keyed so, under its text. What it has for none is recorded.
func (p payload) each(n node, take func(i int, n node)) {
	others, ids := maps.Clone(n.v.(map[string]any)), []string{}
	for i, q := range p.Questions {
		key, index := q.ID, strconv.Itoa(i)
		switch {
		case !n.field(key).missing:
		case !p.asks(index) && !n.field(index).missing:
			key = index
		case p.byPrompt && !p.asks(q.Prompt):
			key = q.Prompt
		}
		delete(others, key)
		ids = append(ids, fmt.Sprintf("%q (%d)", q.ID, i))
		take(i, n.field(key))
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		n.field(key).fail("no such question; there are %s", joined(ids))
	}
}

// decodeAnswer decodes the answer at n by the question's kind. A dangerous question
// is answered by typing, as in the form, while the setting dangerCheckEnabled is on.
func (p payload) decodeAnswer(q *form.Question, n node) form.Answer {
	switch s, isText := bare(n).v.(string); {
	case n.missing: // as in the form, where the default counts until something else is said
		return q.Initial
	case q.Optional && (n.v == "" || q.Kind == form.Text && isText && blank(s) || n.kind() == "an array" && len(n.list()) == 0):
		return form.Answer{Empty: true}
	case q.Kind == form.Number:
		return answerNumber(n)
	case q.Kind == form.Text:
		return typed(bare(n))
	case q.Dangerous && p.DangerCheck:
		return answerDanger(q, n)
	case q.Kind == form.Many:
		return answerMany(q, n)
	}
	return answerOne(q, n)
}

// answerOne decodes the answer to a choose-one question: an option's value or
// label, bare or as {"mode":"option","value":…}, or typed text as
// {"mode":"other","text":…}.
func answerOne(q *form.Question, n node) form.Answer {
	if _, isObject := n.v.(map[string]any); !isObject {
		return pick(q, n)
	}
	mode, value := n.field("mode"), n.field("value")
	switch kind := mode.optionalText(); {
	case kind == "other", kind == "" && n.field("text").given():
		return typed(n.field("text"))
	case kind != "" && kind != "option":
		mode.fail("expected \"option\" or \"other\", got %q", kind)
	case value.given():
		return pick(q, value)
	default:
		n.fail("expected a value or a text")
	}
	return form.Answer{}
}

// pick chooses the option that n names, by a string, or a boolean for a confirm_enum,
// whose two options have the values affirm, which true is, and decline, whatever their
// labels are. It records that there is none.
func pick(q *form.Question, n node) form.Answer {
	s, _ := n.v.(string)
	confirm := q.Kind == form.One && len(q.Options) == 2 &&
		q.Options[0].Value == confirmValues[0] && q.Options[1].Value == confirmValues[1]
	if yes, isBool := n.v.(bool); isBool {
		s = strconv.FormatBool(yes)
		if confirm {
			s = text.If(yes, confirmValues[0], confirmValues[1])
		}
	}
	switch i, known := q.Option(s); {
	case known:
		return form.Choose(i)
	case n.v == s && blank(s):
		n.fail("expected a non-empty string, got a blank one")
	default:
		none, instead := "none of the options", ""
		if confirm {
			none = `neither "affirm" nor "decline"`
		}
		if q.Other != "" {
			instead = "; for an answer in other words send {\"mode\":\"other\",\"text\":…}"
		}
		n.fail("%s is %s (%s)%s", n.quoted(), none, quotedOptions(q, optionLabel), instead)
	}
	return form.Answer{}
}

// typed answers with the text at n, which must hold something.
func typed(n node) form.Answer {
	text, ok := n.v.(string)
	if !ok || blank(text) {
		n.fail("expected a non-empty string, got %s", n.quoted())
	}
	return form.Type(text)
}

// answerMany decodes an array, each item as for choose-one. One of them may be
// typed text.
func answerMany(q *form.Question, n node) (a form.Answer) {
	items, before := n.list(), len(*n.errs)
	if n.is("an array") && len(items) == 0 {
		n.fail("expected at least one choice in the array")
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
	if _, isNumber := n.v.(json.Number); isNumber {
		return form.Count(n.finite())
	}
	text, _ := n.v.(string)
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		n.fail("expected a number, got %s", n.quoted())
	}
	return form.Count(f)
}

// bare returns the value in {"mode":…,"value"|"text":…}, or n itself.
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
	if items := n.list(); q.Kind == form.Many && len(items) == 1 {
		n = items[0]
	}
	mode, text := n.field("mode").v, n.field("text")
	switch _, isText := n.v.(string); {
	case isText:
		return typed(n)
	case mode == "other", mode == nil && text.given():
		return typed(text)
	}
	n.fail(`this question is dangerous; expected the name of what is at stake, as a string or as {"mode":"other","text":…}, got %s`, n.kind())
	return form.Answer{}
}

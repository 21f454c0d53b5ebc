package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// AnswersIn decodes an `askpane answer` payload under the settings in c: an object
// keyed by question id or 0-based index, bare or wrapped in {"answers":…} or
// {"question_response":{"answers":…}}, with optional notes keyed likewise. It is
// as strict as the form: every question must be answered, and with something the
// form would take.
//
// Only an optional question may be left out, or be given as null, "" or []. A
// form that may be sent with questions open takes null for one that is to stay
// open; Outcome then tells how the form ends.
func (d *Dialect) AnswersIn(c Context, f *form.Form, raw []byte) ([]form.Answer, error) {
	v, err := parse(raw)
	if err != nil {
		return nil, err
	}
	var errs []error
	answers := payload{d.of(f), f, c}.answers(node{v: v, path: "answers", errs: &errs})
	if len(errs) > 0 {
		return nil, join(errs)
	}
	return answers, nil
}

// Outcome is how a form ends that was sent with answers, which AnswersIn has passed.
func Outcome(f *form.Form, answers []form.Answer) form.Outcome {
	if f.Partial && len(f.Missing(answers)) > 0 {
		return form.NeedsDiscussion
	}
	return form.Answered
}

// Answered is how f ends with a payload as AnswersIn takes it, under the settings in
// c: the outcome and the answers. Who gave them, and when, is left to be said.
func Answered(c Context, f *form.Form, raw []byte) (form.Result, error) {
	d, err := ByName(f.Dialect)
	if err != nil {
		return form.Result{}, err
	}
	answers, err := d.AnswersIn(c, f, raw)
	return form.Result{Outcome: Outcome(f, answers), Answers: answers}, err
}

// payload is what a payload is read by.
type payload struct {
	*Dialect
	*form.Form
	Context
}

func (p payload) answers(top node) []form.Answer {
	if !top.object() {
		return nil
	}
	given, notes := p.unwrap(top)
	if !given.object() {
		return nil
	}
	beside := given.field("notes")
	_, isNotes := beside.v.(map[string]any)
	used := map[string]bool{"notes": isNotes || !beside.given()}
	answers := make([]form.Answer, len(p.Questions))
	for i := range answers {
		key := p.keyOf(given, i)
		if key != "" {
			used[key] = true
		}
		answers[i] = p.answerTo(&p.Questions[i], given, key, strconv.Itoa(i))
	}
	p.refuseOthers(given, used)
	for _, n := range notes {
		p.annotate(n, answers)
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
		if beside := n.field("notes"); beside.given() {
			notes = append(notes, beside)
		}
		inner.path = strings.TrimPrefix(inner.path, "answers.")
		n = inner
	}
	if beside := n.field("notes"); beside.given() && !p.asks("notes") {
		notes = append(notes, beside)
	}
	return n, notes
}

// asks reports whether the form has a question of that id.
func (p payload) asks(id string) bool {
	return slices.ContainsFunc(p.Questions, func(q form.Question) bool { return q.ID == id })
}

// keyOf is the key under which question i is answered: its id, else its index
// where no question has that index as its id, else, in the shape whose own
// answers are keyed so, its text. Empty means not at all.
func (p payload) keyOf(given node, i int) string {
	has := func(key string) bool { return !given.field(key).missing }
	q, index := &p.Questions[i], strconv.Itoa(i)
	switch {
	case has(q.ID):
		return q.ID
	case !p.asks(index) && has(index):
		return index
	case p.byPrompt && !p.asks(q.Prompt) && has(q.Prompt):
		return q.Prompt
	}
	return ""
}

// answerTo is the answer to q, which stands under key, if anywhere.
func (p payload) answerTo(q *form.Question, given node, key, index string) form.Answer {
	n := given.field(key)
	if key == "" || !n.given() {
		if !q.Optional && (!p.Partial || key == "") {
			given.fail("missing the answer to %q (key it by %q or %q)", q.ID, q.ID, index)
		}
		return form.Answer{}
	}
	before := len(*n.errs)
	a := p.decodeAnswer(q, n)
	if len(*n.errs) == before {
		if err := q.Check(a); err != nil {
			n.fail("the answer %v", err)
		}
	}
	return a
}

// decodeAnswer decodes the answer at n by the question's kind. A dangerous question
// is answered by typing, as in the form, while the setting dangerCheckEnabled is on.
func (p payload) decodeAnswer(q *form.Question, n node) form.Answer {
	switch {
	case q.Kind == form.Number:
		return answerNumber(n)
	case q.Kind == form.Text:
		return answerText(q, n)
	case q.Dangerous && p.DangerCheck:
		return answerDanger(q, n)
	case q.Kind == form.Many:
		return answerMany(q, n)
	case n.v == "" && q.Optional:
		return form.Answer{Empty: true}
	}
	return answerOne(q, n)
}

// annotate adds notes to the answers, where the form takes any.
func (p payload) annotate(n node, answers []form.Answer) {
	n.path = "notes"
	if p.Remarks == form.NoRemarks || !n.object() {
		return
	}
	used := map[string]bool{}
	for i := range answers {
		if key := p.keyOf(n, i); key != "" {
			used[key] = true
			answers[i].Note = strings.TrimSpace(n.field(key).optionalText())
		}
	}
	p.refuseOthers(n, used)
}

// refuseOthers records the members of n that belong to no question.
func (p payload) refuseOthers(n node, used map[string]bool) {
	var ids []string
	for i, q := range p.Questions {
		ids = append(ids, fmt.Sprintf("%q (%d)", q.ID, i))
	}
	for _, key := range slices.Sorted(maps.Keys(n.v.(map[string]any))) {
		if !used[key] {
			n.field(key).fail("no such question; there are %s", joined(ids))
		}
	}
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
		if choice, isChoice := pick(q, value); isChoice {
			return choice
		}
		value.fail("expected a non-empty string, got %s", value.kind())
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
	if blank(s) {
		n.fail("expected a non-empty string, got a blank one")
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
	n.fail("%q is %s (%s)%s", clip(s), none, quotedOptions(q, optionLabel), instead)
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

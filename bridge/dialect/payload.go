package dialect

import (
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

// decodeAnswer decodes the answer at n. A dangerous question is answered by
// typing, as in the form, while the setting dangerCheckEnabled is on.
func (p payload) decodeAnswer(q *form.Question, n node) form.Answer {
	if q.Dangerous && p.DangerCheck && (q.Kind == form.One || q.Kind == form.Many) {
		return answerDanger(q, n)
	}
	return answerAny(q, n)
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

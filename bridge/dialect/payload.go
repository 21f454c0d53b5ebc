package dialect

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// AnswersIn decodes an `askpane answer` payload: an object keyed by question id
// or 0-based index, bare or wrapped in {"answers":…} or
// {"question_response":{"answers":…}}, with optional notes keyed likewise. It is
// as strict as the form: every question must be answered, and with something the
// form would take.
//
// Only an optional question may be left out, or be given as null, "" or []. A
// form that may be sent with questions open takes null for one that is to stay
// open; Outcome then tells how the form ends.
func (d *Dialect) AnswersIn(c Context, f *form.Form, raw []byte) ([]form.Answer, error) {
	d = d.of(f)
	v, err := parse(raw)
	if err != nil {
		return nil, err
	}
	var errs []error
	top := node{v: v, path: "answers", errs: &errs}
	if !top.object() {
		return nil, join(errs)
	}
	given, notes := unwrap(f, top)
	if !given.object() {
		return nil, join(errs)
	}
	answers := make([]form.Answer, len(f.Questions))
	used := map[string]bool{}
	for i := range f.Questions {
		q := &f.Questions[i]
		key := d.keyOf(f, given, i)
		n := given.field(key)
		used[key] = key != ""
		if key == "" || !n.given() {
			if !q.Optional && (!f.Partial || key == "") {
				given.fail("missing the answer to %q (key it by %q or %q)", q.ID, q.ID, strconv.Itoa(i))
			}
			continue
		}
		before := len(errs)
		answers[i] = d.answerTo(q, n, c)
		if len(errs) == before {
			if err := q.Check(answers[i]); err != nil {
				n.fail("the answer %v", err)
			}
		}
	}
	if _, isNotes := given.field("notes").v.(map[string]any); isNotes || !given.field("notes").given() {
		used["notes"] = true
	}
	members, _ := given.v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if !used[key] {
			given.field(key).fail("no such question; there are %s", ids(f))
		}
	}
	for _, n := range notes {
		d.annotate(f, n, answers)
	}
	if len(errs) > 0 {
		return nil, join(errs)
	}
	return answers, nil
}

// Outcome is how a form ends that was sent with answers, which Answers has passed.
func Outcome(f *form.Form, answers []form.Answer) form.Outcome {
	if f.Partial && len(f.Missing(answers)) > 0 {
		return form.NeedsDiscussion
	}
	return form.Answered
}

// Answered is how f ends with a payload as Answers takes it, under the settings in
// c: the outcome and the answers. Who gave them, and when, is left to be said.
func Answered(c Context, f *form.Form, raw []byte) (form.Result, error) {
	d, err := ByName(f.Dialect)
	if err != nil {
		return form.Result{}, err
	}
	answers, err := d.AnswersIn(c, f, raw)
	return form.Result{Outcome: Outcome(f, answers), Answers: answers}, err
}

// unwrap strips the two known wrappers, unless a question goes by that name,
// and finds the notes, which may stand in each of them.
func unwrap(f *form.Form, n node) (answers node, notes []node) {
	isQuestion := func(name string) bool {
		return slices.ContainsFunc(f.Questions, func(q form.Question) bool { return q.ID == name })
	}
	for _, wrapper := range []string{"question_response", "answers"} {
		inner := n.field(wrapper)
		if !inner.given() || isQuestion(wrapper) {
			continue
		}
		if beside := n.field("notes"); beside.given() {
			notes = append(notes, beside)
		}
		inner.path = strings.TrimPrefix(inner.path, "answers.")
		n = inner
	}
	if beside := n.field("notes"); beside.given() && !isQuestion("notes") {
		notes = append(notes, beside)
	}
	return n, notes
}

// keyOf is the key under which question i is answered: its id, else its index
// where no question has that index as its id, else, in the shape whose own
// answers are keyed so, its text. Empty means not at all.
func (d *Dialect) keyOf(f *form.Form, given node, i int) string {
	has := func(key string) bool { return !given.field(key).missing }
	taken := func(key string) bool {
		return slices.ContainsFunc(f.Questions, func(q form.Question) bool { return q.ID == key })
	}
	q := &f.Questions[i]
	index := strconv.Itoa(i)
	switch {
	case has(q.ID):
		return q.ID
	case !taken(index) && has(index):
		return index
	case d.byPrompt && !taken(q.Prompt) && has(q.Prompt):
		return q.Prompt
	}
	return ""
}

// annotate adds notes to the answers, where the form takes any.
func (d *Dialect) annotate(f *form.Form, n node, answers []form.Answer) {
	n.path = "notes"
	if f.Remarks == form.NoRemarks || !n.object() {
		return
	}
	used := map[string]bool{}
	for i := range f.Questions {
		if key := d.keyOf(f, n, i); key != "" {
			used[key] = true
			answers[i].Note = strings.TrimSpace(n.field(key).optionalText())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(n.v.(map[string]any))) {
		if !used[key] {
			n.field(key).fail("no such question; there are %s", ids(f))
		}
	}
}

func ids(f *form.Form) string {
	var all []string
	for i, q := range f.Questions {
		all = append(all, fmt.Sprintf("%q (%d)", q.ID, i))
	}
	return strings.Join(all, ", ")
}

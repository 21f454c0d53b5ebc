package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// askUserQuestion asks typed questions, with notes, previews and a danger check
// (docs/contracts.md). Its name stands for a second request shape, too, which is
// askUserQuestionPlain.
var askUserQuestion = Dialect{
	Name:      "AskUserQuestion",
	namesTool: true,
	fits: func(top node) bool {
		return top.anyQuestion(func(q node) bool { return q.field("header").given() && q.field("question").given() })
	},
	broad: true,
	shape: func(top node) *Dialect {
		if top.everyQuestion(isPlain) {
			return &askUserQuestionPlain
		}
		return nil
	},
	nullCounts: []string{"default", "is_dangerous"},
	early:      withdrawnTyped,
	remarks:    form.Notes,
	decode:     decodeTyped,
	cancelled:  questionnaireCancelled,
	encode:     encodeTyped,
	rejected:   rejectedTyped,
}

func rejectedTyped(error) object {
	return object{{"questions", []any{}}, {"answers", object{}}, {"lifecycle", "rejected"}}
}

const otherLabel = "Other"

// The typed question types, and what their older names became.
const (
	selectOne   = "select_one"
	selectMany  = "select_many"
	confirmEnum = "confirm_enum"
	numberType  = "number"
	freeText    = "free_text"
)

var olderTypes = map[string]string{
	"single_select": selectOne, "multi_select": selectMany, "confirm": confirmEnum, "text": freeText,
}

var previewTypes = []string{"markdown", "code", "text", "mermaid", "svg", "html"}

// withdrawnTyped names what the older version had, and drops previews of other types,
// whatever else they have.
func withdrawnTyped(top node) {
	for _, n := range top.field("questions").list() {
		if t := n.string("type"); olderTypes[t] != "" {
			n.gone("type", fmt.Sprintf("%q is now %q", t, olderTypes[t]))
		}
		n.gone("prompt", `is gone, use "question"`)
		n.gone("input_mode", `is gone, use "type"`)
		n.gone("required", "is gone: every question is required")
		for _, o := range n.field("options").list() {
			o.gone("markdown", `is gone, use "preview" with {type, content}`)
			if t, isText := o.field("preview").field("type").v.(string); isText && !slices.Contains(previewTypes, t) {
				o.drop("preview")
			}
		}
	}
}

func decodeTyped(top node, f *form.Form) {
	for i, n := range top.field("questions").list() {
		q := &f.Questions[i]
		for free := i + 1; q.ID == ""; free++ { // q1, q2… by place, and the next that no question has taken
			id := fmt.Sprintf("q%d", free)
			if !slices.ContainsFunc(f.Questions, func(q form.Question) bool { return q.ID == id }) {
				q.ID = id
			}
		}
		n.set("id", q.ID)
		decodeTypedQuestion(n, q)
	}
}

func decodeTypedQuestion(n node, q *form.Question) {
	typed := n.string("type")
	if q.Kind == form.One || q.Kind == form.Many {
		q.SelectRow = typed == selectMany
		decodeTypedOptions(n, typed, q)
	} else if n.field("options").given() {
		n.field("options").fail("not allowed for type %s", typed)
	}
	if q.Kind != form.Text {
		n.drop("placeholder", "multiline")
		q.Placeholder = ""
	}
	q.Min, q.Max = typedBound(n.field("min"), q), typedBound(n.field("max"), q)
	if q.Min != nil && q.Max != nil && *q.Min > *q.Max {
		n.field("min").fail("min %s is above max %s", plainFloat(*q.Min), plainFloat(*q.Max))
	}
	if d := n.field("default"); !d.missing {
		decodeTypedDefault(n, d, q)
	}
	if q.Dangerous {
		q.Initial = form.Answer{} // a dangerous question takes no default
	}
	expected := n.field("expected")
	q.Expected = n.string("expected")
	switch {
	case expected.given() && !q.Dangerous:
		expected.fail("only allowed with is_dangerous true")
	case text.Quoted(q.Expected, 0) != "“"+q.Expected+"”": // the person types what is shown
		expected.fail("must be one line of visible text, without typographic quotes and runs of blanks")
	}
}

func typedBound(n node, q *form.Question) *float64 {
	f, given := n.v.(float64)
	switch {
	case given && q.Kind == form.Number:
		return &f
	case given:
		n.fail("only allowed for type %s", numberType)
	}
	return nil
}

// confirmValues tell what the two options of a confirm_enum mean, by place, whatever
// their labels are.
var confirmValues = []string{"affirm", "decline"}

func decodeTypedOptions(n node, typed string, q *form.Question) {
	if typed == confirmEnum && len(q.Options) == 0 {
		n.set("options", []any{map[string]any{"label": "Affirm"}, map[string]any{"label": "Decline"}})
		q.Options = n.options()
	} else if len(q.Options) == 0 {
		n.field("options").fail("expected at least one option for type %s, got none", typed)
	}
	n.set("options", n.withoutOther(q))
	if typed != confirmEnum {
		return
	}
	if len(q.Options) != len(confirmValues) {
		n.field("options").fail("expected exactly two options for type confirm_enum (the first affirms, the second declines), got %d", len(q.Options))
	}
	for i := range min(len(q.Options), len(confirmValues)) {
		q.Options[i].Value = confirmValues[i]
	}
}

// decodeTypedDefault sets where the form starts. The person still has to confirm it.
func decodeTypedDefault(n, d node, q *form.Question) {
	text, isText := d.v.(string)
	i := slices.IndexFunc(q.Options, func(o form.Option) bool { return o.Value == text })
	labels := quotedOptions(q, optionLabel)
	switch typed := n.string("type"); {
	case typed == confirmEnum && i < 0:
		d.fail(`must be "affirm" or "decline", got %s`, d.quoted())
	case q.Kind == form.One && i < 0:
		d.fail("must be the label of an option (%s), got %s", labels, d.quoted())
	case q.Kind == form.One:
		q.Initial = form.Choose(i)
	case q.Kind == form.Many:
		q.Initial = defaultMany(d, q, labels)
	case q.Kind == form.Number:
		n.set("default", defaultNumber(d, q))
	case !isText:
		d.fail("must be a string, got %s", d.quoted())
	case !blank(text):
		q.Initial = form.Type(text)
	}
}

func defaultMany(n node, q *form.Question, labels string) form.Answer {
	if _, isList := n.v.([]any); !isList {
		n.fail("must be an array of option labels (%s), got %s", labels, n.quoted())
	}
	var chosen []int
	for _, item := range n.list() {
		text, _ := item.v.(string)
		switch i, known := q.Option(text); {
		case !known:
			item.fail("default must hold labels of options (%s), got %s", labels, item.quoted())
		case slices.Contains(chosen, i):
			item.fail("default must hold distinct labels, got %q twice", text)
		default:
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	return form.Choose(chosen...)
}

func defaultNumber(n node, q *form.Question) float64 {
	if _, isNumber := n.v.(json.Number); !isNumber {
		n.fail("must be a finite number, got %s", n.quoted())
		return 0
	}
	q.Initial = form.Count(n.finite())
	if err := q.Check(q.Initial); err != nil {
		n.fail("the default %v", err)
	}
	return *q.Initial.Number
}

// lifecycles has the contract's words for how a form ended: rejected where nobody was asked,
// and cancelled for whatever is not here. The envelope's outcome tells the rest.
var lifecycles = map[form.Outcome]string{
	form.Answered: "answered", form.Unavailable: "rejected", form.Rejected: "rejected",
}

func encodeTyped(f *form.Form, r form.Result, c Context) (text string, details object) {
	answers, notes := map[string]any{}, map[string]string{}
	var lines, remarks []string
	for i, a := range r.Answers {
		q, key := &f.Questions[i], strconv.Itoa(i)
		header := cmp.Or(q.Header, q.Label)
		if a.Given() && (!a.Empty || q.Kind == form.Many) { // several may be none
			answers[key], text = typedAnswer(q, a)
			lines = append(lines, header+": "+text)
		}
		if note := strings.TrimSpace(a.Note); note != "" {
			notes[key] = note
			remarks = append(remarks, fmt.Sprintf("note (%s): %s", header, note))
		}
	}
	if r.Outcome == form.Answered && len(lines) == 0 {
		lines = append(lines, "(no answers recorded)")
	}
	var url, port any // null where no page is up
	if c.Page != nil {
		if u, p := c.Page(); u != "" {
			url, port = u, p
		}
	}
	return strings.Join(append(lines, remarks...), "\n"), object{{"questions", echoed(f)}, {"answers", answers}, {"notes", some(notes)},
		{"lifecycle", cmp.Or(lifecycles[r.Outcome], "cancelled")}, {"url", url}, {"port", port}, {"debounceMs", c.DebounceMs}, {"reason", some(r.Reason)}}
}

const questionnaireCancelled = "User cancelled the questionnaire"

// typedAnswer writes an answer as data, a number, a text, a choice or several, and as
// the model reads it.
func typedAnswer(q *form.Question, a form.Answer) (value any, text string) {
	switch q.Kind {
	case form.Number:
		text = plainFloat(*a.Number)
		return json.Number(text), text
	case form.Text:
		return *a.Text, *a.Text
	}
	all := []object{}
	for _, i := range a.Choices {
		all = append(all, object{{"mode", "option"}, {"value", q.Options[i].Value}})
	}
	if a.Text != nil {
		all = append(all, object{{"mode", "other"}, {"text", *a.Text}})
	}
	text = joined(chosen(q, a, optionValue, "(Other) "))
	if q.Kind == form.One {
		return all[len(all)-1], text
	}
	return all, text
}

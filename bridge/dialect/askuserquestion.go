package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// askUserQuestion asks typed questions, with notes, previews and a danger check
// (docs/contracts.md). Its name stands for a second request shape, too, which is
// askUserQuestionPlain.
var askUserQuestion = Dialect{
	Name: "AskUserQuestion",
	fits: func(top map[string]any) bool {
		return anyQuestion(top, func(q node) bool { return q.field("header").given() && q.field("question").given() })
	},
	shape: func(top map[string]any) *Dialect {
		if isPlain(top) {
			return &askUserQuestionPlain
		}
		return nil
	},
	wrote: func(f *form.Form) *Dialect {
		if echoedPlain(f) {
			return &askUserQuestionPlain
		}
		return nil
	},
	nullCounts: []string{"default", "is_dangerous"},
	early:      withdrawnTyped,
	schema:     typedSchema,
	decode:     decodeTyped,
	encode:     encodeTyped,
	reject:     rejectTyped,
	answer:     answerAny,
	guidance: Guidance{
		Description: "Ask the person one to four typed questions (one option, several options, yes or no, a number, free text) in one form and wait. They can add a note to each; options can carry a preview.",
		Snippet:     "AskUserQuestion: ask the person one to four typed questions, with previews and notes",
		Guidelines: []string{
			"Ask when the work cannot go on without a decision, a preference or a permission that only the person has.",
			"Ask everything you need at this point in one call, at most four questions.",
			"Choose the type that fits: select_one, select_many, confirm_enum for yes or no, number with min and max, free_text.",
			"Keep header to a word or two; it names the question in tabs and in the result.",
			"Do not send an option like \"Other\": it is added by itself, and the person may answer in their own words.",
			"Put what there is to compare (code, a diagram, a layout) into an option's preview.",
			secretGuideline,
			"Set is_dangerous for what cannot be undone: the person must then type a name to confirm.",
			"Read the notes in the result; they often hold the condition under which an answer was given.",
		},
	},
}

func rejectTyped(err error) Reply {
	return Reply{Text: "Error: " + err.Error(), IsError: true, Details: []byte(`{"questions":[],"answers":{},"lifecycle":"rejected"}`)}
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

func typedSchema() *schema {
	return object(member{"questions!", listOf(1, 4, object(
		member{"id", most(64, nonBlank("Unique; q1, q2… if left out."))},
		member{"header!", most(20, nonBlank("A word or two that name the question."))},
		member{"question!", most(4000, nonBlank("The question in full."))},
		member{"description", most(4000, words("More about it."))},
		member{"type!", oneOf("select_one: one option; select_many: any number; confirm_enum: yes or no; number; free_text.",
			selectOne, selectMany, confirmEnum, numberType, freeText)},
		member{"options", listOf(0, 7, object(
			member{"label!", most(200, nonBlank("What the person sees, and what you get back; unique in this question."))},
			member{"description", most(2000, words("What choosing this means."))},
			member{"preview", object(
				member{"type!", words("markdown, code, text, mermaid, svg or html; a preview of another type is dropped.")},
				member{"content!", words("What it shows.")},
			)},
		))},
		member{"default", &schema{Description: "Where the form starts: an option's label, an array of labels for select_many, affirm or decline for confirm_enum, a number, a text."}},
		member{"min", number("The least that a number may be.")},
		member{"max", number("The most that a number may be.")},
		member{"placeholder", most(200, words("Shown in an empty text field."))},
		member{"multiline", yesNo("A free text may have several lines.", true)},
		secretMember(freeText),
		member{"is_dangerous", &schema{Type: "boolean", Description: "The person must type the name of what is at stake."}},
	))})
}

type typedEcho struct {
	ID          string        `json:"id"`
	Header      string        `json:"header"`
	Question    string        `json:"question"`
	Description string        `json:"description,omitempty"`
	Type        string        `json:"type"`
	Options     []typedOption `json:"options,omitempty"`
	Default     any           `json:"default,omitempty"`
	Min         *float64      `json:"min,omitempty"`
	Max         *float64      `json:"max,omitempty"`
	Placeholder string        `json:"placeholder,omitempty"`
	Multiline   *bool         `json:"multiline,omitempty"`
	Secret      bool          `json:"secret,omitempty"`
	IsDangerous *bool         `json:"is_dangerous,omitempty"`
}

type typedOption struct {
	Label       string        `json:"label"`
	Description string        `json:"description,omitempty"`
	Preview     *form.Preview `json:"preview,omitempty"`
}

// withdrawnTyped names what the older version had.
func withdrawnTyped(top node) {
	var old withdrawals
	for _, n := range elements(top.field("questions")) {
		if t, ok := n.field("type").v.(string); ok && olderTypes[t] != "" {
			old.add(n.field("type"), fmt.Sprintf("%q is now %q", t, olderTypes[t]))
		}
		old.field(n, "prompt", `is gone, use "question"`)
		old.field(n, "input_mode", `is gone, use "type"`)
		old.field(n, "required", "is gone: every question is required")
		for _, o := range elements(n.field("options")) {
			old.field(o, "markdown", `is gone, use "preview" with {type, content}`)
		}
	}
	old.report()
}

func decodeTyped(top node) form.Form {
	questions := top.field("questions").list()
	f := form.Form{Review: len(questions) > 1, Remarks: form.Notes}
	ids := unique{}
	for _, n := range questions {
		if id := n.field("id"); id.given() {
			ids.add(id, id.text())
		}
	}
	var echoes []typedEcho
	for i, n := range questions {
		q, e := decodeTypedQuestion(n)
		if q.ID == "" {
			q.ID = freeID(ids, i)
			e.ID = q.ID
		}
		f.Questions = append(f.Questions, q)
		echoes = append(echoes, e)
	}
	f.Echo = mustJSON(map[string]any{"questions": echoes})
	return f
}

// freeID is q1, q2… by place, and the next that no question has taken.
func freeID(ids unique, i int) string {
	for n := i + 1; ; n++ {
		id := fmt.Sprintf("q%d", n)
		if _, taken := ids[id]; !taken {
			ids[id] = id
			return id
		}
	}
}

func decodeTypedQuestion(n node) (form.Question, typedEcho) {
	e := typedEcho{
		ID: n.field("id").optionalText(), Header: n.field("header").text(), Question: n.field("question").text(),
		Description: n.field("description").optionalText(), Type: n.field("type").text(),
	}
	q := form.Question{ID: e.ID, Label: e.Header, Named: true, Prompt: e.Question, Description: e.Description, Options: []form.Option{}}
	if d, ok := n.field("is_dangerous").v.(bool); ok {
		e.IsDangerous, q.Dangerous = &d, d
	}
	switch e.Type {
	case numberType, freeText:
		if n.field("options").given() {
			n.field("options").fail("not allowed for type %s", e.Type)
		}
	default:
		q.Kind = form.One
		if e.Type == selectMany {
			q.Kind, q.SelectRow = form.Many, true
		}
		decodeTypedOptions(n.field("options"), &q, &e)
	}
	switch e.Type {
	case numberType:
		q.Kind = form.Number
		decodeBounds(n, &q, &e)
	case freeText:
		q.Kind, e.Placeholder = form.Text, n.field("placeholder").optionalText()
		multiline := n.field("multiline").flag(true)
		q.Placeholder, q.Multiline, e.Multiline = e.Placeholder, multiline, &multiline
	}
	if e.Type != numberType {
		for _, bound := range []string{"min", "max"} {
			if n.field(bound).given() {
				n.field(bound).fail("only allowed for type %s", numberType)
			}
		}
	}
	if e.Secret = decodeSecret(n, &q, freeText, "default"); e.Secret {
		e.Multiline = &q.Multiline
	}
	if d := n.field("default"); !d.missing {
		decodeTypedDefault(d, &q, &e)
		if q.Dangerous {
			q.Initial = form.Answer{} // a dangerous question takes no default
		}
	}
	return q, e
}

// decodeTypedOptions reads the options, without the one that stands for Other,
// which the details list last.
func decodeTypedOptions(n node, q *form.Question, e *typedEcho) {
	other := typedOption{Label: otherLabel}
	seenOther := false
	labels := unique{}
	items := n.items()
	for _, o := range items {
		option := typedOption{o.field("label").text(), o.field("description").optionalText(), decodePreview(o.field("preview"))}
		if strings.EqualFold(strings.TrimSpace(option.Label), otherLabel) {
			if !seenOther {
				other, seenOther = option, true
			}
			continue
		}
		labels.add(o.field("label"), option.Label)
		e.Options = append(e.Options, option)
	}
	if e.Type == confirmEnum {
		switch {
		case len(items) == 0:
			e.Options = []typedOption{{Label: "Affirm"}, {Label: "Decline"}}
		case len(e.Options) != 2:
			n.fail("expected exactly two options for type confirm_enum (the first affirms, the second declines), got %d", len(e.Options))
		}
	} else if len(items) == 0 {
		n.fail("expected at least one option for type %s, got none", e.Type)
	}
	for i, o := range e.Options {
		value := o.Label
		if e.Type == confirmEnum && i < len(confirmValues) {
			value = confirmValues[i]
		}
		q.Options = append(q.Options, form.Option{Value: value, Label: o.Label, Description: o.Description, Preview: o.Preview})
	}
	q.Other = other.Label
	e.Options = append(e.Options, other)
}

// confirmValues are what the two options of a confirm_enum mean, by place.
var confirmValues = []string{"affirm", "decline"}

// decodePreview drops a preview of an unknown type, and only that.
func decodePreview(n node) *form.Preview {
	if !n.given() {
		return nil
	}
	p := &form.Preview{Type: n.field("type").optionalText(), Content: n.field("content").optionalText()}
	if !slices.Contains(previewTypes, p.Type) {
		return nil
	}
	return p
}

func decodeBounds(n node, q *form.Question, e *typedEcho) {
	low, high := n.field("min"), n.field("max")
	if low.given() {
		f := low.finite()
		q.Min, e.Min = &f, &f
	}
	if high.given() {
		f := high.finite()
		q.Max, e.Max = &f, &f
	}
	if q.Min != nil && q.Max != nil && *q.Min > *q.Max {
		low.fail("min %s is above max %s", plainFloat(*q.Min), plainFloat(*q.Max))
	}
}

// decodeTypedDefault sets where the form starts. The person still has to confirm it.
func decodeTypedDefault(n node, q *form.Question, e *typedEcho) {
	text, isText := n.v.(string)
	switch e.Type {
	case selectOne:
		i := optionLabelled(q, text)
		if !isText || i < 0 {
			n.fail("must be the label of an option (%s), got %s", labels(q), quoted(n))
			return
		}
		q.Initial = form.Choose(i)
	case confirmEnum:
		i := slices.Index(confirmValues, text)
		if !isText || i < 0 {
			n.fail(`must be "affirm" or "decline", got %s`, quoted(n))
			return
		}
		q.Initial = form.Choose(i)
	case selectMany:
		if q.Initial = defaultMany(n, q); !q.Initial.Given() {
			e.Default = []string{}
			return
		}
	case numberType:
		if _, isNumber := n.v.(json.Number); !isNumber {
			n.fail("must be a finite number, got %s", quoted(n))
			return
		}
		e.Default = defaultNumber(n, q)
		return
	case freeText:
		if !isText {
			n.fail("must be a string, got %s", quoted(n))
			return
		}
		if strings.TrimSpace(text) != "" {
			q.Initial = form.Type(text)
		}
	}
	e.Default = n.v
}

func defaultMany(n node, q *form.Question) form.Answer {
	items, isList := n.v.([]any)
	if !isList {
		n.fail("must be an array of option labels (%s), got %s", labels(q), quoted(n))
		return form.Answer{}
	}
	var chosen []int
	for _, item := range elements(n) {
		text, isText := item.v.(string)
		switch i := optionLabelled(q, text); {
		case !isText || i < 0:
			item.fail("default must hold labels of options (%s), got %s", labels(q), quoted(item))
		case slices.Contains(chosen, i):
			item.fail("default must hold distinct labels, got %q twice", text)
		default:
			chosen = append(chosen, i)
		}
	}
	if len(chosen) != len(items) {
		return form.Answer{}
	}
	slices.Sort(chosen)
	return form.Choose(chosen...)
}

func defaultNumber(n node, q *form.Question) any {
	f := n.finite()
	q.Initial = form.Count(f)
	switch {
	case q.Min != nil && f < *q.Min:
		n.fail("must be at least min %s, got %s", plainFloat(*q.Min), plainFloat(f))
	case q.Max != nil && f > *q.Max:
		n.fail("must be at most max %s, got %s", plainFloat(*q.Max), plainFloat(f))
	}
	return f
}

func optionLabelled(q *form.Question, label string) int {
	return slices.IndexFunc(q.Options, func(o form.Option) bool { return o.Label == label })
}

// labels lists the options for an error.
func labels(q *form.Question) string {
	var all []string
	for _, o := range q.Options {
		all = append(all, strconv.Quote(o.Label))
	}
	return orNone(all)
}

// quoted is the value at n for an error: a text itself, else what it is.
func quoted(n node) string {
	if s, ok := n.v.(string); ok {
		return strconv.Quote(clip(s))
	}
	return n.kind()
}

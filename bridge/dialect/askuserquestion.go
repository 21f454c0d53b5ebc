package dialect

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/askpane/askpane/bridge/form"
)

// askUserQuestion asks typed questions, with notes, previews and a danger check
// (docs/contracts.md). Its name stands for a second request shape, too, which is
// askUserQuestionPlain.
var askUserQuestion = Dialect{
	Name:      "AskUserQuestion",
	namesTool: true,
	fits: func(top map[string]any) bool {
		return anyQuestion(top, func(q node) bool { return q.field("header").given() && q.field("question").given() })
	},
	shape: func(top map[string]any) *Dialect {
		if isPlain(top) {
			return &askUserQuestionPlain
		}
		return nil
	},
	nullCounts: []string{"default", "is_dangerous"},
	early:      withdrawnTyped,
	decode:     decodeTyped,
	encode:     encodeTyped,
	reject:     rejectTyped,
}

func rejectTyped(err error) Reply {
	return rejection(err, object{{"questions", []any{}}, {"answers", object{}}, {"lifecycle", "rejected"}})
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

// withdrawnTyped names what the older version had.
func withdrawnTyped(top node) {
	var old withdrawals
	for _, n := range top.field("questions").list() {
		if t := n.string("type"); olderTypes[t] != "" {
			old.add(n.field("type"), fmt.Sprintf("%q is now %q", t, olderTypes[t]))
		}
		old.field(n, "prompt", `is gone, use "question"`)
		old.field(n, "input_mode", `is gone, use "type"`)
		old.field(n, "required", "is gone: every question is required")
		for _, o := range n.field("options").list() {
			old.field(o, "markdown", `is gone, use "preview" with {type, content}`)
		}
	}
	old.report()
}

func decodeTyped(top node) form.Form {
	f := form.Form{Remarks: form.Notes}
	ids := unique{}
	for _, n := range top.field("questions").list() {
		if id := n.field("id"); id.given() {
			ids.add(id)
		}
	}
	f.Echo = mustJSON(object{{"questions", top.questions(&f, func(n node, i int) (form.Question, object) {
		t := decodeTypedQuestion(n)
		if t.ID == "" {
			t.ID = freeID(ids, i)
		}
		return t.Question, t.echo(n)
	})}})
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

// typedQuestion is a question, and what only its normalised request tells.
type typedQuestion struct {
	form.Question
	typed     string
	other     form.Option // the one that stands for Other
	initially any         // its default
}

func decodeTypedQuestion(n node) *typedQuestion {
	t := &typedQuestion{typed: n.string("type"), initially: absent{}, Question: form.Question{
		ID: n.string("id"), Label: n.string("header"), Named: true, Prompt: n.string("question"), Description: n.string("description"),
		Options: []form.Option{}, Dangerous: n.flag("is_dangerous", false),
	}}
	switch t.typed {
	case numberType:
		t.Kind = form.Number
		t.refuse(n, "options")
		t.decodeBounds(n)
	case freeText:
		t.Kind, t.Placeholder, t.Multiline = form.Text, n.string("placeholder"), n.flag("multiline", true)
		t.refuse(n, "options")
	default:
		t.Kind = form.One
		if t.typed == selectMany {
			t.Kind, t.SelectRow = form.Many, true
		}
		t.decodeOptions(n)
	}
	if t.Kind != form.Number {
		for _, bound := range []string{"min", "max"} {
			if n.field(bound).given() {
				n.field(bound).fail("only allowed for type %s", numberType)
			}
		}
	}
	decodeSecret(n, &t.Question, freeText, "default")
	if d := n.field("default"); !d.missing {
		t.decodeDefault(d)
		if t.Dangerous {
			t.Initial = form.Answer{} // a dangerous question takes no default
		}
	}
	return t
}

func (t *typedQuestion) refuse(n node, name string) {
	if n.field(name).given() {
		n.field(name).fail("not allowed for type %s", t.typed)
	}
}

// echo is the normalised request. Other is the last of its options.
func (t *typedQuestion) echo(n node) object {
	var options, multiline any = absent{}, absent{}
	switch t.Kind {
	case form.One, form.Many:
		options = echoOptions(append(slices.Clone(t.Options), t.other), false)
	case form.Text:
		multiline = t.Multiline
	}
	return object{{"id", t.ID}, {"header", t.Label}, {"question", t.Prompt}, {"description", some(t.Description)}, {"type", t.typed},
		{"options", options}, {"default", t.initially}, {"min", some(t.Min)}, {"max", some(t.Max)}, {"placeholder", some(t.Placeholder)},
		{"multiline", multiline}, {"secret", some(t.Secret)}, {"is_dangerous", n.field("is_dangerous").orAbsent()}}
}

// decodeOptions reads the options. Those of a confirm_enum are worth affirm and
// decline, whatever they are called.
func (t *typedQuestion) decodeOptions(n node) {
	var all []form.Option
	all, t.Options, t.other = n.withoutOther()
	t.Other = t.other.Label
	switch {
	case t.typed != confirmEnum && len(all) == 0:
		n.field("options").fail("expected at least one option for type %s, got none", t.typed)
	case t.typed != confirmEnum:
		return
	case len(all) == 0:
		t.Options = []form.Option{{Label: "Affirm"}, {Label: "Decline"}}
	case len(t.Options) != 2:
		n.field("options").fail("expected exactly two options for type confirm_enum (the first affirms, the second declines), got %d", len(t.Options))
	}
	for i := range min(len(t.Options), len(confirmValues)) {
		t.Options[i].Value = confirmValues[i]
	}
}

// confirmValues are what the two options of a confirm_enum mean, by place.
var confirmValues = []string{"affirm", "decline"}

func (t *typedQuestion) decodeBounds(n node) {
	bound := func(name string) *float64 {
		if !n.field(name).given() {
			return nil
		}
		f := n.field(name).finite()
		return &f
	}
	t.Min, t.Max = bound("min"), bound("max")
	if t.Min != nil && t.Max != nil && *t.Min > *t.Max {
		n.field("min").fail("min %s is above max %s", plainFloat(*t.Min), plainFloat(*t.Max))
	}
}

// decodeDefault sets where the form starts. The person still has to confirm it.
func (t *typedQuestion) decodeDefault(n node) {
	text, isText := n.v.(string)
	t.initially = n.v
	switch t.typed {
	case selectOne:
		i, known := t.Option(text)
		if !isText || !known {
			n.fail("must be the label of an option (%s), got %s", quotedOptions(&t.Question, optionLabel), n.quoted())
			return
		}
		t.Initial = form.Choose(i)
	case confirmEnum:
		i := slices.Index(confirmValues, text)
		if !isText || i < 0 {
			n.fail(`must be "affirm" or "decline", got %s`, n.quoted())
			return
		}
		t.Initial = form.Choose(i)
	case selectMany:
		t.Initial = defaultMany(n, &t.Question)
	case numberType:
		t.decodeDefaultNumber(n)
	case freeText:
		if !isText {
			n.fail("must be a string, got %s", n.quoted())
		} else if !blank(text) {
			t.Initial = form.Type(text)
		}
	}
}

func defaultMany(n node, q *form.Question) form.Answer {
	if _, isList := n.v.([]any); !isList {
		n.fail("must be an array of option labels (%s), got %s", quotedOptions(q, optionLabel), n.quoted())
	}
	var chosen []int
	for _, item := range n.list() {
		text, isText := item.v.(string)
		switch i, known := q.Option(text); {
		case !isText || !known:
			item.fail("default must hold labels of options (%s), got %s", quotedOptions(q, optionLabel), item.quoted())
		case slices.Contains(chosen, i):
			item.fail("default must hold distinct labels, got %q twice", text)
		default:
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	return form.Choose(chosen...)
}

func (t *typedQuestion) decodeDefaultNumber(n node) {
	if _, isNumber := n.v.(json.Number); !isNumber {
		n.fail("must be a finite number, got %s", n.quoted())
		return
	}
	f := n.finite()
	t.Initial, t.initially = form.Count(f), f
	switch {
	case t.Min != nil && f < *t.Min:
		n.fail("must be at least min %s, got %s", plainFloat(*t.Min), plainFloat(f))
	case t.Max != nil && f > *t.Max:
		n.fail("must be at most max %s, got %s", plainFloat(*t.Max), plainFloat(f))
	}
}

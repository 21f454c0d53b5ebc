package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// askUserQuestionForm asks by radio buttons, checkboxes and text fields
// (docs/contracts.md).
var askUserQuestionForm = Dialect{
	Name: "ask_user_question",
	fits: func(top map[string]any) bool {
		return anyQuestion(top, func(q node) bool {
			t := q.field("type").v
			return (t == "radio" || t == "checkbox" || t == "text") && q.field("id").given() && !q.field("header").given()
		})
	},
	early:  needQuestions,
	schema: controlsSchema,
	decode: decodeControls,
	encode: encodeControls,
	reject: func(err error) Reply {
		return Reply{Text: "Error: " + err.Error(), IsError: true,
			Details: mustJSON(controlsDetails{Questions: []controlEcho{}, Answers: []controlAnswer{}, Cancelled: true})}
	},
	answer: answerAny,
	guidance: Guidance{
		Description: "Show the person a form of radio buttons, checkboxes and text fields and wait until it is sent. Answers come back one line a question and as data.",
		Snippet:     "ask_user_question: ask the person through a form of radio, checkbox and text questions",
		Guidelines: []string{
			"Prefer ask_user_question to a question in your reply when you need the answer to go on.",
			"Use radio where one option applies, checkbox where several may, text where there is nothing to choose from.",
			"Put related questions into one form instead of asking one after the other.",
			"Leave allowOther as it is unless an answer outside your options would be useless.",
			secretGuideline,
			"Set required to false for what you can do without, and default to what you would do yourself.",
		},
	},
}

func controlsSchema() *schema {
	return object(
		member{"title", words("A heading for the form.")},
		member{"description", words("A sentence below it: why you ask.")},
		member{"questions!", listOf(1, 0, object(
			member{"id!", nonBlank("Names the answer in the result; unique in this form.")},
			member{"type!", oneOf("radio: one option; checkbox: any number; text: free text.", "radio", "checkbox", "text")},
			member{"prompt!", nonBlank("The question in full.")},
			member{"label", words("One or two words for tabs and the result. Q1, Q2… if left out.")},
			member{"options", listOf(0, 0, object(
				member{"value", words("What you get back; the label if left out.")},
				member{"label!", nonBlank("What the person sees.")},
				member{"description", words("What choosing this means.")},
			))},
			member{"allowOther", &schema{Type: "boolean", Description: "Offer an answer in other words; true by default for radio and checkbox."}},
			member{"required", yesNo("The form cannot be sent without this answer.", true)},
			member{"placeholder", words("Shown in an empty text field.")},
			secretMember("text"),
			member{"default", &schema{Description: "What it starts with: an option's value for radio, an array of values for checkbox, a text for text."}},
		))},
	)
}

type controlEcho struct {
	ID          string          `json:"id"`
	Type        string          `json:"type"`
	Prompt      string          `json:"prompt"`
	Label       string          `json:"label"`
	Options     []controlOption `json:"options"`
	AllowOther  bool            `json:"allowOther"`
	Required    bool            `json:"required"`
	Placeholder string          `json:"placeholder,omitempty"`
	Secret      bool            `json:"secret,omitempty"`
	Default     any             `json:"default,omitempty"`
}

type controlOption struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

type controlsEcho struct {
	Title       string        `json:"title,omitempty"`
	Description string        `json:"description,omitempty"`
	Questions   []controlEcho `json:"questions"`
}

type controlAnswer struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Value     any    `json:"value"`
	WasCustom bool   `json:"wasCustom"`
}

type controlsDetails struct {
	Title     string          `json:"title,omitempty"`
	Questions any             `json:"questions"`
	Answers   []controlAnswer `json:"answers"`
	Cancelled bool            `json:"cancelled"`
	Reason    string          `json:"reason,omitempty"`
}

func decodeControls(top node) form.Form {
	echo := controlsEcho{Title: top.field("title").optionalText(), Description: top.field("description").optionalText()}
	f := form.Form{Title: echo.Title, Intro: echo.Description}
	ids := unique{}
	for i, n := range top.field("questions").list() {
		q, e := decodeControl(n, i)
		ids.add(n.field("id"), q.ID)
		f.Questions = append(f.Questions, q)
		echo.Questions = append(echo.Questions, e)
	}
	f.Review = len(f.Questions) > 1
	f.Echo = mustJSON(echo)
	return f
}

func decodeControl(n node, i int) (form.Question, controlEcho) {
	e := controlEcho{
		ID: n.field("id").text(), Type: n.field("type").text(), Prompt: n.field("prompt").text(),
		Options: []controlOption{}, Required: n.field("required").flag(true), Placeholder: n.field("placeholder").optionalText(),
	}
	q := form.Question{ID: e.ID, Prompt: e.Prompt, Options: []form.Option{}, Optional: !e.Required, Placeholder: e.Placeholder}
	q.Label, q.Named = labelOf(n, i)
	e.Label = q.Label
	switch e.Type {
	case "text":
		q.Kind, q.Multiline, q.Open = form.Text, true, true
	default:
		q.Kind = form.One
		if e.Type == "checkbox" {
			q.Kind = form.Many
		}
		if e.AllowOther = n.field("allowOther").flag(true); e.AllowOther {
			q.Other = otherDots
		}
		for _, o := range n.field("options").items() {
			option := controlOption{o.field("value").optionalText(), o.field("label").text(), o.field("description").optionalText()}
			if strings.TrimSpace(option.Value) == "" {
				option.Value = option.Label
			}
			e.Options = append(e.Options, option)
			q.Options = append(q.Options, form.Option{Value: option.Value, Label: option.Label, Description: option.Description})
		}
		if len(q.Options) == 0 && q.Other == "" {
			n.field("options").fail("expected at least one, since allowOther is false")
		}
	}
	e.Secret = decodeSecret(n, &q, "text", "default")
	if d := n.field("default"); d.given() {
		e.Default = decodeControlDefault(&q, d)
	}
	return q, e
}

// decodeControlDefault sets what q starts with and returns it for the echo.
func decodeControlDefault(q *form.Question, n node) any {
	q.Preset = true
	switch q.Kind {
	case form.Text:
		text := n.optionalText()
		if q.Preset = strings.TrimSpace(text) != ""; q.Preset {
			q.Initial = form.Type(text)
		}
		return text
	case form.One:
		text := n.optionalText()
		if i, ok := valueIndex(q, n, text); ok {
			q.Initial = form.Choose(i)
		}
		return text
	}
	values := []string{}
	var chosen []int
	for _, item := range n.list() {
		value := item.optionalText()
		if i, ok := valueIndex(q, item, value); ok {
			values, chosen = append(values, value), append(chosen, i)
		}
	}
	slices.Sort(chosen)
	q.Initial, q.Preset = form.Choose(slices.Compact(chosen)...), len(chosen) > 0
	return values
}

// valueIndex finds the option of that value; that there is none is recorded at
// n, with the values that there are. It is silent where n holds no string,
// which has been recorded.
func valueIndex(q *form.Question, n node, value string) (int, bool) {
	if _, isText := n.v.(string); !isText {
		return 0, false
	}
	i := slices.IndexFunc(q.Options, func(o form.Option) bool { return o.Value == value })
	if i < 0 {
		var values []string
		for _, o := range q.Options {
			values = append(values, fmt.Sprintf("%q", o.Value))
		}
		n.fail("%q names no option; there are %s", value, orNone(values))
	}
	return i, i >= 0
}

func orNone(values []string) string {
	if len(values) == 0 {
		return "none"
	}
	return joined(values)
}

func joined(values []string) string { return strings.Join(values, ", ") }

func encodeControls(f *form.Form, r form.Result, _ Context) Reply {
	d := controlsDetails{Title: f.Title, Questions: echoed(f, "questions"), Answers: []controlAnswer{},
		Cancelled: r.Outcome != form.Answered, Reason: r.Reason}
	switch r.Outcome {
	case form.Answered:
	case form.Unavailable: // this contract gives the text whole; why stands in the details
		return Reply{Text: noUI + " (running in non-interactive mode)", Details: mustJSON(d), IsError: true}
	default:
		return Reply{Text: notAnswered("User cancelled the form", f, r), Details: mustJSON(d), IsError: failed(r.Outcome)}
	}
	var lines []string
	for i, a := range r.Answers {
		q := &f.Questions[i]
		value, custom, text := encodeControl(q, a)
		d.Answers = append(d.Answers, controlAnswer{q.ID, controlTypes[q.Kind], value, custom})
		lines = append(lines, q.Label+": "+text)
	}
	return Reply{Text: strings.Join(lines, "\n"), Details: mustJSON(d)}
}

// encodeControl is an answer as data and as the model reads it. One that was
// left empty, as an optional one may be, reads so.
func encodeControl(q *form.Question, a form.Answer) (value any, custom bool, text string) {
	switch {
	case q.Kind == form.Text && a.Text == nil:
		return "", true, "(empty)"
	case q.Kind == form.Text:
		return *a.Text, true, *a.Text
	case q.Kind == form.One && a.Text != nil:
		return *a.Text, true, "(wrote) " + *a.Text
	case q.Kind == form.One && len(a.Choices) == 0:
		return "", false, "(none selected)"
	case q.Kind == form.One:
		chosen := q.Options[a.Choices[0]].Value
		return chosen, false, chosen
	}
	values, parts := []string{}, []string{}
	for _, i := range a.Choices {
		values, parts = append(values, q.Options[i].Value), append(parts, q.Options[i].Value)
	}
	if a.Text != nil {
		values, parts = append(values, *a.Text), append(parts, "(wrote) "+*a.Text)
	}
	if len(parts) == 0 {
		parts = []string{"(none selected)"}
	}
	return values, a.Text != nil, joined(parts)
}

// controlTypes are the contract's words for what the form calls kinds.
var controlTypes = map[form.Kind]string{form.One: "radio", form.Many: "checkbox", form.Text: "text"}

package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// object is a JSON object whose members keep their order: a normalised request,
// and the details of a result.
type object []member

type member struct {
	name  string
	value any
}

// absent is the value of a member that is left out.
type absent struct{}

// some is a value whose member is left out where it is empty.
func some(value any) any {
	switch v := reflect.ValueOf(value); {
	case !v.IsValid() || v.IsZero():
		return absent{}
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0:
		return absent{}
	}
	return value
}

// orAbsent is the value at n, whose member is left out where it is not given.
func (n node) orAbsent() any {
	if !n.given() {
		return absent{}
	}
	return n.v
}

// MarshalJSON writes the members that are not absent.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range o {
		if m.value == (absent{}) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(mustJSON(m.name))
		b.WriteByte(':')
		b.Write(mustJSON(m.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func mustJSON(v any) json.RawMessage {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the labels are for people and models, not for a page
	if err := enc.Encode(v); err != nil {
		panic(err) // only our own values come here
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

// previewTypes are the types of a preview that says its type.
var previewTypes = []string{"markdown", "code", "text", "mermaid", "svg", "html"}

// options are those of a question. One without a value is worth its label.
func (n node) options() []form.Option {
	all := []form.Option{} // none at all reads as [] in the details
	for _, o := range n.field("options").list() {
		option := form.Option{Value: o.string("value"), Label: o.string("label"), Emoji: o.string("emoji"), Description: o.string("description")}
		if blank(option.Value) {
			option.Value = option.Label
		}
		p := o.field("preview")
		if _, typed := p.v.(map[string]any); !typed {
			if content := o.string("preview"); content != "" {
				option.Preview = &form.Preview{Content: content}
			}
		} else if t := p.string("type"); slices.Contains(previewTypes, t) { // of any other type the preview is dropped, and only that
			option.Preview = &form.Preview{Type: t, Content: p.string("content")}
		}
		all = append(all, option)
	}
	return all
}

// questions decodes each question of a request; one gives the normalised one, too.
// A form of several ends on a review.
func (n node) questions(f *form.Form, one func(n node, i int) (form.Question, object)) (echoes []object) {
	for i, n := range n.field("questions").list() {
		q, echo := one(n, i)
		f.Questions, echoes = append(f.Questions, q), append(echoes, echo)
	}
	f.Review = f.Review || len(f.Questions) > 1
	return echoes
}

// withoutOther are the options of a question, those but the one that is the
// agent's own way to say Other, and that one, or ours where it has sent none.
func (n node) withoutOther() (all, options []form.Option, other form.Option) {
	all, options, other = n.options(), []form.Option{}, form.Option{Label: otherLabel}
	labels, seen := unique{}, false
	for i, o := range n.field("options").list() {
		switch isOther := strings.EqualFold(strings.TrimSpace(all[i].Label), otherLabel); {
		case !isOther:
			labels.add(o.field("label"))
			options = append(options, all[i])
		case !seen:
			other, seen = all[i], true
		}
	}
	return all, options, other
}

// echoOptions are options as a normalised request has them, whose dialect knows
// values or does not.
func echoOptions(options []form.Option, values bool) []object {
	all := []object{}
	for _, o := range options {
		var value, preview any = absent{}, absent{}
		if values {
			value = o.Value
		}
		if o.Preview != nil {
			if preview = *o.Preview; o.Preview.Type == "" {
				preview = o.Preview.Content
			}
		}
		all = append(all, object{{"value", value}, {"label", o.Label}, {"emoji", some(o.Emoji)},
			{"description", some(o.Description)}, {"preview", preview}})
	}
	return all
}

func optionValue(o form.Option) string { return o.Value }
func optionLabel(o form.Option) string { return o.Label }

// chosen lists what was chosen, by what name says, and what was typed, after mark.
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

// The extension secret of the dialects with a free text: what is typed there is
// masked, and kept in no draft, history or log. It is ours and in none of the
// contracts, which ignore what they do not know.

// decodeSecret takes the member secret over into q, which must be a text
// without a start of its own; starts is the member that would give it one.
func decodeSecret(n node, q *form.Question, text, starts string) {
	switch {
	case !n.flag("secret", false):
	case q.Kind != form.Text:
		n.field("secret").fail("only allowed for type %s", text)
	case n.field(starts).given():
		n.field(starts).fail("a secret starts empty")
	default:
		q.Secret, q.Multiline = true, false
	}
}

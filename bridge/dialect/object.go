package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text/hint"
)

// object is a JSON object whose members keep their order: a normalised request,
// and the details of a result.
type object []member

type member struct {
	name  string
	value any
}

// absent marks a member that is left out.
type absent struct{}

// some returns absent in place of an empty value.
func some(value any) any {
	switch v := reflect.ValueOf(value); {
	case !v.IsValid() || v.IsZero():
		return absent{}
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0:
		return absent{}
	}
	return value
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

func mustJSON(v any) json.RawMessage { return json.RawMessage(hint.JSON(v)) }

func optionValue(o form.Option) string { return o.Value }
func optionLabel(o form.Option) string { return o.Label }

// chosen lists the choices of an answer, by what name returns, and its text, after mark.
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

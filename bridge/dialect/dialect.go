// Package dialect speaks the published question-tool contracts: it decodes a
// request into a form and encodes how the form ended into the tool's result.
//
// The rule that must hold here: names, limits and texts are the contracts'
// (CONTRACTS.md), to the letter. Nothing in this package does I/O.
package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// Dialect is one published question tool.
type Dialect struct {
	// Name is the tool's published name and the value of --dialect.
	Name string
	// fits reports whether an undeclared request has this dialect's shape.
	fits func(top map[string]any) bool
	// decode normalises a request; what is wrong with it is recorded in the node.
	decode func(top node) form.Form
	// encode is the tool's result for a form that ended as r says.
	encode func(f *form.Form, r form.Result) Reply
	// reject is the tool's result for a request that decode refused.
	reject func(err error) Reply
	// answer decodes one answer of an `askpane answer` payload.
	answer func(q *form.Question, n node) form.Answer
}

// all is every dialect, in the order in which an undeclared request is tried.
// Adding a dialect is one file and one line here.
var all = []*Dialect{
	&question,
}

// Reply is a tool result: the text for the model, the structured details, and
// whether the dialect calls this ending an error.
type Reply struct {
	Text    string          `json:"text"`
	Details json.RawMessage `json:"details"`
	IsError bool            `json:"isError"`
}

// Names lists the dialects' names.
func Names() []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return names
}

// ByName finds a dialect; the error lists those there are.
func ByName(name string) (*Dialect, error) {
	for _, d := range all {
		if d.Name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("unknown dialect %q; there are %s", name, strings.Join(Names(), ", "))
}

// Decode reads a request in the named dialect, or, with no name, in the one
// that its shape decides. The dialect is nil only where none could be chosen.
// An error names the offending path and what was expected there.
func Decode(name string, raw []byte) (*Dialect, form.Form, error) {
	var d *Dialect
	if name != "" {
		var err error
		if d, err = ByName(name); err != nil {
			return nil, form.Form{}, err
		}
	}
	v, err := parse(raw)
	if err != nil {
		return d, form.Form{}, err
	}
	top, isObject := v.(map[string]any)
	if !isObject {
		return d, form.Form{}, fmt.Errorf("request: expected a JSON object, got %s", kindOf(v))
	}
	if d == nil {
		if d = detect(top); d == nil {
			return nil, form.Form{}, fmt.Errorf("the request has the shape of none of the dialects (%s): "+
				"expected a list `questions`", strings.Join(Names(), ", "))
		}
	}
	var errs []error
	f := d.decode(node{v: top, errs: &errs})
	if len(errs) > 0 {
		return d, form.Form{}, join(errs)
	}
	f.Dialect = d.Name
	return d, f, nil
}

func detect(top map[string]any) *Dialect {
	for _, d := range all {
		if d.fits(top) {
			return d
		}
	}
	return nil
}

// Encode is the tool's result for form f, ended as r says.
func (d *Dialect) Encode(f *form.Form, r form.Result) Reply { return d.encode(f, r) }

// Reject is the tool's result for a request refused with err. A nil dialect
// (none could be chosen) has no shape of its own and rejects with bare details.
func (d *Dialect) Reject(err error) Reply {
	if d == nil {
		return Reply{Text: "Error: " + err.Error(), Details: json.RawMessage(`{}`), IsError: true}
	}
	return d.reject(err)
}

// join makes one error of all that is wrong, so that a model can mend it in one go.
func join(errs []error) error {
	const most = 8
	if len(errs) == 1 {
		return errs[0]
	}
	var texts []string
	for i, err := range errs {
		if i == most {
			texts = append(texts, fmt.Sprintf("and %d more", len(errs)-most))
			break
		}
		texts = append(texts, err.Error())
	}
	return errors.New(strings.Join(texts, "; "))
}

func mustJSON(v any) json.RawMessage {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the labels are for people and models, not for a page
	if err := enc.Encode(v); err != nil {
		panic(err) // only our own structs come here
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

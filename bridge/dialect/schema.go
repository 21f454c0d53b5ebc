package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// draft is the JSON Schema version of what Schema publishes.
const draft = "https://json-schema.org/draft/2020-12/schema"

type schema = jsonschema.Schema

// Schema is the published JSON Schema of the dialect's requests, indented.
// A member that is null is as good as absent, and blanks around a string of
// ask_user do not count; both are taken away before the schema is applied.
func (d *Dialect) Schema() []byte {
	s := d.published()
	s.Schema, s.Title = draft, d.Name
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // only our own schemas come here; a test marshals each
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// published is the schema of every shape that goes by the dialect's name.
func (d *Dialect) published() *schema {
	switch d {
	case &question: // the name stands for the shape of buttons too
		return &schema{Type: "object", AnyOf: []*schema{question.schema(), buttons.schema()}}
	case &askUserQuestion:
		// The choice stands inside questions: tool definitions must be plain
		// objects at the top for some models' interfaces.
		s, typed, plain := d.schema(), d.schema(), askUserQuestionPlain.schema()
		s.Properties["questions"] = &schema{AnyOf: []*schema{typed.Properties["questions"], plain.Properties["questions"]}}
		return s
	}
	return d.schema()
}

// ToolSchema is Schema for a tool's definition: always one plain object at the
// top, since some models' interfaces refuse a choice there. Where one name
// stands for two shapes it has the members of both, none required; which belong
// together is said when a request is read.
func (d *Dialect) ToolSchema() json.RawMessage {
	s := d.published()
	if len(s.AnyOf) > 0 {
		var all []member
		for _, shape := range s.AnyOf {
			for _, name := range shape.PropertyOrder {
				all = append(all, member{name, shape.Properties[name]})
			}
		}
		s = object(all...)
	}
	nameTypes(s)
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // only our own schemas come here; a test marshals each
	}
	return raw
}

// nameTypes gives every property that takes values of several types a choice of
// them: some models' interfaces refuse one that says nothing.
func nameTypes(s *schema) {
	for _, p := range s.Properties {
		if p.Type == "" && len(p.AnyOf) == 0 {
			p.AnyOf = []*schema{{Type: "string"}, {Type: "number"}, listOf(0, 0, &schema{Type: "string"})}
		}
		nameTypes(p)
	}
	for _, shape := range s.AnyOf {
		nameTypes(shape)
	}
	if s.Items != nil {
		nameTypes(s.Items)
	}
}

// validate holds the document against the schema. The library decides; since it
// stops at the first fault and names no place in the document, explain then
// tells all that is wrong in our own words.
func (d *Dialect) validate(top node) {
	d.compile.Do(func() {
		resolved, err := d.schema().Resolve(nil)
		if err != nil {
			panic(err) // only our own schemas come here; a test compiles each
		}
		d.compiled = resolved
	})
	err := d.compiled.Validate(d.plain(top.v))
	if err == nil {
		return
	}
	d.explain(d.compiled.Schema(), top)
	if len(*top.errs) == 0 {
		top.fail("%v", err)
	}
}

// plain is a document as the library takes it: numbers are float64, and null
// members are left out where they mean absent.
func (d *Dialect) plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if member != nil || slices.Contains(d.nullCounts, name) {
				out[name] = d.plain(member)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = d.plain(item)
		}
		return out
	case json.Number:
		f, _ := v.Float64() // out of range is an infinity, which the rules refuse
		return f
	}
	return v
}

// explain records every way in which n is not what s says. It knows the
// keywords that our schemas use; a test holds it against the library.
func (d *Dialect) explain(s *schema, n node) {
	if s.Type != "" && !isType(n.v, s.Type) {
		// What stands there has no count yet.
		n.fail("expected %s, got %s", strings.TrimSuffix(expectation(s), " of at least one"), n.kind())
		return
	}
	switch v := n.v.(type) {
	case string:
		explainText(s, n, v)
	case json.Number:
		explainNumber(s, n, v)
	case []any:
		explainCount(s, n, len(v))
		if s.Items != nil {
			for _, item := range n.list() {
				d.explain(s.Items, item)
			}
		}
	case map[string]any:
		for _, name := range s.PropertyOrder {
			member := n.field(name)
			switch {
			case member.given(), !member.missing && slices.Contains(d.nullCounts, name):
				d.explain(s.Properties[name], member)
			case slices.Contains(s.Required, name):
				member.fail("expected %s, got %s", expectation(s.Properties[name]), member.kind())
			}
		}
	}
}

func explainText(s *schema, n node, v string) {
	switch length := utf8.RuneCountInString(v); {
	case s.Enum != nil && !slices.Contains(s.Enum, any(v)):
		n.fail("expected %s, got %q", expectation(s), v)
	case s.Pattern == notBlank && strings.TrimSpace(v) == "":
		n.fail("expected a non-empty string, got a blank one")
	case s.MaxLength != nil && length > *s.MaxLength:
		n.fail("expected at most %d characters, got %d", *s.MaxLength, length)
	}
}

func explainNumber(s *schema, n node, v json.Number) {
	f, _ := v.Float64()
	if s.Minimum != nil && f < *s.Minimum || s.Maximum != nil && f > *s.Maximum {
		n.fail("expected %s from %v to %v, got %s", expectation(s), *s.Minimum, *s.Maximum, v)
	}
}

func explainCount(s *schema, n node, count int) {
	what := n.path[strings.LastIndexByte(n.path, '.')+1:]
	switch {
	case s.MinItems != nil && *s.MinItems == 1 && count == 0:
		n.fail("expected at least one, got none")
	case s.MinItems != nil && count < *s.MinItems:
		n.fail("expected at least %d %s, got %d", *s.MinItems, what, count)
	case s.MaxItems != nil && count > *s.MaxItems:
		n.fail("expected at most %d %s, got %d", *s.MaxItems, what, count)
	}
}

func isType(v any, name string) bool {
	switch v.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case json.Number:
		return name == "number"
	}
	return false
}

// expectation says what s takes, to follow "expected".
func expectation(s *schema) string {
	switch {
	case s.Enum != nil:
		var values []string
		for _, v := range s.Enum {
			values = append(values, strconv.Quote(v.(string)))
		}
		return "one of " + strings.Join(values, ", ")
	case s.Pattern == notBlank:
		return "a non-empty string"
	case s.Type == "array" && s.MinItems != nil && *s.MinItems == 1:
		return "an array of at least one"
	case s.Type == "array" || s.Type == "object":
		return "an " + s.Type
	case s.Type == "":
		return "a value"
	}
	return "a " + s.Type
}

// notBlank is the pattern of a string that holds more than blanks.
const notBlank = `\S`

// The pieces that the dialects' schemas are made of.

func words(description string) *schema { return &schema{Type: "string", Description: description} }

func nonBlank(description string) *schema {
	return &schema{Type: "string", Pattern: notBlank, Description: description}
}

func most(runes int, s *schema) *schema {
	s.MaxLength = &runes
	return s
}

func oneOf(description string, values ...string) *schema {
	s := &schema{Type: "string", Description: description}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

func yesNo(description string, initially bool) *schema {
	return &schema{Type: "boolean", Description: description, Default: json.RawMessage(strconv.FormatBool(initially))}
}

func number(description string) *schema { return &schema{Type: "number", Description: description} }

// listOf is an array; a limit of 0 is none.
func listOf(low, high int, items *schema) *schema {
	s := &schema{Type: "array", Items: items}
	if low > 0 {
		s.MinItems = &low
	}
	if high > 0 {
		s.MaxItems = &high
	}
	return s
}

// member is one property of an object; a name that ends in ! is required.
type member struct {
	name string
	s    *schema
}

func object(members ...member) *schema {
	s := &schema{Type: "object", Properties: map[string]*schema{}}
	for _, m := range members {
		name, required := strings.CutSuffix(m.name, "!")
		if required {
			s.Required = append(s.Required, name)
		}
		s.Properties[name] = m.s
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	return s
}

// finite is the number at n; one too large for a float64 is recorded.
func (n node) finite() float64 {
	v, _ := n.v.(json.Number)
	f, err := v.Float64()
	if err != nil || math.IsInf(f, 0) {
		n.fail("expected a finite number, got %s", clip(fmt.Sprint(n.v)))
		return 0
	}
	return f
}

// clip keeps a quoted value from filling an error.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

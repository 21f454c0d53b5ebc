package dialect

import (
	"bytes"
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// published has the documents of the dialects, by name: NAME.schema.json is the JSON
// Schema of the requests, NAME.guidance.json tells a model of the tool, and
// NAME.tool.json, where there is one, is the schema for the tool's definition.
//
//go:embed published
var published embed.FS

// document reads one of the dialect's published documents; nil where it has none.
func (d *Dialect) document(kind string) []byte {
	data, _ := published.ReadFile("published/" + d.Name + "." + kind + ".json")
	return bytes.TrimSpace(data)
}

// Schema returns the published JSON Schema of the dialect's requests, indented. Members
// that are null, and blanks around a string of ask_user, are taken away before it is
// applied.
func (d *Dialect) Schema() []byte {
	if d.schema != "" {
		return []byte(d.schema)
	}
	return d.document("schema")
}

// ToolSchema returns the schema for a tool's definition: always one plain object at the
// top, since some models' interfaces refuse a choice there, and a type for each
// property, which some miss. Where one name stands for two shapes it has the members of
// both; reading a request decides which belong together.
func (d *Dialect) ToolSchema() json.RawMessage {
	var compact bytes.Buffer
	if err := json.Compact(&compact, d.document("tool")); err != nil || compact.Len() == 0 {
		return d.Schema()
	}
	return compact.Bytes()
}

// schema has as much of JSON Schema as the published documents use; a test knows that
// they use nothing else.
type schema struct {
	Type       string
	Enum       []string
	Pattern    string // notBlank
	MaxLength  *int
	Minimum    *float64
	Maximum    *float64
	MinItems   *int
	MaxItems   *int
	Items      *schema
	Properties properties
	Required   []string
	// AdditionalProperties is false where a member that is not named is refused, and not
	// ignored.
	AdditionalProperties *bool
	Default              any
	AnyOf                []*schema // one for each shape of requests
}

const notBlank = `\S`

// properties of an object keep the order of the document.
type properties []property

type property struct {
	name string
	*schema
}

func (p *properties) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw)) // it is a part of what is JSON, so there are tokens
	_, _ = dec.Token()                           // the brace
	for dec.More() {
		name, _ := dec.Token()
		one := property{name: name.(string), schema: new(schema)}
		if err := dec.Decode(one.schema); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// structure returns the schema of the dialect's own shape.
func (d *Dialect) structure() *schema {
	s := new(schema)
	if err := json.Unmarshal(d.Schema(), s); err != nil {
		panic(err) // only our own documents come here; a test reads each
	}
	s = s.chosen(d.alternative)
	for i, p := range s.Properties {
		s.Properties[i].schema = p.chosen(d.alternative)
	}
	return s
}

func (s *schema) chosen(i int) *schema {
	if len(s.AnyOf) == 0 {
		return s
	}
	return s.AnyOf[i]
}

// validate records every way in which n is not what s says.
func (d *Dialect) validate(s *schema, n node) {
	if s.Type != "" && !strings.HasSuffix(n.kind(), " "+s.Type) {
		// What stands there has no count yet.
		n.fail("expected %s, got %s", strings.TrimSuffix(s.expectation(), " of at least one"), n.kind())
		return
	}
	switch v := n.v.(type) {
	case string:
		s.validateText(n, v)
	case json.Number:
		s.validateNumber(n, v)
	case []any:
		s.validateCount(n, len(v))
		if s.Items != nil {
			for _, item := range n.list() {
				d.validate(s.Items, item)
			}
		}
	case map[string]any:
		for _, p := range s.Properties {
			member := n.field(p.name)
			switch {
			case member.given(), !member.missing && slices.Contains(d.nullCounts, p.name):
				d.validate(p.schema, member)
			case slices.Contains(s.Required, p.name):
				member.fail("expected %s, got %s", p.expectation(), member.kind())
			}
		}
	}
}

func (s *schema) validateText(n node, v string) {
	switch length := utf8.RuneCountInString(v); {
	case s.Enum != nil && !slices.Contains(s.Enum, v):
		n.fail("expected %s, got %q", s.expectation(), v)
	case s.Pattern == notBlank && blank(v):
		n.fail("expected a non-empty string, got a blank one")
	case s.MaxLength != nil && length > *s.MaxLength:
		n.fail("expected at most %d characters, got %d", *s.MaxLength, length)
	}
}

func (s *schema) validateNumber(n node, v json.Number) {
	f, _ := v.Float64() // out of range is an infinity
	switch {
	case s.Minimum != nil && s.Maximum != nil && (f < *s.Minimum || f > *s.Maximum):
		n.fail("expected %s from %v to %v, got %s", s.expectation(), *s.Minimum, *s.Maximum, v)
	case s.Minimum != nil && f < *s.Minimum:
		n.fail("expected %s from %v, got %s", s.expectation(), *s.Minimum, v)
	}
}

func (s *schema) validateCount(n node, count int) {
	switch {
	case s.MinItems != nil && *s.MinItems == 1 && count == 0:
		n.fail("expected at least one, got none")
	case s.MinItems != nil && count < *s.MinItems:
		n.fail("expected at least %d %s, got %d", *s.MinItems, lastName(n.path), count)
	case s.MaxItems != nil && count > *s.MaxItems:
		n.fail("expected at most %d %s, got %d", *s.MaxItems, lastName(n.path), count)
	}
}

// expectation says what s takes, to follow "expected".
func (s *schema) expectation() string {
	switch {
	case s.Enum != nil:
		var values []string
		for _, v := range s.Enum {
			values = append(values, strconv.Quote(v))
		}
		return "one of " + joined(values)
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

// Unknown is a field of a request that its dialect does not have: it is ignored, and
// most often another was meant.
type Unknown struct {
	Path, Name string
	Known      []string // what may stand there, and does not
}

// UnknownFields finds those of a request in the named dialect, or without a name in
// the one of its shape. It finds none in what cannot be read, or is in an older version
// of its contract: that is an error, which says what to do.
func UnknownFields(name string, raw []byte) []Unknown {
	d, top, err := open(name, raw)
	if err != nil || len(*top.errs) > 0 {
		return nil
	}
	return d.structure().normalise(top)
}

// normalise drops and returns the members that s does not name, so that no decoder
// takes one for something of its own, and fills in the defaults. Numbers become float64.
func (s *schema) normalise(n node) (unknown []Unknown) {
	if s == nil {
		return nil
	}
	for _, item := range n.list() {
		unknown = append(unknown, s.Items.normalise(item)...)
	}
	members, _ := n.v.(map[string]any)
	if members == nil || len(s.Properties) == 0 {
		return unknown
	}
	others, absent := maps.Clone(members), []string{}
	for _, p := range s.Properties {
		delete(others, p.name)
		member := n.field(p.name)
		if member.missing {
			absent = append(absent, p.name)
		}
		switch {
		case !member.given() && p.Default != nil:
			members[p.name] = p.Default
		case p.Type == "number" && member.given():
			members[p.name] = member.finite()
		default:
			unknown = append(unknown, p.normalise(member)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if s.AdditionalProperties != nil {
			n.field(name).fail(notUnderstood)
		} else {
			unknown = append(unknown, Unknown{n.field(name).path, name, absent})
		}
		delete(members, name)
	}
	return unknown
}

// notUnderstood ends the error for a member that is refused by its name.
const notUnderstood = "is not understood, and might change what is asked"

// ordered puts the members of a normalised document in the order of s, and then those
// that s does not name. What is empty is left out.
func (s *schema) ordered(v any) any {
	if s == nil || s.Type == "" {
		return v
	}
	switch v := v.(type) {
	case []any:
		items := []any{}
		for _, item := range v {
			items = append(items, s.Items.ordered(item))
		}
		return items
	case map[string]any:
		all := object{}
		for _, p := range s.Properties {
			value := v[p.name]
			delete(v, p.name)
			if value != nil && (value != "" || p.Type == "" || slices.Contains(s.Required, p.name)) {
				all = append(all, member{p.name, p.ordered(value)})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, member{name, v[name]})
		}
		return all
	}
	return v
}

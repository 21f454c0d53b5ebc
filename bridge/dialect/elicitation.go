package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// elicitation asks by the form of MCP and of the Agent Client Protocol: a message, and a flat
// JSON Schema with a question for each property (docs/contracts.md).
var elicitation = Dialect{
	Name:   "elicitation",
	noTool: true,
	fits: func(top node) bool {
		return (top.field("requestedSchema").given() || top.field("requested_schema").given()) && !top.has("questions", "prompt")
	},
	early:     tidyElicitation,
	decode:    decodeElicitation,
	cancelled: "User cancelled the form",
	encode:    encodeElicitation,
}

// Limits of an elicitation.
const (
	maxFields      = 200
	maxElicitation = 256 << 10 // bytes
)

// tidyElicitation gives members that Claude Code's hook calls otherwise their names.
func tidyElicitation(top node) {
	if len(top.raw) > maxElicitation {
		top.fail("is larger than 256 KiB (%d bytes allowed)", maxElicitation)
	}
	for _, names := range [][2]string{{"requested_schema", "requestedSchema"}, {"mcp_server_name", "serverName"}} {
		if given := top.field(names[0]); given.given() && !top.field(names[1]).given() {
			top.set(names[1], given.v)
			top.drop(names[0])
		}
	}
}

func decodeElicitation(top node, f *form.Form) {
	f.Title, f.Intro = top.string("serverName"), top.string("message")
	asked := top.field("requestedSchema")
	properties, names := asked.field("properties"), top.propertyNames()
	if len(names) > maxFields {
		properties.fail("expected at most %d fields, got %d", maxFields, len(names))
		return
	}
	var required []string
	for _, item := range asked.field("required").list() {
		name := item.optionalText()
		if required = append(required, name); !slices.Contains(names, name) {
			item.fail("%q is none of the properties", clip(name))
		}
	}
	ordered := object{}
	for _, name := range names {
		n := properties.field(name)
		f.Questions = append(f.Questions, n.property(name, slices.Contains(required, name)))
		ordered = append(ordered, member{name, n.v})
	}
	asked.set("properties", ordered)
	if len(names) == 0 { // it asks for consent alone
		f.Questions = []form.Question{{ID: "action", Label: "Q1", Prompt: f.Intro, Kind: form.One,
			Options: []form.Option{{Value: "accept", Label: "Accept"}, {Value: "decline", Label: "Decline"}}}}
		f.Intro = ""
	}
	f.Review = len(f.Questions) > 1
}

// propertyNames lists the properties in the order of the document.
func (n node) propertyNames() (names []string) {
	var request, schema map[string]json.RawMessage
	_ = json.Unmarshal(n.raw, &request) // it has been parsed once
	for _, member := range []string{"requested_schema", "requestedSchema"} {
		if asked := request[member]; string(asked) != "null" {
			_ = json.Unmarshal(asked, &schema)
		}
	}
	dec := json.NewDecoder(bytes.NewReader(schema["properties"]))
	_, _ = dec.Token() // the brace
	for dec.More() {
		name, _ := dec.Token()
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			break
		}
		if name := name.(string); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// only refuses what n has besides these members and those that change no answer.
func (n node) only(names ...string) {
	members, _ := n.v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(names, name) && !slices.Contains(annotations, name) {
			n.field(name).fail(notUnderstood)
		}
	}
}

// annotations lists the members that every schema may have, and that change no answer.
var annotations = []string{"type", "title", "description", "default", "examples", "deprecated", "$comment", "_meta"}

// property reads the schema of one question.
func (n node) property(name string, required bool) form.Question {
	q := form.Question{ID: name, Label: n.string("title"), Description: n.string("description"), Options: []form.Option{}, Rules: &form.Rules{}, Optional: !required}
	switch {
	case !n.is("an object"):
	case blank(name):
		n.fail("expected a name that is not blank")
	default:
		n.typed(&q)
	}
	if blank(q.Label) {
		q.Label = name
	}
	if wants := q.Rules.String(); wants != "" {
		q.Description = strings.TrimSpace(q.Description + "\n" + strings.ToUpper(wants[:1]) + wants[1:] + ".")
	} else {
		q.Rules = nil
	}
	q.Prompt = q.Label
	return q
}

// typed reads what the type of a property says into q.
func (n node) typed(q *form.Question) {
	switch t := n.field("type"); t.v {
	case "string", nil:
		n.text(q)
	case "number", "integer":
		n.only("minimum", "maximum")
		q.Kind, q.Rules.Whole = form.Number, t.v == "integer"
		q.Min, q.Max = n.bound("minimum"), n.bound("maximum")
		if q.Min != nil && q.Max != nil && (*q.Min > *q.Max || q.Rules.Whole && math.Ceil(*q.Min) > *q.Max) {
			n.field("minimum").fail("no %s is from minimum %s to maximum %s", t.v, plainFloat(*q.Min), plainFloat(*q.Max))
		}
	case "boolean":
		n.only()
		q.Kind, q.Options = form.One, []form.Option{{Value: "true", Label: "Yes"}, {Value: "false", Label: "No"}}
	case "array":
		n.several(q)
	default:
		t.fail(`expected one of "string", "number", "integer", "boolean", "array", got %s`, t.quoted())
	}
	n.initially(q)
}

// text reads a string: a choice where it lists its values.
func (n node) text(q *form.Question) {
	q.Kind, q.Open = form.Text, true
	if n.field("enum").given() || n.field("oneOf").given() {
		n.only("enum", "enumNames", "oneOf")
		q.Kind, q.Open, q.Options = form.One, false, n.titled()
		return
	}
	n.only("minLength", "maxLength", "pattern", "format")
	r, pattern, format := q.Rules, n.field("pattern"), n.field("format")
	r.MinLength, r.MaxLength = n.counts("minLength", "maxLength")
	r.Pattern, r.Format = pattern.optionalText(), format.optionalText()
	if _, err := regexp.Compile(r.Pattern); err != nil {
		pattern.fail("RE2, which matches patterns here, does not take it: %v", err)
	}
	if _, known := form.Formats[r.Format]; format.given() && !known {
		format.fail("expected one of %s, got %s", joined(slices.Sorted(maps.Keys(form.Formats))), format.quoted())
	}
	q.Multiline = r.Pattern == "" && r.Format == ""
}

// several reads an array, of which each value is listed.
func (n node) several(q *form.Question) {
	n.only("items", "minItems", "maxItems", "uniqueItems")
	q.Kind = form.Many
	q.Rules.MinItems, q.Rules.MaxItems = n.counts("minItems", "maxItems")
	q.Optional = q.Optional || q.Rules.MinItems == 0 // none is an answer then
	items := n.field("items")
	if !items.is("an object") {
		return
	}
	items.only("enum", "enumNames", "oneOf", "anyOf")
	if t := items.field("type"); t.given() && t.v != "string" {
		t.fail(`expected "string", got %s`, t.quoted())
	}
	q.Options = items.titled()
	if least := q.Rules.MinItems; least > len(q.Options) {
		n.field("minItems").fail("expected at most %d, as many as there are, got %d", len(q.Options), least)
	}
}

// titled reads the values that can be chosen, and their titles.
func (n node) titled() []form.Option {
	options, seen := []form.Option{}, unique{}
	add := func(value, title node, description string) {
		text := value.optionalText()
		if blank(text) {
			value.fail("expected a non-empty string, got %s", value.quoted())
		}
		label := title.optionalText()
		if blank(label) {
			label = text
		}
		seen.add(value)
		options = append(options, form.Option{Value: text, Label: label, Description: description})
	}
	titles, enum, oneOf, anyOf := n.field("enumNames").list(), n.field("enum").list(), n.field("oneOf").list(), n.field("anyOf").list()
	titles = append(titles, make([]node, len(enum))...) // of which any may be missing
	for i, value := range enum {
		add(value, titles[i], "")
	}
	for _, one := range slices.Concat(oneOf, anyOf) {
		if one.is("an object") {
			one.only("const")
			add(one.field("const"), one.field("title"), one.string("description"))
		}
	}
	if len(options) == 0 || len(options) > max(len(enum), len(oneOf), len(anyOf)) { // of two lists a value would have to be in both
		n.fail("expected its values in enum, or with titles in oneOf")
	}
	return options
}

// bound reads a number that may be absent.
func (n node) bound(name string) *float64 {
	if !n.field(name).given() {
		return nil
	}
	return new(n.field(name).finite())
}

// counts reads the two bounds of a count; 0 is none.
func (n node) counts(least, most string) (from, to int) {
	if from, to = n.count(least, 0), n.count(most, 1); to > 0 && from > to {
		n.field(least).fail("%s %d is above %s %d", least, from, most, to)
	}
	return from, to
}

func (n node) count(name string, smallest int64) int {
	count := n.field(name)
	v, _ := count.v.(json.Number)
	i, err := v.Int64()
	if count.given() && (err != nil || i < smallest || i > math.MaxInt32) {
		count.fail("expected a whole number from %d, got %s", smallest, clip(fmt.Sprint(count.v)))
	}
	return int(i)
}

// initially reads the default, which counts until the person says something else.
func (n node) initially(q *form.Question) {
	given := n.field("default")
	_, isNumber := given.v.(json.Number)
	yes, isBool := given.v.(bool)
	switch asked := cmp.Or(n.string("type"), "string"); {
	case !given.given():
		return
	case (q.Kind == form.Number) != isNumber || (asked == "boolean") != isBool:
		given.fail("expected a value of type %s, got %s", asked, given.kind())
	case isNumber:
		q.Initial = form.Count(given.finite())
	case isBool:
		i, _ := q.Option(strconv.FormatBool(yes))
		q.Initial = form.Choose(i)
	default:
		n.starts("default", q, true)
	}
	q.Preset = q.Initial.Given()
	if err := q.Check(q.Initial); q.Preset && err != nil {
		given.fail("the default %v", err)
	}
}

// elicited returns the value of an answer, by the type of its property.
func elicited(q *form.Question, a form.Answer, asked string) any {
	switch {
	case a.Number != nil:
		return json.Number(plainFloat(*a.Number))
	case q.Kind == form.Many && (len(a.Choices) > 0 || q.Rules == nil || q.Rules.MinItems == 0):
		return chosen(q, a, optionValue, "")
	case asked == "boolean" && len(a.Choices) > 0:
		return q.Options[a.Choices[0]].Value == "true"
	case a.Text != nil || len(a.Choices) > 0:
		return chosen(q, a, optionValue, "")[0]
	}
	return absent{}
}

func encodeElicitation(f *form.Form, r form.Result, _ Context) (text string, details object) {
	if r.Outcome != form.Answered {
		action := "cancel"
		if r.Outcome == form.Cancelled && r.Reason != "" {
			action = "decline"
		}
		return "", object{{"action", action}, {"reason", some(r.Reason)}}
	}
	echo, _ := parse(f.Echo)
	properties := node{v: echo}.field("requestedSchema").field("properties")
	content, lines := object{}, []string{}
	for i, a := range r.Answers {
		q := &f.Questions[i]
		if properties.field(q.ID).missing { // it asked for consent alone
			if q.Options[a.Choices[0]].Value == "decline" {
				return "User declined", object{{"action", "decline"}}
			}
			return "User accepted", object{{"action", "accept"}, {"content", content}}
		}
		content = append(content, member{q.ID, elicited(q, a, properties.field(q.ID).string("type"))})
		lines = append(lines, q.Label+": "+cmp.Or(q.Say(a, "", nil), "left empty"))
	}
	return strings.Join(lines, "\n"), object{{"action", "accept"}, {"content", content}}
}

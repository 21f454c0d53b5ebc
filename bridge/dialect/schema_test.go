package dialect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
	"github.com/google/jsonschema-go/jsonschema"
)

// Every row of the tables holds the published schemas against the decoders
// (agree); what is left is here.

func TestSchemasArePublished(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		d, err := ByName(name)
		must.Do(t, err)
		var s map[string]any
		if err := json.Unmarshal(d.Schema(), &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.schema == "" && (s["$schema"] != "https://json-schema.org/draft/2020-12/schema" || s["title"] != name) || s["type"] != "object" {
			t.Errorf("%s: $schema %v, type %v, title %v", name, s["$schema"], s["type"], s["title"])
		}
		if first, second := d.Schema(), d.Schema(); string(first) != string(second) {
			t.Errorf("%s: the schema is not the same twice", name)
		}
	}
}

// validate knows the keywords that the documents use. A new one there would make
// it fall silent.
func TestValidateKnowsEveryKeyword(t *testing.T) {
	t.Parallel()
	known := []string{"type", "properties", "required", "items", "enum", "pattern", "maxLength", "minItems", "maxItems", "minimum", "maximum",
		"description", "default", "additionalProperties"}
	var walk func(path string, v any, more ...string)
	walk = func(path string, v any, more ...string) {
		s, _ := v.(map[string]any)
		for keyword, value := range s {
			if !slices.Contains(known, keyword) && !slices.Contains(more, keyword) {
				t.Errorf("%s: unknown keyword %q", path, keyword)
			}
			switch keyword {
			case "items":
				walk(path+"[]", value)
			case "properties":
				for name, property := range value.(map[string]any) {
					walk(path+"."+name, property, "anyOf")
				}
			case "anyOf":
				for _, shape := range value.([]any) {
					walk(path, shape)
				}
			case "pattern":
				if value != notBlank {
					t.Errorf("%s: unknown pattern %q", path, value)
				}
			}
		}
	}
	for _, d := range all {
		var s any
		must.Do(t, json.Unmarshal(d.Schema(), &s))
		walk(d.Name, s, "anyOf", "$schema", "title")
	}
}

// Each request with each value in it replaced by others, or left out, is held
// against the documents.
func TestDocumentsHoldChanged(t *testing.T) {
	t.Parallel()
	others := []any{nil, "", " ", "x", strings.Repeat("y", 4001), json.Number("0"), json.Number("-1.5"), json.Number("1e999"), true,
		[]any{}, []any{"a"}, []any{nil}, map[string]any{}, map[string]any{"type": "code", "content": "x"}}
	for _, c := range []struct{ name, raw string }{
		{"question", cache}, {"question", `{"questions":[{"id":"a","label":"l","prompt":"p","options":[{"value":"v","label":"l","description":"d"}]}]}`},
		{"AskUserQuestion", typedFour}, {"AskUserQuestion", plainTwo},
		{"AskUserQuestion", one(`"type":"free_text","placeholder":"p","multiline":true,"secret":false,"is_dangerous":true,"default":"d"`)},
		{"ask_user_question", setup}, {"ask_user", decide}, {"buttons", cache}, {"plan", redis},
	} {
		v, err := parse([]byte(c.raw))
		must.Do(t, err)
		held := 0
		var change func(v any, put func(any))
		change = func(value any, put func(any)) {
			for _, other := range others {
				put(other)
				raw := string(mustJSON(v))
				d, _, err := Decode(c.name, []byte(raw))
				agree(t, d, raw, err)
				held++
			}
			put(value)
			switch value := value.(type) {
			case []any:
				for i := range value {
					change(value[i], func(other any) { value[i] = other })
				}
			case map[string]any:
				for _, name := range slices.Sorted(maps.Keys(value)) {
					was := value[name]
					delete(value, name)
					raw := string(mustJSON(v))
					d, _, err := Decode(c.name, []byte(raw))
					agree(t, d, raw, err)
					change(was, func(other any) { value[name] = other })
				}
			}
		}
		for name, value := range v.(map[string]any) {
			change(value, func(other any) { v.(map[string]any)[name] = other })
		}
		if held < 50 {
			t.Errorf("%s was held in %d ways", c.raw, held)
		}
	}
}

// A number may be bounded on one side only.
func TestLeastAlone(t *testing.T) {
	t.Parallel()
	runRefuses(t, "permission", []refuses{
		{"no such line", `{"tool":"Edit","file":{"path":"a","replace":[{"old":"x","new":"y","line":0}]}}`, "file.replace[0].line: expected a number from 1, got 0"},
	})
}

func TestGuidance(t *testing.T) {
	t.Parallel()
	for _, d := range all {
		if d.schema != "" && d.noTool {
			continue // it publishes nothing
		}
		g := d.Guidance()
		if g.Description == "" || !strings.HasPrefix(g.Snippet, d.Name+": ") || strings.Contains(g.Snippet, "\n") || len(g.Guidelines) < 3 {
			t.Errorf("%s: %+v", d.Name, g)
		}
		for _, line := range g.Guidelines {
			if !strings.HasSuffix(line, ".") || strings.Contains(line, "\n") {
				t.Errorf("%s: guideline %q is no sentence of one line", d.Name, line)
			}
		}
	}
}

// A tool's schema is one object at the top, and takes whatever the published
// one takes.
func TestToolSchema(t *testing.T) {
	t.Parallel()
	for _, d := range all {
		raw := d.ToolSchema()
		var s jsonschema.Schema
		must.Do(t, json.Unmarshal(raw, &s))
		if s.Type != "object" || len(s.Properties) == 0 || s.AnyOf != nil || s.OneOf != nil {
			t.Errorf("%s: no plain object: %s", d.Name, raw)
		}
		resolved, err := s.Resolve(nil)
		must.Do(t, err)
		for _, request := range []string{
			`{"questions":[{"id":"a","prompt":"p","options":[{"value":"x","label":"X"}]}]}`,
			`{"questions":[{"header":"h","question":"q","type":"select_many","options":[{"label":"x"}],"default":["x"]}]}`,
			`{"questions":[{"header":"h","question":"q","type":"number","default":3}]}`,
			`{"questions":[{"header":"h","question":"q","options":[{"label":"x"},{"label":"y"}],"multiSelect":true}]}`,
			`{"questions":[{"id":"a","type":"radio","prompt":"p","options":[{"label":"x"}],"default":"x"}]}`,
			`{"questions":[{"id":"a","type":"choice","header":"h","prompt":"p","multi":true,"options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}],"recommendation":["x"]}]}`,
			`{"prompt":"p","options":[{"label":"x"},{"label":"y"}],"timeout":60}`,
		} {
			if _, _, err := Decode(d.Name, []byte(request)); err != nil {
				continue // of another dialect
			}
			var doc any
			must.Do(t, json.Unmarshal([]byte(request), &doc))
			if err := resolved.Validate(doc); err != nil {
				t.Errorf("%s refuses %s: %v", d.Name, request, err)
			}
		}
	}
}

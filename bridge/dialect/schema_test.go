package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Every row of the tables holds the published schemas against the decoders
// (agree); what is left is here.

func TestSchemasArePublished(t *testing.T) {
	for _, name := range Names() {
		d, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		var s map[string]any
		if err := json.Unmarshal(d.Schema(), &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s["$schema"] != "https://json-schema.org/draft/2020-12/schema" || s["type"] != "object" || s["title"] != name {
			t.Errorf("%s: $schema %v, type %v, title %v", name, s["$schema"], s["type"], s["title"])
		}
		if first, second := d.Schema(), d.Schema(); string(first) != string(second) {
			t.Errorf("%s: the schema is not the same twice", name)
		}
	}
}

// The schema refuses structure by itself, not only the decoder beside it.
func TestSchemasRefuse(t *testing.T) {
	for _, c := range []struct{ dialect, raw string }{
		{"question", `{}`},
		{"question", `{"questions":[]}`},
		{"question", `{"questions":[{"id":"a"}]}`},
		{"question", `{"prompt":"p","options":[{"label":"a"}]}`},
		{"AskUserQuestion", `{"questions":[]}`},
		{"AskUserQuestion", `{"questions":[{"header":"h","question":"q","type":"slider"}]}`},
		{"AskUserQuestion", `{"questions":[{"header":"h","question":"q","type":"number","min":"1"}]}`},
		{"AskUserQuestion", `{"questions":[{"header":"h","question":"q"}]}`},
		{"ask_user_question", `{"questions":[{"id":"a","prompt":"p","type":"slider"}]}`},
		{"ask_user", `{"questions":[{"id":"a","type":"choice","header":"h","prompt":"p","options":[{"value":"v","label":"l"}]}]}`},
		{"buttons", `{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"timeout":0}`},
	} {
		d, err := ByName(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal([]byte(c.raw), &doc); err != nil {
			t.Fatal(err)
		}
		if publishedSchema(t, d).Validate(doc) == nil {
			t.Errorf("%s: the schema takes %s", c.dialect, c.raw)
		}
	}
}

// explain knows the keywords that the schemas use. A new one there would make
// it fall silent.
func TestExplainKnowsEveryKeyword(t *testing.T) {
	known := []string{"type", "properties", "required", "items", "enum", "pattern", "maxLength", "minItems", "maxItems", "minimum", "maximum",
		"description", "default"}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		s, _ := v.(map[string]any)
		for keyword, value := range s {
			if !slices.Contains(known, keyword) {
				t.Errorf("%s: unknown keyword %q", path, keyword)
			}
			switch keyword {
			case "items":
				walk(path+"[]", value)
			case "properties":
				for name, property := range value.(map[string]any) {
					walk(path+"."+name, property)
				}
			case "pattern":
				if value != notBlank {
					t.Errorf("%s: unknown pattern %q", path, value)
				}
			}
		}
	}
	for _, d := range append(slices.Clone(all), &askUserQuestionPlain) {
		raw, err := json.Marshal(d.schema())
		if err != nil {
			t.Fatal(err)
		}
		var s any
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		walk(d.Name, s)
	}
}

func TestGuidance(t *testing.T) {
	for _, d := range all {
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
	for _, d := range all {
		raw := d.ToolSchema()
		var s schema
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		if s.Type != "object" || len(s.Properties) == 0 || s.AnyOf != nil || s.OneOf != nil {
			t.Errorf("%s: no plain object: %s", d.Name, raw)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
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
			if err := json.Unmarshal([]byte(request), &doc); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(doc); err != nil {
				t.Errorf("%s refuses %s: %v", d.Name, request, err)
			}
		}
	}
}

package dialect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// everyField has each type of property, with all that it may say.
const everyField = `{"message":"Set up the shop","serverName":"shop","requestedSchema":{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":false,"properties":{
 "name":{"type":"string","title":"Name","description":"Of the shop.","minLength":2,"maxLength":20,"pattern":"^[a-z]+$"},
 "mail":{"type":"string","format":"email"},
 "ratio":{"type":"number","minimum":0,"maximum":1,"default":0.5},
 "count":{"type":"integer","minimum":1},
 "live":{"type":"boolean","title":"Go live?","default":false},
 "store":{"type":"string","enum":["pg","lite"],"enumNames":["PostgreSQL","SQLite"],"default":"lite"},
 "place":{"type":"string","oneOf":[{"const":"eu","title":"Europe","description":"Frankfurt"},{"const":"us","title":"America"}]},
 "tests":{"type":"array","items":{"type":"string","enum":["unit","e2e","fuzz"]},"minItems":2,"maxItems":2,"uniqueItems":true},
 "extras":{"type":"array","items":{"anyOf":[{"const":"ci","title":"CI"},{"const":"hook","title":"A hook"}]},"default":["hook"]},
 "note":{"type":"string"}},
 "required":["name","mail","ratio","count","live","store","place","tests","extras"]}}`

func TestElicitation(t *testing.T) {
	t.Parallel()
	d, f, err := Decode("", []byte(everyField))
	must.Do(t, err)
	sound(t, d, &f)
	if f.Title != "shop" || f.Intro != "Set up the shop" || !f.Review || f.Questions[0].Description != "Of the shop.\n2 to 20 characters, a text that matches ^[a-z]+$." {
		t.Errorf("%+v", f)
	}
	for _, c := range []struct{ answers, want string }{
		{`{"name":"ab","mail":"a@b.c","ratio":"0.25","count":3,"live":true,"store":"PostgreSQL","place":"eu","tests":["unit","fuzz"],"extras":[]}`,
			`{"action":"accept","content":{"name":"ab","mail":"a@b.c","ratio":0.25,"count":3,"live":true,"store":"pg","place":"eu","tests":["unit","fuzz"],"extras":[]}}`},
		{`{"0":"ab","mail":"a@b.c","ratio":1,"count":3,"live":"No","store":"lite","place":"America","tests":["e2e","fuzz"],"extras":["CI"],"note":"n"}`,
			`{"action":"accept","content":{"name":"ab","mail":"a@b.c","ratio":1,"count":3,"live":false,"store":"lite","place":"us","tests":["e2e","fuzz"],"extras":["ci"],"note":"n"}}`},
	} {
		r, err := Answered(defaults, &f, []byte(c.answers))
		if err != nil {
			t.Errorf("%s: %v", c.answers, err)
			continue
		}
		if got := d.EncodeIn(defaults, &f, r); string(got.Details) != c.want {
			t.Errorf("%s, want %s", got.Details, c.want)
		}
	}
	for _, c := range []struct{ name, value, want string }{
		{"name", `"a"`, "has 1 character; it takes 2 to 20 characters"},
		{"name", `"Ab"`, "does not match ^[a-z]+$"},
		{"name", `"` + strings.Repeat("ä", 21) + `"`, "has 21 characters"},
		{"mail", `"a"`, "is not an email address"},
		{"mail", `"A <a@b.c>"`, "is not an email address"},
		{"ratio", `2`, "above max 1"},
		{"count", `1.5`, "no whole number"},
		{"count", `9007199254740993`, "no whole number"}, // which as a float64 is one less
		{"count", `9007199254740994`, "no whole number"},
		{"count", `0`, "below min 1"},
		{"live", `"maybe"`, "none of the options"},
		{"live", `1`, "none of the options"},
		{"store", `{"mode":"other","text":"x"}`, "only the options can be chosen"},
		{"place", `true`, "none of the options"},
		{"tests", `["unit"]`, "has 1 choice; it takes exactly 2 choices"},
		{"tests", `["unit","e2e","fuzz"]`, "has 3 choices"},
		{"tests", `[]`, "at least one choice"},
		{"note", `5`, "expected"},
	} {
		payload := fmt.Sprintf(`{"name":"ab","mail":"a@b.c","ratio":1,"count":3,"live":true,"store":"pg","place":"eu","tests":["unit","fuzz"],"extras":[],%q:%s}`, c.name, c.value)
		if _, err := Answered(defaults, &f, []byte(payload)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s %s: %v, want %q", c.name, c.value, err, c.want)
		}
	}
}

// field is an elicitation of one property.
func field(schema string) string {
	return `{"message":"m","requestedSchema":{"properties":{"a":` + schema + `}}}`
}

func TestElicitationRefuses(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range maxFields + 1 {
		many = append(many, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	for _, c := range []struct{ request, want string }{
		{field(`{"type":"string","pattern":"(?=a)b"}`), "requestedSchema.properties.a.pattern: RE2"},
		{field(`{"type":"string","format":"hostname"}`), "properties.a.format: expected one of date, date-time, email, uri"},
		{field(`{"type":"string","const":"x"}`), "properties.a.const: is not understood"},
		{field(`{"type":"number","exclusiveMinimum":1}`), "properties.a.exclusiveMinimum: is not understood"},
		{field(`{"type":"number","enum":[1,2]}`), "properties.a.enum: is not understood"},
		{field(`{"type":"object","properties":{}}`), "properties.a.type: expected one of"},
		{field(`{"type":["string","null"]}`), "properties.a.type: expected one of"},
		{field(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), "properties.a.anyOf: is not understood"},
		{field(`"string"`), "properties.a: expected an object"},
		{field(`{"type":"array","items":{"type":"string"}}`), "properties.a.items: expected its values"},
		{field(`{"type":"array","items":{"type":"integer","enum":["a"]}}`), "properties.a.items.type: expected"},
		{field(`{"type":"array","minItems":3,"items":{"enum":["a","b"]}}`), "properties.a.minItems: expected at most 2"},
		{field(`{"type":"array","minItems":2,"maxItems":1,"items":{"enum":["a","b"]}}`), "minItems 2 is above maxItems 1"},
		{field(`{"type":"array"}`), "properties.a.items: expected an object, got nothing"},
		{field(`{"type":"string","enum":["a","a"]}`), "duplicate"},
		{field(`{"type":"string","enum":["a",2]}`), "properties.a.enum[1]: expected a string"},
		{field(`{"type":"string","enum":[]}`), "expected its values"},
		{field(`{"type":"string","enum":["a"],"oneOf":[{"const":"b"}]}`), "properties.a: expected its values in enum, or"},
		{field(`{"type":"string","enum":["a"],"minLength":1}`), "properties.a.minLength: is not understood"},
		{field(`{"type":"string","oneOf":[{"const":"a","pattern":"x"}]}`), "oneOf[0].pattern: is not understood"},
		{field(`{"type":"string","oneOf":["a"]}`), "oneOf[0]: expected an object"},
		{field(`{"type":"string","minLength":-1}`), "properties.a.minLength: expected a whole number from 0, got -1"},
		{field(`{"type":"string","maxLength":0}`), "properties.a.maxLength: expected a whole number from 1"},
		{field(`{"type":"string","maxLength":"9"}`), "properties.a.maxLength: expected a whole number"},
		{field(`{"type":"number","minimum":2,"maximum":1}`), "properties.a.minimum: no number is from minimum 2 to maximum 1"},
		{field(`{"type":"integer","minimum":0.2,"maximum":0.8}`), "no integer is from minimum 0.2 to maximum 0.8"},
		{field(`{"type":"number","minimum":"2"}`), "properties.a.minimum: expected a finite number"},
		{field(`{"type":"number","maximum":1,"default":2}`), "properties.a.default: the default is 2, above max 1"},
		{field(`{"type":"integer","default":1.5}`), "properties.a.default: the default is 1.5"},
		{field(`{"type":"boolean","default":"yes"}`), "properties.a.default: expected a value of type boolean"},
		{field(`{"type":"string","default":true}`), "properties.a.default: expected a value of type string"},
		{field(`{"default":5}`), "properties.a.default: expected a value of type string, got a number"},
		{field(`{"type":"string","format":"date","default":"soon"}`), "the default is not a date"},
		{field(`{"type":"string","format":"date-time","default":"2026-11-28T9:30:00Z"}`), "the default is not a date and time"},
		{field(`{"type":"string","format":"date-time","default":"2026-11-28T09:30:00,5Z"}`), "the default is not a date and time"},
		{field(`{"type":"string","format":"email","default":"ä@b.c"}`), "the default is not an email address"},
		{field(`{"type":"string","format":"uri","default":"https://exämple.org/"}`), "the default is not a URI"},
		{field(`{"type":"string","format":"uri","default":"https://example.org/{id}"}`), "the default is not a URI"},
		{field(`{"type":"string","enum":["a"],"default":"b"}`), `properties.a.default: "b" names no option`},
		{`{"message":"m","requestedSchema":{"properties":{"":{"type":"string"}}}}`, "expected a name that is not blank"},
		{`{"message":"m","requestedSchema":{"properties":{},"required":["b"]}}`, `requestedSchema.required[0]: "b" is none of the properties`},
		{`{"message":"m","requestedSchema":{"properties":[]}}`, "requestedSchema.properties: expected an object, got an array"},
		{`{"message":"m","requestedSchema":{"properties":{},"allOf":[]}}`, "requestedSchema.allOf: is not understood"},
		{`{"message":"m","requestedSchema":{"type":"array","properties":{}}}`, `requestedSchema.type: expected one of "object"`},
		{`{"requestedSchema":{"properties":{}}}`, "message: expected a non-empty string, got nothing"},
		{`{"message":"m","requestedSchema":{"properties":{` + strings.Join(many, ",") + `}}}`, "requestedSchema.properties: expected at most 200 fields, got 201"},
		{`{"message":"` + strings.Repeat("m", maxElicitation) + `","requestedSchema":{"properties":{}}}`, "request: is larger than 256 KiB"},
	} {
		d, f, err := Decode("", []byte(c.request))
		if err == nil || !strings.Contains(err.Error(), c.want) || d != &elicitation {
			t.Errorf("%.200s: %v, want %q (%+v)", c.request, err, c.want, f.Questions)
		}
	}
}

// Claude Code's name for the schema counts where the other is null, too.
func TestElicitationBothNames(t *testing.T) {
	t.Parallel()
	_, f, err := Decode("elicitation", []byte(`{"message":"m","requested_schema":{"properties":{"who":{"type":"string"}}},"requestedSchema":null}`))
	if err != nil || f.Questions[0].ID != "who" {
		t.Errorf("%v: %+v", err, f.Questions)
	}
}

// A form without a field asks for consent.
func TestElicitationOfConsent(t *testing.T) {
	t.Parallel()
	d, f, err := Decode("elicitation", []byte(`{"message":"Delete the branch?","requestedSchema":{"type":"object","properties":{}}}`))
	must.Do(t, err)
	sound(t, d, &f)
	for answer, want := range map[string]string{"accept": `{"action":"accept","content":{}}`, "Decline": `{"action":"decline"}`} {
		r, err := Answered(defaults, &f, []byte(`{"action":"`+answer+`"}`))
		must.Do(t, err)
		if got := d.EncodeIn(defaults, &f, r); string(got.Details) != want {
			t.Errorf("%s: %s", answer, got.Details)
		}
	}
	for r, want := range map[*form.Result]string{
		{Outcome: form.Cancelled}:                   `{"action":"cancel"}`,
		{Outcome: form.Cancelled, Reason: "not me"}: `{"action":"decline","reason":"not me"}`,
		{Outcome: form.Timeout}:                     `{"action":"cancel"}`,
	} {
		if got := d.EncodeIn(defaults, &f, *r); string(got.Details) != want {
			t.Errorf("%s: %s", r.Outcome, got.Details)
		}
	}
}

// FuzzOthers: what is understood can be shown, and is what the schema takes.
func FuzzOthers(f *testing.F) {
	for _, seed := range []string{everyField, field(`{"type":"string","pattern":"("}`), `{"message":"m","requestedSchema":{"properties":{"a":{},"a":{"type":"boolean"}}}}`} {
		f.Add([]byte(seed))
	}
	for _, shape := range shapes {
		f.Add([]byte(shape.request))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tool := range append(others, &elicitation) {
			d, decoded, err := Decode(tool.Name, raw)
			if err != nil {
				continue
			}
			agree(t, d, string(raw), err)
			sound(t, d, &decoded)
			if d != &elicitation { // whose rules no answer keeps by accident
				settled(t, d, &decoded)
			}
		}
	})
}

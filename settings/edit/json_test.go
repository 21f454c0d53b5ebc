package edit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
)

// pointer is a path with dots as a JSON pointer.
func pointer(path string) string { return "/" + strings.ReplaceAll(path, ".", "/") }

func TestEdits(t *testing.T) {
	set := func(path string, value any) func(*Document) error {
		return func(d *Document) error { return d.Set(pointer(path), hint.JSON(value)) }
	}
	remove := func(path string) func(*Document) error {
		return func(d *Document) error { d.Remove(pointer(path)); return nil }
	}
	object := map[string]int{"x": 1, "y": 2}
	for _, c := range []struct {
		name, before string
		edit         func(*Document) error
		want         string
	}{
		{"nothing yet", "", set("a", 1), "{\n  \"a\": 1\n}\n"},
		{"in its place", "{\n\t\"a\" : 1 , // one\n}", set("a", "two"), "{\n\t\"a\" : \"two\" , // one\n}"},
		{"after a comment", "{\n\t\"a\": 1 // one\n}", set("b", 2), "{\n\t\"a\": 1, // one\n\t\"b\": 2\n}"},
		{"after a comment alone", "{\n  // none\n}\n", set("b", 2), "{\n  // none\n  \"b\": 2\n}\n"},
		{"after a comment in one line", "{\"a\":1 // one\n}", set("b", 2), "{\"a\":1, // one\n\"b\":2\n}"},
		{"a comma at the end stays there", "{\n  \"a\": 1,\n}", set("b", 2), "{\n  \"a\": 1,\n  \"b\": 2,\n}"},
		{"line ends as they are", "{\r\n  \"a\": 1\r\n}\r\n", set("b", 2), "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n"},
		{"an object is laid out", "{\n\t\"a\": {}\n}", set("a.b", object), "{\n\t\"a\": {\n\t\t\"b\": {\n\t\t\t\"x\": 1,\n\t\t\t\"y\": 2\n\t\t}\n\t}\n}"},
		{"but not in one line", `{"a": {"c": 1}}`, set("a.b", object), `{"a": {"c": 1, "b": {"x":1,"y":2}}}`},
		{"on the way", "{}", set("a.b.-", "x"), "{\n  \"a\": {\n    \"b\": [\n      \"x\"\n    ]\n  }\n}"},
		{"one more of a list", `{"a": ["x"]}`, set("a.-", "y"), `{"a": ["x", "y"]}`},
		{"one of a list", `{"a": ["x", "y"]}`, set("a.1", "<z>"), `{"a": ["x", "<z>"]}`},
		{"removes the first", `{"b": 1, "a": 1}`, remove("b"), `{"a": 1}`},
		{"removes the last of two", `{"b": 1, "a": 1}`, remove("a"), `{"b": 1}`},
		{"removes before a comma at the end", "{\n  \"a\": 1,\n  \"b\": 2,\n}", remove("b"), "{\n  \"a\": 1,\n}"},
		{"a comment after what is removed stays", "{\n  \"b\": 2, // two\n  \"a\": 1 // one\n}", remove("a"), "{\n  \"b\": 2 // two\n // one\n}"},
		{"comments around it stay", "{\n  \"a\": 1, // one\n  // about b\n  \"b\": 2,\n  \"c\": 3\n}", remove("b"), "{\n  \"a\": 1, // one\n  // about b\n  \"c\": 3\n}"},
		{"removes the last", "{\n  \"a\": 1, // one\n  \"b\": 2\n}", remove("b"), "{\n  \"a\": 1 // one\n}"},
		{"removes the only one", "{\n  // one\n  \"a\": 1\n}", remove("a"), "{\n  // one\n}"},
		{"removes what a comment stands before", "{\"a\": 1, // one\n\"b\": 2}", remove("b"), "{\"a\": 1 // one\n}"},
		{"removes one of a list", `{"a": [1, 2, 3]}`, remove("a.1"), `{"a": [1, 3]}`},
		{"what is not there", `{"a" : [ ] }`, remove("b.c"), `{"a" : [ ] }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Parse([]byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.edit(d); err != nil {
				t.Fatal(err)
			}
			got := string(d.Bytes())
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if _, err := Parse([]byte(got)); err != nil {
				t.Errorf("it does not parse any more: %v", err)
			}
		})
	}
}

func TestWhatIsInTheWay(t *testing.T) {
	for path, want := range map[string]string{"a.b.c": "a.b is not an object", "l.x": "l is not an object", "o.-": "o is not a list"} {
		d, err := Parse([]byte(`{"a": {"b": 1}, "l": [], "o": {}}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Set(pointer(path), "1"); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	for text, want := range map[string]string{"[]": "expected a JSON object", `{"o": {"a": 1, "b": 2, "a": 3}}`: `"a" stands twice`} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Whatever the layout: what is put in is there, and with it gone again all the rest
// is, comments included.
func TestAnyLayout(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	extra := func() string {
		return []string{"", "", " ", "\n", "\n  ", " // c\n", "/* c */", "\r\n\t"}[random.IntN(8)]
	}
	for range 5000 {
		text, n := "{"+extra(), random.IntN(4)
		for i := range n {
			text += fmt.Sprintf(`"m%d"%s:%s[1%s,%s{"x": 2%s}]%s`, i, extra(), extra(), extra(), extra(), extra(), extra())
			if i+1 < n || random.IntN(2) == 0 {
				text += "," + extra()
			}
		}
		text += "}\n"
		d, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		bare := strings.Join(strings.Fields(strings.ReplaceAll(text, ",", "")), "")
		for _, at := range []string{"/new", "/m1/-", "/new/a/b", "/m0/1/y", "/m0"} {
			had := d.Get(at)
			if err := d.Set(at, "[7]"); err != nil {
				continue // /new is a list by now
			}
			there := strings.Replace(at, "/m1/-", "/m1/2", 1)
			if d.Get(there) != "[7]" && there != "/m1/2" {
				t.Fatalf("%s is %q in %q, from %q", at, d.Get(there), d.Bytes(), text)
			}
			if had != "" {
				break
			}
			for there != "" && d.Get(there) != "" && d.Remove(there) {
				if there, _ = Above(there); strings.HasPrefix(there, "/m") && n > 0 || there == "" {
					break
				}
			}
			if got := strings.Join(strings.Fields(strings.ReplaceAll(string(d.Bytes()), ",", "")), ""); got != bare && n > 1 {
				t.Fatalf("after %s came and went it is %q, from %q", at, d.Bytes(), text)
			}
		}
	}
}

package dialect

import (
	"fmt"
	"strings"
	"testing"
)

const small = `{"questions":[{"id":"a","prompt":"p"}]`

// nested is a valid request whose deepest point is levels deep.
func nested(levels int) string {
	return small + `,"x":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
}

func TestLimits(t *testing.T) {
	t.Parallel()
	padded := func(size int) string {
		return small + `,"x":"` + strings.Repeat("y", size-len(small)-len(`,"x":""}`)) + `"}`
	}
	for _, c := range []struct{ name, raw, want string }{
		{"exactly 1 MiB", padded(MaxBytes), ""},
		{"one byte more", padded(MaxBytes + 1), "the JSON is larger than 1 MiB (1048576 bytes allowed)"},
		{"2 MiB", strings.Repeat(" ", 2<<20), "the JSON is larger than 1 MiB (1048576 bytes allowed)"},
		{"32 levels", nested(32), ""},
		{"33 levels", nested(33), "the JSON is nested deeper than 32 levels"},
		{"10,000 levels", nested(10_000), "the JSON is nested deeper than 32 levels"},
		{"half a million levels", strings.Repeat("[", 500_000), "the JSON is nested deeper than 32 levels"},
		{"objects are levels too", strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "the JSON is nested deeper than 32 levels"},
		{"brackets in a string are none", small + `,"x":"\"` + strings.Repeat("[", 99) + `\\"}`, ""},
		{"not UTF-8", "{\"questions\":\"\xff\"}", "the JSON is not valid UTF-8 (byte 14)"},
		{"UTF-16", "\xfe\xff\x00{", "the JSON is not valid UTF-8 (byte 0)"},
		{"half a rune at the end", small + ",\"x\":\"\xe2\x82", fmt.Sprintf("the JSON is not valid UTF-8 (byte %d)", len(small)+6)},
		{"empty", "", "not JSON: the input is empty"},
		{"blank", " \n\t", "not JSON: the input is empty"},
		{"not JSON", "hello", "not JSON: invalid character 'h' looking for beginning of value (line 1, column 1)"},
		{"not JSON further down", "{\n \"a\": x}", "not JSON: invalid character 'x' looking for beginning of value (line 2, column 7)"},
		{"cut short", `{"questions":[`, "not JSON: the document ends too early"},
		{"single quotes", `{'questions':[]}`, "not JSON: invalid character '\\'' looking for beginning of object key string (line 1, column 2)"},
		{"trailing comma", `{"questions":[],}`, "not JSON: invalid character '}' looking for beginning of object key string (line 1, column 17)"},
		{"two documents", small + "}\n{}", "not JSON: more text after the document (line 2, column 1)"},
		{"text after it", small + "} hello", "not JSON: more text after the document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, f, err := Decode("question", []byte(c.raw))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("rejected: %v", err)
			case c.want == "" && len(f.Questions) != 1:
				t.Errorf("%d questions, want 1", len(f.Questions))
			case c.want != "" && err == nil:
				t.Error("accepted")
			case c.want != "" && !strings.HasPrefix(err.Error(), c.want):
				t.Errorf("error is %q, want %q", err, c.want)
			}
			if d == nil {
				t.Error("the named dialect is not given back")
			}
			// An answer payload has the same limits.
			_, form := decode(t, small+"}")
			if _, err := d.Answers(&form, []byte(c.raw)); c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("as a payload: %v, want %q", err, c.want)
			}
		})
	}
}

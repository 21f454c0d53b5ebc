package dialect

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// block is a block of JSON or of the text for the model in docs/dialects.md.
var block = regexp.MustCompile("(?ms)^```(?:json|text)\n(.*?)^```$")

// The examples in docs/dialects.md are true: each request is understood in the
// dialect of its heading and has no field to spare, its answers are taken, and the
// result is the one that stands there.
func TestDocumentedExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/dialects.md")
	must.Do(t, err)
	seen := map[string]bool{}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		heading, _, _ := strings.Cut(section, "\n")
		name, _, _ := strings.Cut(heading, ",")
		seen[name] = true
		blocks := block.FindAllStringSubmatch(section, -1)
		if len(blocks) == 0 || len(blocks)%4 != 0 {
			t.Fatalf("%s has %d blocks; want a request, answers, text and details for each example", heading, len(blocks))
		}
		for example := range slices.Chunk(blocks, 4) {
			request, answers, text, details := example[0][1], example[1][1], strings.TrimSuffix(example[2][1], "\n"), example[3][1]
			d, f, err := Decode("", []byte(request))
			if err != nil || d.Name != name {
				t.Errorf("%s: %v, %v:\n%s", heading, d, err, request)
				continue
			}
			for _, u := range UnknownFields("", []byte(request)) {
				t.Errorf("%s: %s is no field of this dialect", heading, u.Path)
			}
			r, err := Answered(defaults, &f, []byte(answers))
			if err != nil {
				t.Errorf("%s: %v:\n%s", heading, err, answers)
				continue
			}
			var got, want map[string]any
			reply := d.EncodeIn(defaults, &f, r)
			if err := json.Unmarshal([]byte(details), &want); err != nil {
				t.Errorf("%s: %v:\n%s", heading, err, details)
			}
			must.Do(t, json.Unmarshal(reply.Details, &got))
			delete(got, "questions") // which repeat the request
			if reply.Text != text || !reflect.DeepEqual(got, want) {
				told, _ := json.Marshal(got)
				t.Errorf("%s: the page says\n%s\n%s\nand it is\n%s\n%s", heading, text, details, reply.Text, told)
			}
		}
	}
	for _, d := range all {
		if !seen[d.Name] {
			t.Errorf("docs/dialects.md has no example of %s", d.Name)
		}
	}
}

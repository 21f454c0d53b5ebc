package document

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text"
)

const plan = `# Move the sessions

We move them to Redis,
in two steps.

## Steps

1. Write to both
   for a week.
2. Read from **Redis**

` + "```go\nfunc main() {\n\n# no heading\n}\n```" + `

| a | b |
|---|---|
| 1 | 2 |

Risks
-----

None.`

func TestPlaces(t *testing.T) {
	t.Parallel()
	d := Parse(plan)
	if want := []int{1, 3, 6, 8, 10, 13, 15, 16, 19, 21, 23, 26}; !slices.Equal(d.places, want) {
		t.Errorf("the places are %v, want %v", d.places, want)
	}
	if want := []int{1, 6, 23}; !slices.Equal(d.headings, want) {
		t.Errorf("the headings are %v, want %v", d.headings, want)
	}
	for line, want := range map[int]int{0: 1, 1: 1, 2: 1, 4: 3, 9: 8, 12: 10, 20: 19, 99: 26} {
		if got := d.Place(line); got != want {
			t.Errorf("line %d is of place %d, want %d", line, got, want)
		}
	}
	for place, want := range map[int]string{3: "We move them to Redis,\nin two steps.", 8: "1. Write to both\n   for a week.", 16: "}", 26: "None."} {
		if got := d.Quote(place); got != want {
			t.Errorf("place %d is %q, want %q", place, got, want)
		}
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	d := Parse(plan)
	find := func(words string, line, by int) int {
		place, _ := d.Find(words, line, by)
		return place
	}
	for name, c := range map[string]struct{ got, want int }{
		"down": {d.Step(1, 1), 3}, "up from within": {d.Step(9, -1), 6}, "above all": {d.Step(1, -5), 1}, "below all": {d.Step(23, 9), 26},
		"next heading": {d.Heading(1, 1), 6}, "heading above": {d.Heading(8, -1), 6}, "no heading below": {d.Heading(26, 1), 26}, "no heading above": {d.Heading(1, -1), 1},
		"found below": {find("redis", 3, 1), 10}, "found here": {find("redis", 3, 0), 3}, "found around the end": {find("redis", 10, 1), 3},
		"found above": {find("redis", 3, -1), 10}, "over a line break and marks": {find("to redis, in", 26, 1), 3}, "marks": {find("from redis", 1, 1), 10}, "nowhere": {find("kafka", 8, 1), 8},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
	if empty := Parse(""); empty.Place(7) != 1 || empty.Last() != 1 || empty.Heading(1, 1) != 1 {
		t.Error("an empty text has no first place")
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	before := "# Plan\n\none\ntwo\nthree\n\nend\n"
	after := "# Plan\n\nzero\none\ntwo, but better\nthree\n\nend\n"
	changed, _ := Changes(before, after, nil)
	if !slices.Equal(changed, []int{3, 5}) {
		t.Errorf("changed are %v", changed)
	}
	lines := strings.ReplaceAll(after, "\n", "\n\n") // each a place of its own
	_, carried := Changes(before, lines, map[int]string{3: "on one", 4: "on two"})
	if want := map[int]string{7: "on one\non two"}; !maps.Equal(carried, want) {
		t.Errorf("carried is %v, want %v", carried, want)
	}
	each := map[int]string{1: "on a", 3: "on b"}
	if changed, carried := Changes("a\n\nb", "a\n\nb", each); len(changed) > 0 || !maps.Equal(carried, each) {
		t.Errorf("the same text: %v changed, %v carried", changed, carried)
	}
}

// A text has the lines that a screen shows of it, or a remark would be on another.
func TestUnix(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"a\r\nb\rc\n": "a\nb\nc\n", "a\fb\vc\u0085d\u2028e\u2029f": "a\nb\nc\nd\ne\nf"} {
		got := Unix(in)
		if got != want || text.Visible(got) != got || text.Visible(in) != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

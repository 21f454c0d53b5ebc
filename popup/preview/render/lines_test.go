package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	places "github.com/askpane/askpane/bridge/text/document"
	"github.com/askpane/askpane/popup/preview/styled"
)

const plan = "# Move\n\nFirst this, which is\nwritten in two lines.\n\n- one\n- two,\n  longer\n  1. within\n\n> quoted\n\n```go\n\nfunc main() {\n\tlong(\"a line that is wider than the rows\")\n}\n```\n\n" +
	"| a | b |\n|---|---|\n| 1 | 2 |\n\n<p>\nhtml\n</p>\n\nEnd\n---\n\n[//]: # (hidden)\n"

// Each row says from which line of the source it comes, so that it belongs to the place that
// the source has there, and every place is shown.
func TestRowsHaveLines(t *testing.T) {
	t.Parallel()
	doc, shown := places.Parse(plan), map[int]string{}
	for _, row := range Rows(styled.Document, plan, 30) {
		if line := row.Line(); line > 0 {
			shown[doc.Place(line)] += strings.TrimSpace(row.String()) + " "
		}
	}
	for line, want := range map[int]string{1: "Move ", 3: "First this, which is written in two lines. ", 6: "• one ", 7: "• two, longer ", 9: "1. within ", 11: "│ quoted ",
		15: "func main() { ", 16: "long(\"a line that is wider ↳ than the rows\") ", 17: "} ", 20: "a │ b ", 22: "1 │ 2 ", 25: "", 28: "End "} {
		if !strings.HasPrefix(shown[line], want) {
			t.Errorf("line %d is shown as %q, want %q", line, shown[line], want)
		}
	}
	for line := range len(strings.Split(plan, "\n")) {
		if place := doc.Place(line + 1); shown[place] == "" {
			t.Errorf("place %d, %q, is not shown", place, doc.Quote(place))
		}
	}
	if line := slices.IndexFunc(Rows("markdown", plan, 30), func(r styled.Row) bool { return r.Line() > 0 }); line >= 0 {
		t.Error("a preview says from where its rows come")
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	var got []string
	for _, part := range (page{width: 80}).parts("# Move\n\n- one\n- two\n\n3. three\n4. <b>four</b>\n\n---\n\n```\ncode\n```\n\n[//]: # (hidden)\n") {
		got = append(got, fmt.Sprintf("%d %s", part.Line, strings.ReplaceAll(part.HTML, "\n", "")))
	}
	want := []string{`1 <h2 class="level1">Move</h2>`, "3 <ul><li>one</li></ul>", "4 <ul><li>two</li></ul>", `6 <ol start="3"><li>three</li></ol>`, `7 <ol start="4"><li><span class="dim">&lt;b&gt;</span>four<span class="dim">&lt;/b&gt;</span></li></ol>`,
		"0 <hr>", `12 <pre tabindex="0">code</pre>`, "15 <p>[//]: # (hidden)</p>"}
	if !slices.Equal(got, want) {
		t.Errorf("the parts are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

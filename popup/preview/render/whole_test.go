package render

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
)

// token matches the words that the texts of TestNothingIsHidden have, and marks what may stand within where they are
// broken.
var token, marks = regexp.MustCompile(`zq\d+`), regexp.MustCompile(`[^a-z0-9]`)

// Whatever Markdown may have, each word of it is on view, on a terminal and on a page: a model reads it.
func TestNothingIsHidden(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"W\n\n<!-- W -->\n\nW <!-- W --> W",
		"<details><summary>W</summary>\n\nW\n\n</details>\n<W a=\"W\">",
		"[//]: # (W)\n\n[W]: https://W 'W'",
		"[W](https://W.com/W?W#W \"W\") ![W](https://W.com/W 'W') <https://W.com/W> [](https://W.com (W))",
		"[W][W] ![W][W] [^W]\n\n[^W]: W",
		"[W](javascript:" + strings.Repeat("x", 300) + "W) ![W](<data:text/plain," + strings.Repeat("x ", 300) + "W>)",
		"```go W W\nW\n```\n\n~~~W\nW\n~~~\n\n```W/go\nW\n```\n\n```W.go\nW\n```\n\n``` {.go W=\"W\"}\nW\n``` W\n```",
		"- ```sh W\n  W\n  ```\n> ```W\n> W",
		"| W | W |\n|---|---|\n| W | W | W | W |\n| W |\nW | W | W",
		"| W |\n|:-:|\n| W `W\\|W` | W \\| W | \n|\n| | | W",
		"W\n===\n\nW\n---\n\n# W {#W} #\n\n###### W\n\n***\n- - -",
		"> W\n>> W\n>>> - [ ] W\n>>> - [x] W\n>>>   1. W\n>>> 7) W\n",
		"*W* **W** ~~W~~ `W` ``W ` W`` ***W***  \nW\\\nW &#87; &amp; &zwj;W",
		"    W\n\n\tW\n\nW\n: W\n\n<div>W</div>W\n\n<?W?>\n\n<![CDATA[W]]>\n\n<!W>\n\n<script>W</script>",
		strings.Repeat("- ", 40) + "W\n\n" + strings.Repeat("> ", 40) + "W\n\n" + strings.Repeat("123456789. ", 12) + "W W W",
		strings.Repeat("W ", 60) + "\n\n|" + strings.Repeat(" W |", 40) + "\n|" + strings.Repeat("-|", 40) + "\n|" + strings.Repeat(" W |", 41),
		"---\ntitle: W\n---\n\n<br W>W<br/>",
		"```mermaid\n%% W\n%%{init: {'W': 'W'}}%%\ngraph TD\nA[W]-->|W|B[W]\nstyle A W\nclick A \"W\" \"W\"\nclassDef W fill:#f9f\nsubgraph W[W]\nA\nend\nW[W]-- W -->C\nB:::W\nA[W]\n```",
		"```mermaid\n---\ntitle: W\n---\nsequenceDiagram W\ntitle W\nparticipant A as W\nautonumber W\nloop " + strings.Repeat("W ", 20) + "\nA->>B: W\nend W\nNote over A: W\nbox W\nend\naccDescr: W\n```\n```mermaid\npie W\n```",
	} {
		n := 0
		for strings.Contains(source, "W") {
			n++
			source = strings.Replace(source, "W", fmt.Sprintf("zq%d", 1000+n), 1)
		}
		onPage := HTML(preview.Text{Kind: styled.Document, Content: text.Visible(source)}, 80)
		for _, width := range []int{12, 30, 76} {
			var all strings.Builder
			for _, row := range Rows(styled.Document, text.Visible(source), width) {
				all.WriteString(marks.ReplaceAllString(row.String(), ""))
			}
			for _, word := range token.FindAllString(source, -1) {
				if !strings.Contains(all.String(), word) {
					t.Errorf("%s of %q is not on view in %d cells:\n%s", word, source, width, all.String())
				}
				if !strings.Contains(onPage, word) {
					t.Errorf("%s of %q is not on the page:\n%s", word, source, onPage)
				}
			}
		}
	}
}

// What only names and colours a diagram's parts does not stand below it.
func TestDiagramWithoutRemarks(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"graph TD\nA[Start] --> B{Ready?}\nB -->|yes| C\nstyle A fill:#ffcc00,stroke:#333,stroke-width:2px":           "",
		"sequenceDiagram\nautonumber\nparticipant A as Alice\nA->>Bob: Hello\nactivate Bob\nNote right of Bob: waits": "",
		"graph TD\nA --> B\n%% and remove the rest":                                                                   "%% and remove the rest",
		"graph TD\nA[Do not delete] --> B[the tables]\n%% delete the tables":                                          "%% delete the tables",
		"graph LR\nA --> B\n%% rm -rf /\n%% 删":                                                                        "%% rm -rf /\n%% 删",
		"graph TD\nA[drop] --> B[all]; click A \"all\" \"drop all\"\nclass A all":                                     "A[drop] --> B[all]; click A \"all\" \"drop all\"",
		"sequenceDiagram\ntitle drop all\nbox drop\nparticipant A as drop\nend\nlink A: all @ drop\nA->>B: all":       "title drop all\nbox drop\nlink A: all @ drop",
	} {
		var below []string
		for _, row := range Rows("mermaid", source, 60) {
			if len(row) > 0 && row[0].Style == styled.Dim && !strings.ContainsAny(row.String(), "│<┌└▼─┆╵╷├┬►╱╲") {
				below = append(below, row.String())
			}
		}
		if got := strings.Join(below, "\n"); got != want {
			t.Errorf("below %q stands %q, want %q", source, got, want)
		}
	}
}

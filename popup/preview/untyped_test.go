package preview

import (
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

func TestAsItStands(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a mock-up", "+--+--+\n|  | x|\n| -  a|\n+--+--+", "+--+--+\n|  | x|\n| -  a|\n+--+--+"},
		{"what Markdown takes for a heading, a list, a rule", "# port = 80\n- a\n---\n  b: c", "# port = 80\n- a\n---\n  b: c"},
		{"inline signs stay", "**a** `b` _c_ <br> &amp;", "**a** `b` _c_ <br> &amp;"},
		{"a fenced block", "before\n```go\n\tx := 1\n```\nafter", "before\n      x := 1\nafter"},
		{"fences of the other kind, inside a longer one, with blanks before", "  ~~~~text\n~~~\n```\n ~~~~~ \nafter", "  ~~~\n  ```\nafter"},
		{"one that nothing closes", "```\na\nb", "  a\n  b"},
		{"a line of code is no fence", "``` a `b` ```\nc", "``` a `b` ```\nc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := render(form.Preview{Content: c.content}, 60, Mono(), patient)
			checkRows(t, rows, 60)
			if got := plain(rows); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

package layout

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/popup/preview/styled"
)

// Items hang, code keeps its lines and its stars, and every row has the mark of the
// agent's words.
func TestMarked(t *testing.T) {
	t.Parallel()
	l := layouter{width: 24}
	l.marked(styled.Row{in(styled.Dim, bar)}, styled.Text, "Steps:\n- drop the old table `x`\n  10. then go on and wait\n-\n```sh\nrm *a*  # `b`\n```\n```\nopen")
	want := strings.Join([]string{"▎ Steps:", "▎ - drop the old table x", "▎   10. then go on and", "▎       wait", "▎ -", "▎ rm *a*  # `b`", "▎ ```", "▎ open"}, "\n")
	var got []string
	for _, row := range l.Body {
		got = append(got, row.String())
	}
	if strings.Join(got, "\n") != want {
		t.Errorf("it is\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

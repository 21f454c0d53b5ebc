package keymap

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/popup/preview/styled"
)

// The help is a table: groups in columns, keys aligned at the right and as readable as any
// text; where there are fewer rows it leaves out the names, and at last the columns.
func TestHelpIsATable(t *testing.T) {
	t.Parallel()
	hints := []Hint{{Keys: "Enter", Help: "choose"}, {Keys: "↑↓/k/j", Help: "move"}, {Keys: "Ctrl+N", Help: NextWaiting}, {Keys: "Esc", Help: "cancel"}, {Keys: "?", Help: "help"}}
	for _, c := range []struct {
		rows int
		want []string
	}{
		{10, []string{
			"        Move              Look",
			"↑↓/k/j  move           ?  help",
			"",
			"        Answer            Elsewhere",
			" Enter  choose    Ctrl+N  next waiting",
			"   Esc  cancel",
		}},
		{4, []string{
			"↑↓/k/j  move           ?  help",
			" Enter  choose    Ctrl+N  next waiting",
			"   Esc  cancel",
		}},
		{2, []string{"↑↓/k/j move · Enter choose · Esc cancel", "? help · Ctrl+N next waiting"}},
	} {
		var got []string
		for _, row := range HelpRows(hints, 40, c.rows) {
			got = append(got, strings.TrimRight(row.String(), " "))
			for _, span := range row {
				if strings.Contains(span.Text, "Ctrl") && span.Style != styled.Strong {
					t.Errorf("a key's name has the style %v", span.Style)
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("in %d rows it is\n%s\nwant\n%s", c.rows, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

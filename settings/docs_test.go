package settings

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The table in docs/settings.md says what the tags say.
func TestDocumented(t *testing.T) {
	path := "../docs/settings.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| name | default | may be | pi | |\n|---|---|---|---|---|\n"
	_, table, ok := strings.Cut(string(data), head)
	if !ok {
		t.Fatalf("there is no table of settings in %s", path)
	}
	var want strings.Builder
	for _, f := range Fields() {
		value, pi := "", ""
		if f.Default != "" {
			value = "`" + strings.ReplaceAll(f.Default, "|", `\|`) + "`" // which parts cells
		}
		if f.Pi {
			pi = "yes"
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s | %s |\n", f.Name, value, f.Expected(), pi, f.Help)
	}
	stand, say := strings.SplitAfter(table, "\n"), strings.SplitAfter(want.String(), "\n")
	for i := range max(len(stand), len(say)) {
		if i == len(stand) || i == len(say) || stand[i] != say[i] {
			t.Fatalf("the table in %s is not what the tags say: there is\n%s\nand should be\n%s", path, row(stand, i), row(say, i))
		}
	}
}

// row returns row i of a table, or that it has ended.
func row(table []string, i int) string {
	if i < len(table) {
		return table[i]
	}
	return "nothing more"
}

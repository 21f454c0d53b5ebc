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
	if table != want.String() {
		t.Errorf("the table in %s is not what the tags say. It should be\n%s", path, want.String())
	}
}

package agents

import (
	"os"
	"strings"
	"testing"
)

// The plugin that our marketplace offers does what askpane install claude does for Claude 2.1.329
// and later, with the askpane in PATH. It cannot set how long Claude waits: its server is told of no
// limit, and returns a receipt.
func TestPluginOfTheMarketplace(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Binary, o.Tools, o.Version = "askpane", nil, func() string { return "2.1.329" }
	server := strings.Replace(inJSON{claudeServer(o)}.snippet(), ",\n        \"--call-limit\",\n        \"604800\"", "", 1)
	for name, want := range map[string]string{"hooks/hooks.json": claudeHooks(o).snippet(), ".mcp.json": server} {
		if kept, err := os.ReadFile("files/plugin/" + name); err != nil || string(kept) != want {
			t.Errorf("%s (%v) is not what askpane install claude writes:\n%s", name, err, want)
		}
	}
}

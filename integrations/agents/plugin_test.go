package agents

import (
	"os"
	"path/filepath"
	"testing"
)

// The plugin that our marketplace offers is the one that askpane writes for Claude 2.1.329 and
// later, with the askpane in PATH.
func TestPluginOfTheMarketplace(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Binary, o.Tools, o.Version = "askpane", nil, func() string { return "2.1.329" }
	steps, err := claudePlugin(o.Home, o)
	if err != nil || len(steps) != 4 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	for _, s := range steps {
		path := filepath.Join("files", "plugin", filepath.FromSlash(s.What))
		if kept, err := os.ReadFile(path); err != nil || string(kept) != s.Snippet {
			t.Errorf("%s (%v) is not what askpane install claude --plugin writes:\n%s", path, err, s.Snippet)
		}
	}
}

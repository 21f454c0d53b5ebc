package agents

import (
	"fmt"
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
		if kept, err := os.ReadFile(path); err != nil || string(kept) != string(s.after) {
			t.Errorf("%s (%v) is not what askpane install claude --plugin writes:\n%s", path, err, s.after)
		}
	}
}

// What stands in a folder that is no plugin of ours is not overwritten, and one of ours is.
func TestPluginBesideOthers(t *testing.T) {
	t.Parallel()
	o := options(t)
	for i, name := range []string{"README.md", ".mcp.json", "hooks/hooks.json", ".claude-plugin/plugin.json"} {
		dir := filepath.Join(o.Home, fmt.Sprint(i))
		put(t, filepath.Join(dir, name), "{}\n")
		refused(t, dir, filepath.Join(dir, name)+" is left alone: ", func() ([]Step, error) { return claudePlugin(dir, o) })
	}
	dir := filepath.Join(o.Home, "ours")
	steps, err := claudePlugin(dir, o)
	do(t, steps, err)
	put(t, filepath.Join(dir, "README.md"), "of an older askpane\n")
	steps, err = claudePlugin(dir, o)
	do(t, steps, err)
	if got := tree(t, dir)["README.md"]; got != pluginReadme {
		t.Errorf("it is %q", got)
	}
}

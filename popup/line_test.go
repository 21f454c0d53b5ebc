package popup

import (
	"slices"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/display"
)

// The keys of a shell's line work in an entry, and none of them is text.
func TestLineKeys(t *testing.T) {
	t.Parallel()
	for want, keys := range map[string][]string{
		"hello! big world":  {"hello big world", "Ctrl+A", "Alt+f", "!"},
		"Xhello! big world": {"hello big world", "Ctrl+A", "X", "Alt+f", "!"},
		"hello big ":        {"hello big Z", "Alt+Back"},
		"a b ":              {"a b c", "Alt+b", "Alt+d"},
		"say 日本 ":           {"say 日本 éa", "Alt+Back"},
		"cp ":               {"cp ~/a-b/c.txt", "Ctrl+W"},
		"big world, hello ": {"hello big world, ", "Ctrl+A", "Alt+d", "Ctrl+F", "Ctrl+K", "Ctrl+A", "Ctrl+Y", "Ctrl+K", "hello "},
		"two\none\n":        {"one", "Ctrl+J", "two", "Up", "Ctrl+A", "Ctrl+K", "Ctrl+K", "End", "Ctrl+J", "Ctrl+Y"},
		"one\nb":            {"one", "Ctrl+J", "two", "Ctrl+U", "b"},
		"three two one":     {"three two one", "Ctrl+W", "Ctrl+W", "Ctrl+Y"},
		"keptX":             {"kept", "Ctrl+L", "X"},
		"put back":          {"put back", "Ctrl+W", "Ctrl+_"},
		"back again":        {"back again", "Ctrl+W", "Ctrl+/"},
		"and ":              {"and again", "Ctrl+W", "Ctrl+_", "Alt+e"},
		"onetwo":            {"one", "Ctrl+C", "two"},
	} {
		s := newStage(t, oneQuestion, nil, 62, 20).press("4").press(keys...)
		if got := s.m.Buffer(); got != want {
			t.Errorf("%q: got %q, want %q", keys, got, want)
		}
	}
	for name, e := range keysByName {
		if (line[name] != nil || kills[name] != nil) && display.KeyName(e) != name {
			t.Errorf("%q is called %q", name, display.KeyName(e))
		}
	}
	if name := display.KeyName(tcell.NewEventKey(tcell.KeyBackspace2, 0, tcell.ModAlt)); kills[name] == nil {
		t.Errorf("%q takes nothing out", name)
	}
}

// No editor is opened on a filter.
func TestFilterHasNoEditor(t *testing.T) {
	t.Parallel()
	s := newStage(t, twelveOptions, nil, 62, 30).press("/", "12", "Ctrl+G")
	if slices.Contains(s.asked, "the editor") || strings.Contains(s.text(), "editor") || s.m.Buffer() != "12" {
		t.Errorf("asked for %v, typed %q, shown\n%s", s.asked, s.m.Buffer(), s.text())
	}
}

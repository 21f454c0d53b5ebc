package alone

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The person's own file and environment count, and a project's file does not.
func TestOnlyWhereThePersonHasSetSo(t *testing.T) {
	project := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	write := func(dir, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(why string) {
		t.Helper()
		if h, err := Kind.Find(t.Context()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("found %v, %v; want an error with %q", h, err, why)
		}
	}
	t.Chdir(project)
	write(filepath.Join(project, ".askpane"), `{"pageAlone": true}`)
	refused("pageAlone is false")
	global := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "askpane")
	write(global, `{"pageAlone": true, "browserEnabled": false}`)
	refused("browserEnabled is false")
	write(global, `{"pageAlone": true}`)
	if h, err := Kind.Find(t.Context()); err != nil || h.Kind() != &Kind {
		t.Errorf("found %v, %v", h, err)
	}
	t.Setenv("ASKPANE_PAGE_ALONE", "false")
	refused("pageAlone is false")
}

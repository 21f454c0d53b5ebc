package page

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
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
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
	waits := func() {
		t.Helper()
		h, err := Kind.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v, err := h.Viewer(t.Context()); err != nil || v.ID != "whoever opens the page, or answers on another machine" {
			t.Errorf("waits for %q, %v", v.ID, err)
		}
	}
	write(filepath.Join(project, ".askpane"), `{"hubUrl": "nats://evil"}`)
	refused("has joined no hub")
	write(global, `{"hubUrl": "nats://mine", "browserEnabled": false}`)
	waits()
	write(global, `{}`)
	link := filepath.Join(state, "askpane", "link")
	if err := os.MkdirAll(link, 0o700); err != nil {
		t.Fatal(err)
	}
	refused("has joined no hub")
	if err := os.WriteFile(filepath.Join(link, "link.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waits()
	t.Setenv("XDG_STATE_HOME", "")
	refused("has joined no hub")
}

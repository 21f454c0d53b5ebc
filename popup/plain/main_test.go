package plain

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// usualSettings are those of tests that do not say others: no line comes too soon.
const usualSettings = `{"guardMs": 0}`

// TestMain gives the tests a person of their own, with those settings.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "plain")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "ASKPANE_") || name == "XDG_CONFIG_HOME" {
			os.Unsetenv(name)
		}
	}
	os.Setenv("HOME", home)
	if err := writeSettings(usualSettings); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(home)
		os.Exit(code)
	}))
}

func writeSettings(json string) error {
	dir := filepath.Join(os.Getenv("HOME"), ".config", "askpane")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), []byte(json), 0o600)
}

// set is the person changing their settings, until the test ends. It must not be
// parallel.
func set(t *testing.T, json string) {
	t.Helper()
	if err := writeSettings(json); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := writeSettings(usualSettings); err != nil {
			t.Error(err)
		}
	})
}

package popup

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// usualSettings are those of tests that do not say others: no key comes too soon.
const usualSettings = `{"guardMs": 0}`

// TestMain gives all tests one person, whose terminal has colours and who has those
// settings: a test that changed the environment for itself could not be parallel.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "popup")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Unsetenv("NO_COLOR")
	os.Setenv("XDG_CONFIG_HOME", home)
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
	dir := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "askpane")
	if err := os.MkdirAll(dir, 0o700); err != nil {
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

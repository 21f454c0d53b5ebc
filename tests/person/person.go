// Package person is whoever runs the tests of a package: somebody with an empty home and
// the settings that the tests want, whatever those of this machine's user are.
//
// The rule that must hold here: there is one person a package, so that tests can be
// parallel; a test that changes the settings cannot.
package person

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

var file, usual string

// Main runs the tests of a package, which fail if a goroutine is left. settings is the
// person's file, in JSON; but are goroutines that may be left.
func Main(m *testing.M, settings string, but ...goleak.Option) {
	home, err := os.MkdirTemp("", "person-")
	if err == nil {
		err = move(home)
	}
	file, usual = filepath.Join(home, ".config", "askpane", "settings.json"), settings
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = write(usual)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, append(but, goleak.Cleanup(func(status int) {
		os.RemoveAll(home)
		os.Exit(status)
	}))...)
}

// move makes home the home, and takes out of the environment what else settings come
// from.
func move(home string) error {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		ours := strings.HasPrefix(name, "ASKPANE_") && !strings.HasPrefix(name, "ASKPANE_TEST_")
		if ours || name == "NO_COLOR" || name == "XDG_CONFIG_HOME" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return os.Setenv("HOME", home)
}

func write(settings string) error { return os.WriteFile(file, []byte(settings), 0o600) }

// Set changes the person's settings until the test ends.
func Set(t *testing.T, settings string) {
	t.Helper()
	if err := write(settings); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := write(usual); err != nil {
			t.Error(err)
		}
	})
}

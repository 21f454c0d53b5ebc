// Package tests runs the real binary end to end: in private tmux servers whose
// clients run in pseudo-terminals, and in plain pseudo-terminals.
//
// The rule that must hold here: what is asserted is what a person sees on the
// screen, what a caller gets on standard output, and what is left on the disk.
package tests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/askpane/askpane/tests/needs"
	"github.com/askpane/askpane/tests/tmuxes"
)

// binary is the askpane under test.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	needs.Hangups()
	// The tests wait much more than they compute: four at once keep two cores
	// busy, and more would only make each of them late.
	if err := flag.Set("test.parallel", "4"); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "askpane-tests-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	if binary, err = build(dir); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	return tmuxes.Run(m, "TestTmux|TestScenarios/^tmux$")
}

// build compiles askpane once for all tests, unless ASKPANE_TEST_BINARY names one.
func build(dir string) (string, error) {
	if given := os.Getenv("ASKPANE_TEST_BINARY"); given != "" {
		path, err := filepath.Abs(given)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return "", fmt.Errorf("ASKPANE_TEST_BINARY: %w", err)
		}
		return path, nil
	}
	if out, err := exec.Command("go", "build", "-o", dir+"/", "github.com/askpane/askpane/cmd/...").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build askpane: %w\n%s", err, out)
	}
	return filepath.Join(dir, "askpane"), nil
}

// Package tmuxes runs a package's tests with each tmux there is: what askpane
// does in tmux depends on its version.
//
// The rule that must hold here: it is said which tmux a run was with.
package tmuxes

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// Env is the list of tmux binaries to test with, with colons between; each has
// to be called tmux. Without it that is the system's own, and what
// tests/tmux-38 has unpacked.
const Env = "ASKPANE_TEST_TMUX"

// Run runs the tests with each tmux in turn, first in PATH. With the first one
// they are all run, with the others those that match only (as -run has it),
// unless -run was given. With -short there is no second round, and without any
// tmux each test that needs one says so. It returns the exit code.
func Run(m *testing.M, only string) int {
	bins, err := list()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	path, given := os.Getenv("PATH"), flag.Lookup("test.run").Value.String() != ""
	if len(bins) == 0 {
		return m.Run()
	}
	if testing.Short() {
		bins = bins[:1]
	}
	if len(bins) < 2 && os.Getenv(Env) == "" {
		needs.LeftOut("the tests in a tmux with modal panes (3.8)", "./tests/run --all")
	}
	failed := 0
	for i, bin := range bins {
		version, err := exec.Command(bin, "-V").Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "tests: %s: %v\n", bin, err)
			return 1
		}
		fmt.Printf("tests: with %s\n", strings.TrimSpace(string(version)))
		os.Setenv("PATH", filepath.Dir(bin)+string(filepath.ListSeparator)+path)
		if i > 0 && !given {
			if err := flag.Set("test.run", only); err != nil {
				fmt.Fprintln(os.Stderr, "tests:", err)
				return 1
			}
		}
		if code := m.Run(); code != 0 {
			failed = code
		}
	}
	return failed
}

func list() ([]string, error) {
	if given := os.Getenv(Env); given != "" {
		var bins []string
		for _, bin := range filepath.SplitList(given) {
			bin, err := filepath.Abs(bin)
			if err != nil || filepath.Base(bin) != "tmux" {
				return nil, fmt.Errorf("%s: %s is not called tmux (%v)", Env, bin, err)
			}
			bins = append(bins, bin)
		}
		return bins, nil
	}
	system, err := exec.LookPath("tmux")
	if err != nil {
		return nil, nil
	}
	bins := []string{system}
	if cache, err := os.UserCacheDir(); err == nil {
		cached := filepath.Join(cache, "askpane-tests", "tmux-38", "bin", "tmux")
		if _, err := os.Stat(cached); err == nil && cached != system {
			bins = append(bins, cached)
		}
	}
	return bins, nil
}

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
	"testing"

	"github.com/askpane/askpane/tests/needs"
	"github.com/askpane/askpane/tests/tmuxes"
)

// binary is the askpane under test, and scratch a directory that is there as long as
// the tests run.
var binary, scratch string

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
	var err error
	if scratch, err = os.MkdirTemp("", "askpane-tests-"); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	defer os.RemoveAll(scratch)
	if binary, err = needs.Programs(scratch); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	return tmuxes.Run(m, "TestTmux|TestScenarios/^tmux$")
}

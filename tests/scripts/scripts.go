// Package scripts runs the scripts that test a program (testscript).
package scripts

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/tests/needs"
)

// Run runs testdata/script/*.txtar, one script a behaviour. Each has a spool of its own
// and no multiplexer; setup says what else it has, and may be nil.
func Run(t *testing.T, setup func(*testscript.Env), commands map[string]func(*testscript.TestScript, bool, []string)) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), Cmds: commands, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ASKPANE_SPOOL", filepath.Join(env.WorkDir, "spool"))
			env.Setenv("TMUX", "")
			env.Vars = append(env.Vars, needs.Environ()...)
			if setup != nil {
				setup(env)
			}
			return nil
		},
	})
}

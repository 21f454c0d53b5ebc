package main

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/bridge/address"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askpane-desk": main})
}

// TestScripts runs testdata/script/*.txtar. What they start is ended after them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			state := filepath.Join(env.WorkDir, "state")
			for name, value := range map[string]string{"ASKPANE_SPOOL": filepath.Join(env.WorkDir, "spool"), "XDG_STATE_HOME": state, "HOME": env.WorkDir,
				"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": "", "WSL_DISTRO_NAME": "", "SSH_CONNECTION": ""} {
				env.Setenv(name, value)
			}
			env.Defer(func() {
				if a, err := address.Last(filepath.Join(state, "askpane", "desk")); err == nil {
					_ = syscall.Kill(a.PID, syscall.SIGTERM)
				}
			})
			return nil
		},
		RequireExplicitExec: true,
	})
}

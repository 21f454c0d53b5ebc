package main

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/tests/scripts"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askpane-desk": main})
}

// What the scripts start is ended after them.
func TestScripts(t *testing.T) {
	scripts.Run(t, func(env *testscript.Env) {
		state := filepath.Join(env.WorkDir, "state")
		for name, value := range map[string]string{"XDG_STATE_HOME": state, "HOME": env.WorkDir,
			"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": "", "WSL_DISTRO_NAME": "", "SSH_CONNECTION": ""} {
			env.Setenv(name, value)
		}
		env.Defer(func() {
			if a, err := address.Last(filepath.Join(state, "askpane", "desk")); err == nil {
				_ = syscall.Kill(a.PID, syscall.SIGTERM)
			}
		})
	}, nil)
}

package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

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
			dir := filepath.Join(state, "askpane", "desk")
			if a, err := address.Last(dir); err == nil {
				_ = syscall.Kill(a.PID, syscall.SIGTERM)
				gone(t, dir)
			}
		})
	}, nil)
}

// gone waits until no desk holds the lock: one that is ending still writes.
func gone(t *testing.T, dir string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); ; {
		if lock, err := address.Hold(dir); err == nil {
			lock.Close()
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Error("the desk that a script has started does not end")
			return
		}
	}
}

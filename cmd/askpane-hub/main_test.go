package main

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/tests/scripts"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askpane-hub": main})
}

func TestScripts(t *testing.T) {
	scripts.Run(t, func(env *testscript.Env) {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer free.Close()
		_, port, _ := net.SplitHostPort(free.Addr().String())
		env.Setenv("PORT", port)
		env.Setenv("HOME", env.WorkDir)
		env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "laptop"))
	}, map[string]func(*testscript.TestScript, bool, []string){
		// until runs a program until it succeeds.
		"until": func(ts *testscript.TestScript, _ bool, args []string) {
			for late := time.After(20 * time.Second); ts.Exec(args[0], args[1:]...) != nil; {
				select {
				case <-late:
					ts.Fatalf("in vain: %v", args)
				case <-time.After(20 * time.Millisecond):
				}
			}
		},
	})
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/integrations/machines/hub"
	"github.com/askpane/askpane/tests/scripts"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askpane-hub": main})
}

func TestScripts(t *testing.T) {
	var hosts atomic.Int32
	scripts.Run(t, func(env *testscript.Env) {
		env.Setenv("LISTEN", fmt.Sprintf("127.81.%d.%d:4222", os.Getpid()%256, hosts.Add(1))) // which nobody else is given
		env.Setenv("ANYWHERE", fmt.Sprintf("0.0.0.0:%d", 20000+os.Getpid()%10000))            // a port that hardly anybody has
		env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
		env.Setenv("HOME", env.WorkDir)
		env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "laptop"))
	}, map[string]func(*testscript.TestScript, bool, []string){
		// nats starts a server with JetStream, for a user and a password, and is $NATS.
		"nats": func(ts *testscript.TestScript, _ bool, _ []string) {
			s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, Username: "ada", Password: "secret-word", JetStream: true, StoreDir: ts.MkAbs("nats"), NoSigs: true})
			ts.Check(err)
			s.Start()
			ts.Defer(func() { s.Shutdown(); s.WaitForShutdown() })
			if !s.ReadyForConnections(time.Minute) {
				ts.Fatalf("the server does not start")
			}
			ts.Setenv("NATS", "nats://ada:secret-word@"+s.Addr().String())
		},
		// until runs a program until it succeeds.
		"until": func(ts *testscript.TestScript, _ bool, args []string) {
			for late := time.After(time.Minute); ts.Exec(args[0], args[1:]...) != nil; {
				select {
				case <-late:
					ts.Fatalf("in vain: %v", args)
				case <-time.After(20 * time.Millisecond):
				}
			}
		},
	})
}

// What somebody says at a terminal is where the hub listens; who says nothing sets none up.
func TestWhere(t *testing.T) {
	for said, want := range map[string]string{"\n": hub.Everywhere, "Y\n": hub.Everywhere, "yes\n": hub.Everywhere, " n \n": hub.Listen, "no\n": hub.Listen, "maybe\n": "", "": ""} {
		if at, err := chooseAddress(strings.NewReader(said), true); at != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", said, at, err)
		}
	}
}

// Package needs is how a test says that it cannot run here: a program is absent,
// the system lacks something, or it is for ./tests/run --all alone.
//
// The rule that must hold here: nothing is left out silently. ./tests/run prints
// at its end, once each, what was left out and how to have it tested.
package needs

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const (
	// allEnv is set by ./tests/run --all: what can be installed has to be here.
	allEnv = "ASKPANE_TEST_ALL"
	// nightlyEnv is set by just nightly and just races.
	nightlyEnv = "ASKPANE_TEST_NIGHTLY"
	// listEnv is the file whose lines ./tests/run prints at its end.
	listEnv = "ASKPANE_TEST_LEFT_OUT"
)

// cures are how to get the programs that ./tests/run --all does not install.
var cures = map[string]string{
	"zellij": "CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 cargo install zellij --locked",
}

// Program leaves the test out where a program is absent.
func Program(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Missing(t, name, cmp.Or(cures[name], "./tests/run --all installs it"))
	}
}

// All reports whether this is ./tests/run --all.
func All() bool { return os.Getenv(allEnv) != "" }

// Missing leaves the test out: what is not here, and cure is how to get it.
// Under ./tests/run --all it fails.
func Missing(t testing.TB, what, cure string) {
	t.Helper()
	if All() {
		t.Fatalf("%s is missing, and ./tests/run --all insists on it: %s", what, cure)
	}
	Cannot(t, what, cure)
}

// Cannot leaves the test out, under ./tests/run --all too: what it needs cannot be
// installed, or not on every system.
func Cannot(t testing.TB, what, why string) {
	t.Helper()
	LeftOut(what, why)
	t.Skipf("LEFT OUT: %s: %s", what, why)
}

// Long leaves the test out of the plain ./tests/run, which has to end in a few
// minutes and needs nothing but Go and tmux.
func Long(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		Cannot(t, what, "./tests/run --all")
	}
}

// Nightly leaves the test out unless just nightly or just races plays it: cheaper tests hold the
// same, except for what shows only by chance.
func Nightly(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(nightlyEnv) == "" {
		Cannot(t, what, "just nightly")
	}
}

// Unraced leaves the test out with the race detector: it starts no goroutine and computes
// much. ./tests/run --all runs its package without that, too.
func Unraced(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("the test starts no goroutine: it runs without the race detector")
	}
}

// LeftOut takes note of what was left out without a test of its own.
func LeftOut(what, why string) {
	path := os.Getenv(listEnv)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s\t%s\n", what, why)
		f.Close()
	}
	if err != nil {
		panic(fmt.Sprintf("note that %s is left out: %v", what, err))
	}
}

// Programs is the askpane under test: the one that ASKPANE_TEST_BINARY names, else all
// programs of the repository are built into dir.
func Programs(dir string) (askpane string, err error) {
	if given := os.Getenv("ASKPANE_TEST_BINARY"); given != "" {
		if askpane, err = filepath.Abs(given); err == nil {
			askpane, err = filepath.EvalSymlinks(askpane)
		}
		if err != nil {
			return "", fmt.Errorf("ASKPANE_TEST_BINARY: %w", err)
		}
		return askpane, nil
	}
	if out, err := exec.Command("go", "build", "-o", dir+"/", "github.com/askpane/askpane/cmd/...").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build askpane: %w\n%s", err, out)
	}
	return filepath.Join(dir, "askpane"), nil
}

// Environ is what a program has to have of the tests' own environment, however clean
// its own is: where one that was built with -race or -cover writes what it has found.
// The go command gives the tests themselves a GOCOVERDIR that is gone with them.
func Environ() []string {
	var env []string
	for name, from := range map[string]string{"GORACE": "GORACE", "GOCOVERDIR": "ASKPANE_TEST_COVER"} {
		if value := os.Getenv(from); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Within asks again and again whether done, for most at the longest, and reports whether it
// is. It asks less often the longer it takes, since many ask a program that they start
// for it: after a tenth of what has passed, from 2 ms to 50 ms.
func Within(most time.Duration, done func() bool) bool {
	for began := time.Now(); ; {
		if done() {
			return true
		}
		passed := time.Since(began)
		if passed >= most {
			return false
		}
		<-time.After(min(max(passed/10, 2*time.Millisecond), 50*time.Millisecond, most-passed))
	}
}

// Hangups gives what the tests start SIGHUP's default, also where they are run
// with nohup, which ignores it: a signal that is caught here is back at its default
// in a program that is started from here.
func Hangups() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}

package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A signal ends ask also while it still waits for its request.
func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := exec.Command(binary, "ask", "--host", "terminal")
		cmd.Env = append(cmd.Environ(), "ASKPANE_SPOOL="+t.TempDir())
		stdin, err := cmd.StdinPipe() // and nothing comes
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Before the process has set its signals up, one would just kill it.
		eventually(t, "the process catches the signal", func() bool { return catches(cmd.Process.Pid, sig) })
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		stdin.Close()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%v: %v, want exit 130", sig, err)
		}
		var e struct{ Outcome string }
		if err := json.Unmarshal(out.Bytes(), &e); err != nil || e.Outcome != "aborted" {
			t.Errorf("%v: standard output %q, %v", sig, strings.TrimSpace(out.String()), err)
		}
	}
}

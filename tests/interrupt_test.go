package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal ends ask also while it still waits for its request.
func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := exec.Command(binary, "ask", "--host", "terminal")
		cmd.Env = append(cmd.Environ(), "ASKPANE_SPOOL="+t.TempDir())
		in, stdin, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd.Stdin, cmd.Stdout = in, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in.Close()
		// Before the process has set its signals up, one would just kill it; after that it
		// reads. This is more than the pipe holds, and nothing more comes.
		if err := stdin.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := stdin.WriteString(strings.Repeat(" ", 200<<10)); err != nil {
			t.Fatalf("the process does not read: %v", err)
		}
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

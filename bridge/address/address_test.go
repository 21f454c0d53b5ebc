package address

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/tests/must"
)

// TestMain is a desk that does nothing, too, where a test starts it as one.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HOLD"); dir != "" {
		f, err := Hold(dir)
		if err == nil {
			err = Address{Version: "1", PID: os.Getpid(), URL: "http://127.0.0.1:1/"}.Write(dir)
		}
		if err != nil {
			panic(err)
		}
		os.Stdout.Close()
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends it
		f.Close()
		return
	}
	os.Exit(m.Run())
}

// desk starts a desk, and returns how to end it.
func desk(t *testing.T, dir string) (cmd *exec.Cmd, end func()) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOLD="+dir)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	must.Do(t, cmd.Start())
	end = sync.OnceFunc(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	_, _ = out.Read(make([]byte, 1)) // it has closed its end
	return cmd, end
}

func TestTheLockAloneSaysThatADeskIsUp(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := Dir()
	must.Do(t, err)
	must.Do(t, (Address{Version: "1", PID: os.Getpid()}).Write(dir)) // one that was killed has left it
	if a, up := Up(); up {
		t.Errorf("without a lock %+v is up", a)
	}
	cmd, end := desk(t, dir)
	a, up := Up()
	if !up || a.PID != cmd.Process.Pid {
		t.Errorf("a desk that is up: %+v, %v; its process is %d", a, up, cmd.Process.Pid)
	}
	if _, err := Hold(dir); !errors.Is(err, ErrUp) {
		t.Errorf("a second desk took the lock: %v", err)
	}
	must.Do(t, (Address{Version: "1", PID: 1}).Write(dir))
	if a, up := Up(); up {
		t.Errorf("%+v is said to be up, and process %d has the lock", a, cmd.Process.Pid)
	}
	end()
	if a, up := Up(); up {
		t.Errorf("%+v has ended, and is up", a)
	}
}

func TestDirectoryOpenToOthersIsRefused(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	dir := filepath.Join(state, "askpane", "desk")
	must.Do(t, os.MkdirAll(dir, 0o700))
	must.Do(t, os.Chmod(dir, 0o750))
	if _, err := Dir(); err == nil || !strings.Contains(err.Error(), "chmod go= ") {
		t.Errorf("mode 0750: %v", err)
	}
	if c := Checks("1")[0]; c.State != hint.Warn || !strings.Contains(c.Fix, "chmod") {
		t.Errorf("doctor says %+v", c)
	}
}

func TestDoctorSaysWhyItCouldNotStart(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if c := Checks("1")[0]; c.State != hint.Off {
		t.Errorf("never started: %+v", c)
	}
	dir, _ := Dir()
	Failed(dir, errors.New("no port is free"))
	if c := Checks("1")[0]; c.State != hint.Warn || !strings.Contains(c.Detail, "no port is free") {
		t.Errorf("after a failure: %+v", c)
	}
	must.Do(t, (Address{}).Write(dir))
	if c := Checks("1")[0]; c.State != hint.Off {
		t.Errorf("after a start that went well: %+v", c)
	}
}

func TestDeathsThatFollowEachOther(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for what, test := range map[string]struct {
		last Address
		died int
	}{
		"the first one":      {Address{}, 0},
		"after one's end":    {Address{PID: 1, Since: now, Ended: true, Died: 3}, 0},
		"after a death":      {Address{PID: 1, Since: now}, 1},
		"after three deaths": {Address{PID: 1, Since: now, Died: 2}, 3},
		"after a long life":  {Address{PID: 1, Since: now.Add(-2 * soon), Died: 2}, 1},
	} {
		if died := (Address{PID: 2}).After(test.last).Died; died != test.died {
			t.Errorf("%s: %d, want %d", what, died, test.died)
		}
	}
}

func TestPaired(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "my [state]"))
	dir, err := Dir()
	must.Do(t, err)
	must.Do(t, os.Mkdir(filepath.Join(dir, "devices"), 0o700))
	if Paired() {
		t.Error("a device is paired before one was")
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "devices", PairedID+"3f2"), nil, 0o600))
	if !Paired() {
		t.Error("no device is paired")
	}
}

package integrations

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/tests/needs"
)

// answered is a host that has answered after so long.
type answered struct {
	host.Host
	after time.Duration
}

// A host that hangs is passed over.
func TestOneHangs(t *testing.T) {
	t.Parallel()
	hangs := func(ctx context.Context) (host.Host, error) { <-ctx.Done(); return nil, ctx.Err() }
	soon := func(context.Context) (host.Host, error) { return answered{after: 1}, nil }
	h, err := firstOf(t.Context(), []*host.Kind{{Name: "hangs", Find: hangs}, {Name: "soon", Find: soon}}, nil)
	if err != nil || h.(answered).after != 1 {
		t.Errorf("beside one that hangs there is %v, %v", h, err)
	}
}

// A host that this process is in may be later than the others may.
func TestInsideAndLate(t *testing.T) {
	t.Parallel()
	late := func(ctx context.Context) (host.Host, error) {
		select {
		case <-time.After(answerLimit + 200*time.Millisecond):
			return answered{after: answerLimit}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	soon := func(context.Context) (host.Host, error) { return answered{}, nil }
	hosts := []*host.Kind{{Name: "late", Find: late}, {Name: "soon", Find: soon}}
	for inside, want := range map[bool]time.Duration{false: 0, true: answerLimit} {
		above := map[*host.Kind]host.Process{}
		if inside {
			above[hosts[0]] = host.Process{PID: os.Getpid()}
		}
		h, err := firstOf(t.Context(), hosts, above)
		if err != nil || h.(answered).after != want {
			t.Errorf("where this process is in the first (%v) it is %v, %v", inside, h, err)
		}
	}
}

// After su the multiplexer around is another user's: what that opens runs as its user, who may not
// read the questions of this one.
func TestAnothersHost(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		needs.Missing(t, "root", "only root can start a program as somebody else; run the tests as root")
	}
	theirs := exec.Command("cat")
	theirs.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	hangUp, err := theirs.StdinPipe()
	if err == nil {
		err = theirs.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hangUp.Close(); _ = theirs.Wait() })
	find := func(context.Context) (host.Host, error) { return answered{}, nil }
	hosts := []*host.Kind{{Name: "theirs", Find: find}, {Name: "ours", Find: func(context.Context) (host.Host, error) { return answered{after: 1}, nil }}}
	from, _ := process.Of(theirs.Process.Pid)
	above := map[*host.Kind]host.Process{hosts[0]: from}
	if h, err := firstOf(t.Context(), hosts, above); err != nil || h.(answered).after != 1 {
		t.Errorf("beside one of ours, another user's is found: %v, %v", h, err)
	}
	if h, err := firstOf(t.Context(), hosts[:1], above); err == nil || !strings.Contains(err.Error(), "another user's") {
		t.Errorf("another user's alone is %v, %v", h, err)
	}
}

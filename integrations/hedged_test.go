package integrations

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
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

func TestHedged(t *testing.T) {
	const never, soon, late = time.Hour, time.Millisecond, answerLimit / 2 // late is after unhurried
	for _, c := range []struct {
		name  string
		looks []time.Duration // after which each answers
		found time.Duration   // by which of them
		least time.Duration   // that it takes
		run   int32           // how many of them
	}{
		{"the first is quick", []time.Duration{soon, 0}, soon, soon, 1},
		{"the first is slow, and goes first all the same", []time.Duration{late, soon}, late, late, 2},
		{"some hang", []time.Duration{never, never, late}, late, answerLimit, 3},
		{"all hang", []time.Duration{never, never, never}, 0, answerLimit, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var run atomic.Int32
			var hosts []*host.Kind
			for _, after := range c.looks {
				hosts = append(hosts, &host.Kind{Find: func(ctx context.Context) (host.Host, error) {
					run.Add(1)
					select {
					case <-time.After(after):
						return answered{after: after}, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}})
			}
			began := time.Now()
			once, stop := hedged(t.Context(), hosts, nil)
			defer stop()
			var found time.Duration
			err := errors.New("nothing was looked at")
			for _, look := range once {
				var h host.Host
				if h, err = look(); err == nil {
					found = h.(answered).after
					break
				}
			}
			took := time.Since(began)
			if found != c.found || (err != nil) != (c.found == 0) || run.Load() != c.run || took < c.least || took > c.least+500*time.Millisecond {
				t.Errorf("found %v, %v after %v, of %d run; want %v after %v, of %d", found, err, took, run.Load(), c.found, c.least, c.run)
			}
		})
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

package integrations

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
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
			once, stop := hedged(t.Context(), hosts, answerLimit)
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
	for limit, want := range map[time.Duration]time.Duration{answerLimit: 0, insideLimit: answerLimit} {
		h, err := new(found).find(t.Context(), Auto, hosts, limit)
		if err != nil || h.(answered).after != want {
			t.Errorf("with %v for the first it is %v, %v", limit, h, err)
		}
	}
}

// A host that this process has found before and that is late now is there; one that says
// that it is not has gone.
func TestFoundBefore(t *testing.T) {
	t.Parallel()
	gone := errors.New("no server is running")
	says := make(chan error, 1)
	hosts := []*host.Kind{{Name: "toy", Find: func(ctx context.Context) (host.Host, error) {
		select {
		case err := <-says:
			return answered{after: 1}, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}}
	var f found
	if h, err := f.find(t.Context(), "toy", hosts, answerLimit); err == nil {
		t.Errorf("one that was never found is %v", h)
	}
	for _, c := range []struct {
		say   bool
		what  error
		there bool
	}{{true, nil, true}, {false, nil, true}, {true, gone, false}, {false, nil, true}} {
		if c.say {
			says <- c.what
		}
		if h, err := f.find(t.Context(), "toy", hosts, answerLimit); (h != nil) != c.there || (err == nil) != c.there {
			t.Errorf("says %v: %v, %v; want it there: %v", c.what, h, err, c.there)
		}
	}
}

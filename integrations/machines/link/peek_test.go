package link

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// What the asking pane shows is seen by a person's machine, if that was allowed, and by
// nobody else; of a question that is not there nothing is.
func TestPeek(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	laptop, build, second := w.machine("laptop", true), w.machine("build1", false), w.machine("build2", false)
	q := build.ask()
	laptop.sees(q.id)
	see := func(d *desk, id string) (string, error) {
		nc, err := Connect(d.id)
		must.Do(w, err)
		defer nc.Close()
		return Screen(t.Context(), nc, d.id, "build1", id)
	}
	refused := func(d *desk, id, why string) {
		t.Helper()
		if screen, err := see(d, id); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q, %v", screen, err)
		}
	}
	refused(laptop, q.id, "build1 shows nobody its panes")
	build.with(func(c *Config) {
		c.Pane = func(_ context.Context, req spool.Request) (string, error) {
			if req.ID != q.id {
				return "", errors.New("the pane has closed")
			}
			return "$ make " + req.Origin.Ref, nil
		}
	})
	other := build.ask()
	laptop.sees(other.id)
	w.until("it is there", func() bool { return build.status().Connected && build.status().Unpublished == 0 })
	nc, err := nats.Connect(w.server.ClientURL())
	must.Do(w, err)
	t.Cleanup(nc.Close)
	wire, err := nc.SubscribeSync(">")
	must.Do(w, err)
	must.Do(w, nc.Flush())
	if screen, err := see(laptop, q.id); screen != "$ make %1" || err != nil {
		t.Errorf("%q, %v", screen, err)
	}
	refused(laptop, other.id, "build1: the pane has closed")
	refused(second, q.id, "it only asks")
	must.Do(w, nc.Flush())
	for n, _, _ := wire.Pending(); n > 0; n, _, _ = wire.Pending() {
		m, err := wire.NextMsg(patience)
		must.Do(w, err)
		if strings.Contains(string(m.Data), "$ make") {
			t.Error("the hub could read it")
		}
	}
}

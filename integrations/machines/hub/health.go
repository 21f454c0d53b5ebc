package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// A bucket whose disk has failed it once, however briefly, takes nothing more until its
// server is started anew. So the hub writes something of its own now and then, and as soon
// as the server has something to say; where that fails it tells all machines so, and starts
// the server again once the disk takes what is written.

const (
	healthTime = link.AliveTime / 3
	writeTime  = 10 * time.Second
	healPause  = time.Second
	probeSize  = 256 << 10
)

// stayHealthy looks after the hub until ctx ends.
func (h *Hub) stayHealthy(ctx context.Context) {
	tick := time.NewTicker(healthTime)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-h.doubt:
		}
		if err := h.healthy(ctx); err != nil && ctx.Err() == nil {
			h.heal(ctx, err)
		}
	}
}

// healthy returns an error if what is written is not kept. It writes where no machine looks,
// and tells persons' machines which machines have used up their quota.
func (h *Hub) healthy(ctx context.Context) error {
	if s := h.server.Healthz(nil); s.Error != "" {
		return errors.New(s.Error)
	}
	if _, err := os.Stat(filepath.Join(h.store(), server.JetStreamStoreDir)); err != nil {
		return err // somebody has removed it, and the server writes to what it has open
	}
	h.mu.Lock()
	var kept error
	if h.expire() {
		kept = h.save() // which ends the connections of their guests
	}
	h.mu.Unlock()
	if kept != nil {
		return kept
	}
	ctx, cancel := context.WithTimeout(ctx, 2*writeTime)
	defer cancel()
	_, err := h.kv[link.Bids].Put(ctx, link.Hub+".health", nil)
	if full := h.ledger.refused(); err == nil && len(full) > 0 {
		_, err = h.kv[link.Alive].Put(ctx, link.Hub, trust.Encode(link.Said{Full: full}))
	}
	if errors.As(err, new(*jetstream.APIError)) { // the bucket has no room; it is not the disk
		return nil
	}
	return err
}

// heal tells machines that nothing is kept now, and why, and restarts the server as soon as its
// disk accepts writes.
func (h *Hub) heal(ctx context.Context, err error) {
	for said := false; err != nil; said = true {
		why := hint.New("free some space there if its disk is full, and it goes on by itself", "the hub keeps nothing at the moment, since its store %s takes nothing: %w", h.store(), err)
		if h.sicken(why); !said {
			h.config.Log(why)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(healPause):
		}
		if err = h.probe(); err == nil {
			h.down()
			err = h.up(ctx)
		}
	}
	h.sicken(nil)
	h.config.Log(errors.New("the hub has opened its store anew, and keeps again what machines send"))
}

func (h *Hub) sicken(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sick = why
}

// store returns JetStream's directory.
func (h *Hub) store() string { return filepath.Join(h.config.Dir, "store") }

// probe returns an error unless the disk accepts a write.
func (h *Hub) probe() error {
	_ = os.Mkdir(h.store(), 0o700) // it may have been removed
	path := filepath.Join(h.store(), "probe")
	err := os.WriteFile(path, make([]byte, probeSize), 0o600)
	_ = os.Remove(path) // or it was not made
	return err
}

// up starts the server, and connects the hub to it.
func (h *Hub) up(ctx context.Context) error {
	if err := h.serve(); err != nil {
		return err
	}
	if err := h.connect(ctx); err != nil {
		return fmt.Errorf("use the hub's own server: %w", err)
	}
	return nil
}

// down ends the connection and the server.
func (h *Hub) down() {
	h.mu.Lock()
	nc, s := h.nc, h.server
	h.mu.Unlock()
	if nc != nil {
		nc.Close()
	}
	if s != nil {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

package hub

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

// TestOwnServer: at a NATS of the person's own machines are invited, revoked and invited
// again by the root key alone.
func TestOwnServer(t *testing.T) {
	t.Parallel()
	w := &world{T: t, dir: t.TempDir()}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true})
	must.Do(w, err)
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	own := settings.Settings{HubURL: s.ClientURL()}
	admin := func() *Admin {
		a, err := Administer(t.Context(), w.dir+"/laptop", own)
		must.Do(w, err)
		t.Cleanup(a.Close)
		return a
	}
	joins := func(name string, inv trust.Invite, err error) {
		must.Do(w, err)
		_, err = Join(t.Context(), w.dir+"/"+name, inv)
		must.Do(w, err)
		id, err := link.Load(w.dir+"/"+name, own)
		must.Do(w, err)
		sp, err := spool.Open(w.dir + "/spool-" + name)
		must.Do(w, err)
		defer sp.Close()
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error)
		go func() {
			over <- link.Serve(ctx, link.Config{ID: id, Spool: sp, Beat: 100 * time.Millisecond, Late: func(*spool.Entry, string) {}, Log: func(err error) { t.Error(name, err) }})
		}()
		nc, _ := w.connected(id)
		w.until(name+" is known", func() bool {
			known, err := link.Known(t.Context(), nc, id)
			must.Do(w, err)
			m, _ := known.Get(name)
			return m.Serial == id.Member.Serial
		})
		cancel()
		must.Do(w, <-over)
	}
	inv, err := trust.OwnerInvite("laptop")
	joins("laptop", inv, err)
	inv, err = admin().Invite(t.Context(), "build1", false)
	joins("build1", inv, err)

	_, err = admin().Invite(t.Context(), "build1", false)
	w.refused(err, "there is a machine build1 already")
	w.refused(admin().Revoke(t.Context(), "laptop"), "owner's machine")
	must.Do(w, admin().Revoke(t.Context(), "build1"))
	if m, err := admin().members.Get("build1"); m.Revoked == nil {
		t.Errorf("revoked, it is %+v, %v", m, err)
	}
	inv, err = admin().Invite(t.Context(), "build1", false)
	joins("build1", inv, err)
	all, err := admin().Machines(t.Context())
	must.Do(w, err)
	if len(all) != 2 || all[0].Revoked != nil || !all[1].This {
		t.Errorf("the machines are %+v", all)
	}
}

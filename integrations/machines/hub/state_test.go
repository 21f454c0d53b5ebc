package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/tests/must"
)

// TestSetUpAnew: the hub's key is lost. By the root key and new lines all join it again.
func TestSetUpAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	build := w.machine("build1", false)
	w.hub.Close()
	must.Do(w, os.RemoveAll(w.dir+"/hub"))
	must.Do(w, Init(w.dir+"/hub", nobodys()))
	w.start()
	_, err := link.Connect(build)
	w.refused(err, "not the hub that this machine has joined")
	w.owner()
	w.connected(w.machine("build1", false))
}

// TestRestart: after it the hub is what it was. Then what waits in it is lost, and its keys are
// there: it knows all machines, and who was revoked, and shows that to all.
func TestRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	build, phone, gone := w.machine("build1", false), w.machine("phone", true), w.machine("gone", true)
	must.Do(w, w.admin().Revoke(t.Context(), "gone"))
	open := w.line("build2", false)
	_, js := w.connected(build)
	_, err := w.bucket(js, link.Entries).Put(t.Context(), "build1."+ulid, []byte("a question"))
	must.Do(w, err)
	url, pin := w.hub.URL, w.hub.Pin
	w.hub.Close()
	w.start()
	if w.hub.URL != url || w.hub.Pin != pin {
		t.Errorf("it is another hub: %s %s", w.hub.URL, w.hub.Pin)
	}
	w.connected(build)
	raw, err := jetstream.New(w.hub.nc)
	must.Do(w, err)
	e, err := w.bucket(raw, link.Entries).Get(t.Context(), "build1."+ulid)
	must.Do(w, err)
	if string(e.Value()) != "a question" {
		t.Errorf("the hub has %q", e.Value())
	}
	_, err = Join(t.Context(), w.dir+"/build2", open)
	must.Do(w, err)

	w.hub.Close()
	must.Do(w, os.RemoveAll(w.dir+"/hub/store"))
	w.start()
	_, err = link.Connect(gone)
	w.refused(err, "was revoked")
	w.connected(build)
	_, js = w.connected(phone)
	_, err = w.bucket(js, link.Bids).Update(t.Context(), "build1."+ulid+".phone", []byte("x"), 0)
	must.Do(w, err)
	admin := w.admin()
	all, err := admin.Machines(t.Context())
	must.Do(w, err)
	said := ""
	for _, m := range all {
		said += fmt.Sprintf("%s %t, ", m.Name, m.Revoked == nil)
	}
	if said != "build1 true, build2 true, gone false, laptop true, phone true, " {
		t.Errorf("the machines are %s", said)
	}
	inv, err := admin.Invite(t.Context(), "gone", false)
	must.Do(w, err)
	_, err = Join(t.Context(), w.dir+"/again", inv)
	must.Do(w, err)
}

// TestDamagedStore: what the server cannot make a bucket of is made anew, and the hub is up.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	build := w.machine("build1", false)
	w.hub.Close()
	config := Config{Dir: w.hub.config.Dir, Listen: strings.TrimPrefix(w.hub.URL, "tls://")}
	files := config.Dir + "/store/jetstream/$G/streams/KV_ask_machines"
	must.Do(w, os.RemoveAll(files))
	must.Do(w, os.WriteFile(files, []byte("damaged"), 0o600))
	var said []string
	config.Log = func(err error) { said = append(said, err.Error()) }
	var err error
	w.hub, err = Start(t.Context(), config)
	must.Do(w, err)
	if all := strings.Join(said, "\n"); !strings.Contains(all, "ask_machines could not be used") {
		t.Errorf("the hub says %q", all)
	}
	_, js := w.connected(build)
	watch, err := w.bucket(js, link.Machines).WatchAll(t.Context())
	must.Do(w, err)
	defer watch.Stop()
	if e := <-watch.Updates(); e == nil {
		t.Error("no machine is there")
	}
}

func TestBadState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := &world{T: t, dir: dir}
	start := func(listen string) error {
		h, err := Start(t.Context(), Config{Dir: dir, Listen: listen, Log: w.log})
		if h != nil {
			h.Close()
		}
		return err
	}
	must.Do(w, Init(dir, nobodys()))
	w.refused(start("nonsense"), "nonsense", "--listen")
	h, err := Start(t.Context(), Config{Dir: dir, Log: w.log})
	must.Do(w, err)
	if !h.server.JetStreamConfig().SyncAlways {
		t.Error("what was acknowledged may be lost")
	}
	if err := start(""); !errors.Is(err, ErrUp) {
		t.Errorf("a second hub on one store: %v", err)
	}
	other := t.TempDir()
	must.Do(w, Init(other, strings.TrimPrefix(h.URL, "tls://")))
	_, err = Start(t.Context(), Config{Dir: other, Log: w.log})
	w.refused(err, "cannot listen at", "in use", "--listen")
	h.Close()
	for _, path := range []string{"", stateFile} {
		info, err := os.Lstat(filepath.Join(dir, path))
		must.Do(w, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q is open to others: %v", path, info.Mode())
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	must.Do(w, err)
	must.Do(w, os.WriteFile(filepath.Join(dir, stateFile), []byte(strings.Replace(string(data), `"version":1`, `"version":9`, 1)), 0o600))
	w.refused(start(""), "newer askpane")
	must.Do(w, os.WriteFile(filepath.Join(dir, stateFile), data[:40], 0o600))
	w.refused(start(""), "read the hub's keys")
}

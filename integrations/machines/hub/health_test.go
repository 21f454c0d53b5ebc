package hub

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// TestFullDisk: the disk of the hub is full for a moment, and a machine writes just then. All
// are told that the hub keeps nothing; once there is room again, so do their questions go on
// their way, what was there before is there, and nobody has started the hub again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		needs.Cannot(t, "a full disk", "it takes root on Linux, to mount a small tmpfs")
	}
	w := newWorld(t)
	w.expects = []string{"no space left on device", "opened its store anew", "takes nothing", "Resource not found"}
	w.hub.Close()
	dir := w.dir + "/hub/store"
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,size=3m", "askpane-test", dir).CombinedOutput(); err != nil {
		needs.Cannot(t, "a full disk", fmt.Sprintf("a small tmpfs cannot be mounted here: %v: %s", err, out))
	}
	t.Cleanup(func() {
		w.hub.Close() // first, or it is busy
		must.Do(t, exec.Command("umount", dir).Run())
	})
	w.start()
	w.owner()
	build := w.machine("build1", false)
	before := question(build)
	_, js := w.connected(build)
	_, err := w.bucket(js, link.Entries).Put(t.Context(), before, []byte("waits"))
	must.Do(w, err)

	full := filepath.Join(dir, "full")
	f, err := os.Create(full)
	must.Do(w, err)
	for _, size := range []int{64 << 10, 1 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	must.Do(w, f.Close())
	_, err = w.bucket(js, link.Entries).Put(t.Context(), question(build), make([]byte, 64<<10))
	w.refused(err)
	w.says("the hub keeps nothing at the moment, since its store " + dir + " takes nothing")
	w.until("all are told", func() bool {
		_, err := Administer(t.Context(), w.dir+"/laptop", settings.Settings{})
		return err != nil && strings.Contains(err.Error(), "no space left on device; ") && strings.HasPrefix(toDo(err), "free some space there")
	})

	must.Do(w, os.Remove(full))
	after := question(build)
	w.until("it goes on by itself", func() bool {
		nc, err := link.Connect(build)
		if err != nil {
			return false
		}
		defer nc.Close()
		js, err := link.JetStream(nc, build)
		must.Do(w, err)
		kv, err := js.KeyValue(t.Context(), link.Entries)
		if err == nil {
			_, err = kv.Put(t.Context(), after, []byte("waits"))
		}
		return err == nil
	})
	all := map[string]bool{}
	nc, _ := w.connected(build)
	must.Do(w, link.Each(t.Context(), nc, build, link.Entries, "build1.>", func(key string, _ []byte) { all[key] = true }))
	if !all[before] || !all[after] {
		t.Errorf("the hub has %v", all)
	}
}

// TestRemovedStore: somebody removes the store of a hub that is up. It begins a new one, and lets
// the machines in that it knows.
func TestRemovedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.expects = []string{"takes nothing", "opened its store anew", "no such file"}
	w.owner()
	build := w.machine("build1", false)
	must.Do(w, os.Rename(w.dir+"/hub/store", w.dir+"/gone"))
	w.hub.suspect() // or ten seconds later
	w.says("opened its store anew")
	nc, js := w.connected(build)
	_, err := w.bucket(js, link.Entries).Put(t.Context(), question(build), []byte("waits"))
	must.Do(w, err)
	known, err := link.Known(t.Context(), nc, build)
	must.Do(w, err)
	if _, err := known.Get("laptop"); err != nil {
		t.Error(err)
	}
}

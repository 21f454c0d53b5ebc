package hub

import (
	"fmt"
	"testing"

	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

// The hub's own connection has a subscription for each machine, and room for more of them than
// any other would need: the last machine's questions pass the gate as the first one's do.
func TestManyMachines(t *testing.T) {
	t.Parallel()
	w, build, _ := limited(t)
	w.hub.mu.Lock()
	for i := range 300 {
		must.Do(w, w.hub.admit(fmt.Sprintf("m%d", i)))
	}
	w.hub.mu.Unlock()
	last := w.machine("last", false)
	for _, m := range []*trust.Identity{build, last} {
		_, js := w.connected(m)
		_, err := w.bucket(js, link.Entries).Put(w.soon(), question(m), []byte("waits"))
		must.Do(w, err)
	}
}

package popup

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/popup/machine"
)

// draftDelay is how far the draft on disk may be behind.
const draftDelay = 150 * time.Millisecond

// drafts writes the newest state of a form beside the event loop, at most draftDelay
// after the change.
type drafts struct {
	newest  atomic.Pointer[machine.Draft] // nil where all is written
	writing sync.Mutex
	write   func(machine.Draft)
}

// save has m written soon. An older state that was not written yet is dropped.
func (d *drafts) save(m *machine.Machine) {
	draft := m.Draft()
	if d.newest.Swap(&draft) == nil {
		time.AfterFunc(draftDelay, d.flush)
	}
}

// flush writes what is saved, and waits until it is written.
func (d *drafts) flush() {
	d.writing.Lock()
	defer d.writing.Unlock()
	if draft := d.newest.Swap(nil); draft != nil {
		d.write(*draft)
	}
}

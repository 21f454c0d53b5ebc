package popup

import (
	"time"

	"github.com/askpane/askpane/popup/machine"
)

// draftDelay is how far the draft on disk may be behind.
const draftDelay = 150 * time.Millisecond

// drafts writes the newest state of a form beside the event loop, at most draftDelay
// after the change.
type drafts struct {
	newest chan machine.Draft // holds one; only the event loop fills it
	over   chan struct{}      // closed when the last one is written
}

func newDrafts(write func(machine.Draft)) *drafts {
	d := &drafts{newest: make(chan machine.Draft, 1), over: make(chan struct{})}
	go func() {
		defer close(d.over)
		for draft := range d.newest {
			write(d.settled(draft))
		}
	}()
	return d
}

// settled is the newest draft once draftDelay has passed, or the last one at the end.
func (d *drafts) settled(draft machine.Draft) machine.Draft {
	due := time.NewTimer(draftDelay)
	defer due.Stop()
	for {
		select {
		case newer, open := <-d.newest:
			if !open {
				return draft
			}
			draft = newer
		case <-due.C:
			return draft
		}
	}
}

// save has m written soon. An older state that was not written yet is dropped.
func (d *drafts) save(m *machine.Machine) {
	select {
	case <-d.newest:
	default:
	}
	d.newest <- m.Draft()
}

// close waits until what was saved is written.
func (d *drafts) close() {
	close(d.newest)
	<-d.over
}

// Package drafts keeps the draft of a form on the disk, for every surface that shows it:
// what a machine holds goes there, and what the others have said comes from there.
//
// It touches the entry. The rule that must hold here: no change of a machine's is given
// up before it is written.
package drafts

import (
	"bytes"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
)

const (
	// Delay bounds how far the draft on the disk may be behind.
	Delay = 150 * time.Millisecond
	// Again passes after a failure before a draft is written once more.
	Again = time.Second
)

// Drafts writes the newest state of one form's machine beside the loop that it belongs
// to, at most Delay after the change. Its fields are set before it is used.
type Drafts struct {
	Entry *spool.Entry
	// Met gets what is on the disk now, for the machine to meet, and Failed why it
	// could not be written. Any goroutine may call them.
	Met    func(machine.Draft)
	Failed func(error)
	// Over reports whether nothing is to be written any more.
	Over func() bool

	newest  atomic.Pointer[machine.Draft] // nil where all is written
	writing sync.Mutex                    // guards what follows
	known   []byte                        // what is on the disk, as far as is known
	closed  bool
}

// Save has m written soon. An older state that was not written yet is dropped.
func (d *Drafts) Save(m *machine.Machine) {
	draft := m.Draft()
	if d.newest.Swap(&draft) == nil {
		time.AfterFunc(Delay, d.flush)
	}
}

// Close writes what is saved, and waits until it is written.
func (d *Drafts) Close() {
	d.writing.Lock()
	d.closed = true
	d.writing.Unlock()
	d.flush()
}

func (d *Drafts) flush() {
	d.writing.Lock()
	defer d.writing.Unlock()
	draft := d.newest.Swap(nil)
	if draft == nil || d.Over() {
		return
	}
	merged, file, err := Write(d.Entry, *draft)
	if err == nil {
		d.known = file
		d.Met(merged)
		return
	}
	if d.newest.CompareAndSwap(nil, draft) && !d.closed {
		time.AfterFunc(Again, d.flush)
	}
	d.Failed(err)
}

// Write writes the draft of a machine over what is on the disk. What is there then is
// for the machine to meet.
func Write(e *spool.Entry, mine machine.Draft) (merged machine.Draft, file json.RawMessage, err error) {
	var disk machine.Draft
	err = e.UpdateDraft(&disk, func(found bool) (any, error) {
		if merged = mine; found {
			merged = machine.Merge(disk, mine)
		}
		file, err = json.Marshal(merged)
		return file, err
	})
	return merged, file, err
}

// Reload tells Met what others have written.
func (d *Drafts) Reload() {
	d.writing.Lock()
	defer d.writing.Unlock()
	var file json.RawMessage
	if ok, err := d.Entry.Draft(&file); !ok || err != nil || bytes.Equal(file, d.known) {
		return // one that cannot be read is put aside when it is written over
	}
	var draft machine.Draft
	if json.Unmarshal(file, &draft) == nil {
		d.known = file
		d.Met(draft)
	}
}

package sitting

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

const (
	// saving bounds how far the draft on the disk may be behind.
	saving = 150 * time.Millisecond
	// again passes after a failure before a draft is written once more.
	again = time.Second
)

// save has the machine's draft written soon, beside the surface's goroutine. An older state
// that was not written yet is dropped.
func (s *Sitting) save() {
	draft := s.M.Draft()
	if s.newest.Swap(&draft) == nil {
		time.AfterFunc(saving, s.flush)
	}
}

// saveNow writes what is to be saved, and waits until it is written.
func (s *Sitting) saveNow() {
	s.writing.Lock()
	s.closed = true
	s.writing.Unlock()
	s.flush()
}

func (s *Sitting) flush() {
	s.writing.Lock()
	defer s.writing.Unlock()
	draft := s.newest.Swap(nil)
	if draft == nil || s.settled.Load() { // a form that has its answer has no more use for one
		return
	}
	merged, file, err := Write(s.Entry, *draft)
	if err == nil {
		s.onDisk = file
		s.meet(merged)
		return
	}
	if s.newest.CompareAndSwap(nil, draft) && !s.closed {
		time.AfterFunc(again, s.flush)
	}
	s.Post(func() { s.Unsaving = scene.NotSaving + scene.Why(err) })
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

// reload meets what others have written.
func (s *Sitting) reload() {
	s.writing.Lock()
	defer s.writing.Unlock()
	var file json.RawMessage
	if ok, err := s.Entry.Draft(&file); !ok || err != nil || bytes.Equal(file, s.onDisk) {
		return // one that cannot be read is put aside when it is written over
	}
	var draft machine.Draft
	if json.Unmarshal(file, &draft) == nil {
		s.onDisk = file
		s.meet(draft)
	}
}

// meet takes over what is on the disk, where there is room, since it was written.
func (s *Sitting) meet(d machine.Draft) {
	s.Post(func() { s.Unsaving, s.Met = "", s.M.Meet(d) || s.Met })
}

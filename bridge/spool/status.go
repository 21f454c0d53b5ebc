package spool

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// Status is what the files and locks of an entry say at one moment. Nothing
// stores it. The zero value is a question whose bridge waits and that no popup
// shows.
type Status struct {
	Answered  bool // the answer is on the disk
	Delivered bool // and was handed over
	Removed   bool // the entry has left the spool, for the history or altogether
	AgentGone bool // no bridge waits for it
	Shown     bool // a popup has it
	Painted   bool // and has said where the form is
	Aside     bool // no popup has it, and the last one put it off

	// The popup that last said where the form is: the host's own name for the
	// viewer, the process, and when that was. PID is zero unless the popup has
	// the entry still.
	Viewer string
	PID    int
	Since  time.Time
}

// Over reports whether nobody needs to answer the question any more.
func (s Status) Over() bool { return s.Answered || s.Delivered || s.Removed }

// State is the status in the one word that askpane list has for it.
func (s Status) State() string {
	switch {
	case s.Delivered || s.Removed:
		return "delivered"
	case s.Answered:
		return "answered"
	case s.Shown:
		return "shown"
	case s.AgentGone:
		return "agent gone"
	}
	return "pending"
}

// Status looks at the entry without touching it.
func (e *Entry) Status() Status {
	_, err := e.root.Lstat(answerFile)
	s := Status{
		Answered: !errors.Is(err, fs.ErrNotExist), Delivered: e.delivered(), Removed: e.removed(),
		AgentGone: !e.held(bridgeLock), Shown: e.held(popupLock),
	}
	if p, said := e.popup(); said {
		s.Painted, s.Aside, s.Viewer = s.Shown, p.Aside && !s.Shown, p.Viewer
		if s.Shown {
			s.PID, s.Since = p.PID, p.Since
		}
	}
	return s
}

// delivered reports whether the answer was handed over. From then on nobody gets
// it again, whatever becomes of the move into the history. Entries of older
// versions say so by being in the history alone.
func (e *Entry) delivered() bool {
	_, err := e.root.Lstat(doneFile)
	return e.old || err == nil
}

// removed looks for the request: of a directory that was removed, the system
// tells nobody who has it open, only of the files in it.
func (e *Entry) removed() bool {
	_, err := e.spool.root.Lstat(filepath.Join(e.ID, requestFile))
	return err != nil
}

package spool

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// State is what an entry's files and locks say about it.
type State string

const (
	Pending   State = "pending"    // waits, and nobody looks at it
	Shown     State = "shown"      // a popup shows it
	Answered  State = "answered"   // has an answer that the agent has not got yet
	AgentGone State = "agent gone" // waits, but no bridge waits for it
	Delivered State = "delivered"  // has an answer that was handed over
)

// State derives the entry's state.
func (e *Entry) State() State {
	if e.Delivered() {
		return Delivered
	}
	if _, err := e.root.Lstat(answerFile); !errors.Is(err, fs.ErrNotExist) {
		return Answered
	}
	if e.held(popupLock) {
		return Shown
	}
	if !e.held(bridgeLock) {
		return AgentGone
	}
	return Pending
}

// Shows reports whether a popup is up and has said so.
func (e *Entry) Shows() bool {
	_, said := e.popup()
	return said && e.held(popupLock)
}

// Exists reports whether the entry is still in the spool; one that was delivered
// is, where the history could not take it. It looks
// for the request in it: of a directory that somebody removes, the system tells
// nobody who has it open, only of the files in it.
func (e *Entry) Exists() bool {
	_, err := e.spool.root.Lstat(filepath.Join(e.ID, requestFile))
	return err == nil
}

// Waits reports whether a bridge waits for the entry.
func (e *Entry) Waits() bool { return e.held(bridgeLock) }

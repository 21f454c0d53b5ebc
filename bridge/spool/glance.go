package spool

import (
	"errors"
	"io/fs"
	"time"
)

// Glance is what an entry's files and locks say beside the question itself.
type Glance struct {
	Answered bool // or delivered, or gone
	Gone     bool // no bridge waits for it
	// Shown: a popup has it. Viewer, PID and Since are that popup's, once it has
	// painted; PID is of a process that held popup.lock a moment ago.
	Shown  bool
	Viewer string
	PID    int
	Since  time.Time
	Aside  bool // the person wants to answer it later
}

// Glance looks at the entry without touching it.
func (e *Entry) Glance() Glance {
	var g Glance
	if _, err := e.root.Lstat(answerFile); !errors.Is(err, fs.ErrNotExist) || !e.Exists() {
		g.Answered = true
		return g
	}
	g.Gone, g.Shown = !e.held(bridgeLock), e.held(popupLock)
	if p, said := e.popup(); said {
		g.Aside = p.Aside && !g.Shown
		if g.Shown {
			g.Viewer, g.PID, g.Since = p.Viewer, p.PID, p.Since
		}
	}
	return g
}

package spool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// Status is read from the files and locks of an entry, and never stored. The zero value
// stands for a question whose bridge waits and that no popup shows.
type Status struct {
	Answered  bool // the answer is on the disk
	Delivered bool // and was handed over
	Removed   bool // the entry has left the spool, for the history or altogether
	AgentGone bool // no bridge waits for it; of a mirrored entry, on its own machine
	// Unreachable tells since when nothing was heard of the machine of a mirrored entry.
	Unreachable time.Time
	// Unattended: nobody is attached where its form could open; of a mirrored entry neither
	// here nor on its own machine.
	Unattended bool
	Maybe      bool // the agent's own dialog may have ended the question; that is not certain

	Shown   bool // a popup has it
	Painted bool // and has said where the form is
	Closing bool // the popup that has it has put it off, and is about to let go of it
	Aside   bool // no popup has it, and the last one put it off

	// Of the popup that last said where the form is:
	Viewer string    // the host's own name for it
	Name   string    // a person's name for it
	PID    int       // zero unless the process has the entry still
	Put    time.Time // when it has said that, or put the question off
}

// Over reports whether nobody needs to answer the question any more.
func (s Status) Over() bool { return s.Answered || s.Delivered || s.Removed }

// State puts the status into the one word that askpane list has for it.
func (s Status) State() string {
	switch {
	case s.Delivered || s.Removed:
		return "delivered"
	case s.Answered:
		return "answered"
	case s.Shown:
		return "shown"
	case !s.Unreachable.IsZero():
		return "unreachable"
	case s.AgentGone:
		return "agent gone"
	}
	return "pending"
}

// Status reads the entry without touching it.
func (e *Entry) Status() Status {
	s := Status{
		Answered: !missing(e.root.Lstat(answerFile)), Delivered: e.delivered(), Removed: e.removed(),
		AgentGone: !e.held(bridgeLock), Shown: e.held(popupLock), Unattended: e.has(unattendedFile), Maybe: e.has(maybeFile),
	}
	if e.mirrored() {
		a := e.Away()
		s.AgentGone, s.Unreachable, s.Unattended = a.AgentGone, a.Unreachable, s.Unattended && a.Unattended
	}
	var p popupInfo
	if e.decode(popupLock, &p) == nil {
		s.Painted, s.Viewer, s.Name, s.Put = s.Shown, p.Viewer, p.Name, p.Since
		s.Aside, s.Closing = p.Aside && !s.Shown, p.Aside && s.Shown
		if s.Shown {
			s.PID = p.PID
		}
	}
	return s
}

// Waits reports whether a bridge waits for the entry, or the desk for a mirrored one.
func (e *Entry) Waits() bool { return e.held(bridgeLock) }

// delivered reports whether the answer was handed over. From then on nobody gets it
// again, whatever becomes of the move into the history. Older versions say so by that
// move alone.
func (e *Entry) delivered() bool { return e.inHistory || e.has(deliveredFile) }

// removed checks for the request: of a directory that was removed, the system
// tells nobody who has it open, only of the files in it.
func (e *Entry) removed() bool {
	return missing(e.spool.root.Lstat(filepath.Join(e.ID, requestFile)))
}

// Record is an entry as somebody reads it, whether it waits or is over.
type Record struct {
	Request Request
	// Result says how it ended; nil where it has not. Of a mirrored entry it is the one
	// that its own machine took, and Late the one that was given here and not taken.
	// So it is where the agent took the answer of its own dialog. Verdict says why.
	Result, Late *form.Result
	Verdict      string
	Unconfirmed  bool            // the agent has not said that it took the answer
	Draft        json.RawMessage // of the form, where it has no answers; nil where none can be read
	Status       Status
}

// Record reads the entry. It leaves out a draft that cannot be read.
func (e *Entry) Record() (r Record, err error) {
	r.Status = e.Status()
	if r.Request, err = e.Request(); err != nil {
		return r, err
	}
	if result, ok, err := e.Answer(); err != nil {
		return r, err
	} else if ok {
		r.Result = &result
	}
	away := e.Away()
	if r.Verdict = away.Verdict; away.Won != nil {
		r.Late, r.Result = r.Result, away.Won
	}
	said, _ := e.read(deliveredFile) // nothing while it waits, and of an older version
	r.Unconfirmed = Taken(said) == Unconfirmed
	if Taken(said) == Outrun && r.Result != nil {
		r.Late, r.Verdict = r.Result, "answered in "+text.Product(r.Request.Origin.Agent)+" itself"
		r.Result = &form.Result{Outcome: form.Elsewhere, By: form.ByBridge, At: r.Late.At}
	}
	if (r.Result == nil || len(r.Result.Answers) == 0) && e.decode(draftFile, &r.Draft) != nil {
		r.Draft = nil
	}
	return r, nil
}

// popupInfo is written into popup.lock by its holder.
type popupInfo struct {
	Version int       `json:"version"`
	PID     int       `json:"pid"`
	Viewer  string    `json:"viewer"` // the host's own name for it
	Name    string    `json:"name,omitempty"`
	Since   time.Time `json:"since"`
	// Aside: the person closed the form to answer later. It stays when the lock
	// is free again.
	Aside bool `json:"aside,omitempty"`
}

// TakePopup takes popup.lock until Close: from now on this process shows the
// form. ok is false where another popup does.
func (e *Entry) TakePopup() (ok bool, err error) {
	if err = e.hold(popupLock); err == errHeld {
		return false, nil
	}
	if err == nil {
		err = e.overwritePopupLock(nil)
	}
	return err == nil, wrap(err, "take popup.lock of %s", e.ID)
}

// Painted writes into popup.lock, which must be held, that the form is on
// viewer, which a person calls name. This is what tells the bridge that the popup is up.
func (e *Entry) Painted(viewer, name string) error { return e.writePopupInfo(viewer, name, false) }

// PutAside writes into popup.lock, which must be held, that the person wants to
// answer later: the question waits, and nobody opens a popup for it but them.
func (e *Entry) PutAside(viewer, name string) error { return e.writePopupInfo(viewer, name, true) }

func (e *Entry) writePopupInfo(viewer, name string, aside bool) error {
	data, err := json.Marshal(popupInfo{Version: form.Version, PID: os.Getpid(), Viewer: viewer, Name: name, Since: time.Now(), Aside: aside})
	if err == nil {
		err = e.overwritePopupLock(data)
	}
	return wrap(err, "write popup.lock of %s", e.ID)
}

func (e *Entry) overwritePopupLock(text []byte) error {
	return e.overwrite(popupLock, append(text, blank(max(0, popupInfoSize-len(text)))...))
}

// SetUnattended notes whether there is nobody who could see a form. Only the holder of
// bridge.lock calls it.
func (e *Entry) SetUnattended(yes bool) (err error) {
	switch had := e.has(unattendedFile); {
	case yes && !had:
		err = e.write(unattendedFile, nil)
	case had && !yes:
		err = e.root.Remove(unattendedFile)
	}
	return wrap(err, "say who sees %s", e.ID)
}

// SetMaybe notes that the agent's own dialog may have ended the question.
func (e *Entry) SetMaybe() error {
	return wrap(e.write(maybeFile, nil), "say that %s may be over", e.ID)
}

// PopupGone closes the returned channel when no popup shows the entry.
func (e *Entry) PopupGone() <-chan struct{} { return e.free(popupLock) }

// AgentGone closes the returned channel when no bridge waits for the entry any more.
// For a mirrored entry without a desk it stays open: away.json has the last that is
// known, and the desk will be back.
func (e *Entry) AgentGone() <-chan struct{} {
	if e.mirrored() && !e.held(bridgeLock) {
		return nil
	}
	return e.free(bridgeLock)
}

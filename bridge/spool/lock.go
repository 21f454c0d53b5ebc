package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/askpane/askpane/bridge/form"
)

// lock is one of an entry's two lock files. gofrs/flock because it knows the
// systems where flock has to be imitated; flock because the kernel lets go of
// it whatever happens to the holder, so nobody has to guess from a pid.
type lock struct{ f *flock.Flock }

func (e *Entry) lockFile(name string) *lock { return e.lockAt(e.Path(), name) }

func (e *Entry) lockAt(dir, name string) *lock {
	return lockOf(filepath.Join(dir, name), os.O_CREATE)
}

// lockOf is the lock on a file, which is made if create is os.O_CREATE.
func lockOf(path string, create int) *lock {
	return &lock{flock.New(path, flock.SetFlag(create|os.O_RDWR|noFollow), flock.SetPermissions(0o600))}
}

const noFollow = syscall.O_NOFOLLOW

// take takes the lock called name if it is free and the entry's own.
func (e *Entry) take(l *lock, name string) (bool, error) {
	ok, err := l.try()
	if ok && err == nil {
		err = e.ours(l, name)
	}
	if err != nil {
		return false, errors.Join(err, l.release())
	}
	return ok, nil
}

// try takes the lock if it is free. Whoever looks at a lock holds it for an
// instant (see held), so being refused once means nothing.
func (l *lock) try() (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	ok, err := l.f.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return ok, err
}

func (l *lock) release() error { return l.f.Close() }

// held reports whether somebody holds the lock exclusively. A lock file that is
// not there is not held.
func (e *Entry) held(name string) bool {
	if info, err := e.root.Lstat(name); err != nil || plain(info) != nil {
		return false
	}
	return held(filepath.Join(e.Path(), name))
}

// popup is what popup.lock says about who holds it.
type popup struct {
	Version int       `json:"version"`
	PID     int       `json:"pid"`
	Viewer  string    `json:"viewer"` // the host's own name for it
	Since   time.Time `json:"since"`
	// Aside: the person closed the form to answer later. It stays when the lock
	// is free again.
	Aside bool `json:"aside,omitempty"`
}

// TakePopup takes popup.lock until Close: from now on this process shows the
// form. ok is false where another popup does.
func (e *Entry) TakePopup() (ok bool, err error) {
	l := e.lockFile(popupLock)
	if ok, err := e.take(l, popupLock); !ok || err != nil {
		return false, wrap(err, "take popup.lock of %s", e.ID)
	}
	e.locks, e.showing = append(e.locks, l), true
	return true, wrap(e.writeSign(nil), "take popup.lock of %s", e.ID)
}

// Painted writes into popup.lock, which must be held, that the form is on
// viewer. This is what tells the bridge that the popup is up.
func (e *Entry) Painted(viewer string) error {
	return e.writePopup(popup{Viewer: viewer})
}

// PutAside writes into popup.lock, which must be held, that the person wants to
// answer later: the question waits, and nobody opens a popup for it but them.
func (e *Entry) PutAside(viewer string) error {
	return e.writePopup(popup{Viewer: viewer, Aside: true})
}

func (e *Entry) writePopup(p popup) error {
	p.Version, p.PID, p.Since = form.Version, os.Getpid(), time.Now()
	data, err := json.Marshal(p)
	if err == nil {
		err = e.writeSign(data)
	}
	return wrap(err, "write popup.lock of %s", e.ID)
}

func (e *Entry) popup() (p popup, ok bool) {
	err := e.read(popupLock, &p)
	return p, err == nil
}

// StopWaiting lets go of bridge.lock before Close: nobody waits for the entry
// any more, and a popup that shows it looks why.
func (e *Entry) StopWaiting() error {
	if e.waiting == nil {
		return nil
	}
	e.indexing.Wait() // whoever asks the same now is to find it
	err := errors.Join(e.leaveTurn(), e.waiting.release())
	e.locks = slices.DeleteFunc(e.locks, func(l *lock) bool { return l == e.waiting })
	e.waiting = nil
	return err
}

// AgentGone closes the returned channel when no bridge waits for the entry any
// more. The goroutine behind it ends with the process or with the bridge.
func (e *Entry) AgentGone() <-chan struct{} {
	return e.whenFree(bridgeLock)
}

// PopupGone closes the returned channel when no popup shows the entry.
func (e *Entry) PopupGone() <-chan struct{} {
	return e.whenFree(popupLock)
}

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/watch"
)

// A process locks (flock) a file for as long as it does something. The kernel lets
// go of it however the process ends, so nobody has to guess from a pid.

var errHeld = watch.ErrHeld

// patience is how often take tries, with a pause between. Whoever looks at a lock
// holds it for an instant (see held), so being refused once means nothing; and on a
// busy machine an instant is long, which is why it is not a time.
const (
	patience = 50
	pause    = 5 * time.Millisecond
	// draftPatience is how often draft.lock is taken, of which each holder brings a file
	// to the disk.
	draftPatience = 4
)

// take makes the file if it is absent, and locks it until the file is closed. The
// error is errHeld where another process holds the lock.
func (d folder) lock(name string) (f *os.File, err error) {
	for range patience {
		if err = d.write(name, nil); err == nil {
			f, err = d.tryLock(name)
		}
		switch {
		case err == errHeld:
			time.Sleep(pause) // nothing tells of a lock that was looked at
		case !errors.Is(err, fs.ErrNotExist): // else somebody has just removed it
			return f, err
		}
	}
	return f, err
}

// try is take without patience, of a file that is there. The error is
// fs.ErrNotExist where it is not any more, or another has its name.
func (d folder) tryLock(name string) (*os.File, error) {
	f, err := d.open(name, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err = watch.Flock(f, unix.LOCK_EX|unix.LOCK_NB); err == nil {
		var locked, there fs.FileInfo
		locked, err = f.Stat()
		if there, _ = d.root.Lstat(name); err == nil && (there == nil || !os.SameFile(locked, there)) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// held reports whether somebody holds the lock. A file that is not there is not held.
func (d folder) held(name string) bool { return watch.Held(d.in(name)) }

// free closes the returned channel when nobody holds the lock, or its file is
// gone.
func (d folder) free(name string) <-chan struct{} {
	return watch.Freed(context.Background(), d.in(name))
}

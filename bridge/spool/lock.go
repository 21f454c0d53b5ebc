package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/watch"
)

// A process holds a lock (flock) on a file as long as it waits, shows or writes. The
// kernel lets go of it however the process ends, so nobody has to guess from a pid.

var errHeld = watch.ErrHeld

const (
	// Most locks are tried this often, with a pause between. Whoever probes a lock holds it for an
	// instant (see held), which is long on a busy machine: so tries are counted, not time.
	patience = 50
	pause    = 5 * time.Millisecond
	// draftPatience is longer, since each holder of that lock brings a file to the disk.
	draftPatience = 4 * patience
)

// lock makes the file if it is absent, and locks it until the file is closed. The
// error is errHeld where another process holds the lock.
func (d folder) lock(name string, tries int) (f *os.File, err error) {
	for range tries {
		if err = d.write(name, nil); err == nil {
			f, err = d.tryLock(name)
		}
		switch {
		case err == errHeld:
			time.Sleep(pause) // nothing tells of a lock that was probed
		case !errors.Is(err, fs.ErrNotExist): // else somebody has just removed it
			return f, err
		}
	}
	return f, err
}

// tryLock locks a file that is there, at once or not at all. The error is
// fs.ErrNotExist where it is not there any more, or another has its name.
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

func (d folder) held(name string) bool { return watch.Held(d.in(name)) }

// free closes the returned channel when nobody holds the lock, or its file is
// gone.
func (d folder) free(name string) <-chan struct{} {
	return watch.Freed(context.Background(), d.in(name))
}

// Watch tells of changes in an entry, in a queue, or in the spool.
type Watch struct {
	*watch.Watch
	// Changed has a value when something may have changed since it was last
	// received from. Changes are merged.
	Changed <-chan struct{}
}

// Watch tells of what comes, changes and goes in an entry, or in the spool, until Stop.
func (d folder) Watch() *Watch {
	changed, tell := watch.Merged()
	tell() // something may have happened before
	return &Watch{watch.Dir(d.path, func(name string) {
		if name != reserveFile && !strings.HasPrefix(name, ".") { // a popup is told there; a dot begins what is still being written
			tell()
		}
	}), changed}
}

// Each calls changed at each change until ctx ends, and with it the watch.
func (w *Watch) Each(ctx context.Context, changed func()) {
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Changed:
			changed()
		}
	}
}

package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/watch"
)

// A process locks (flock) a file for as long as it does something. The kernel lets
// go of it however the process ends, so nobody has to guess from a pid.

var errHeld = errors.New("another process holds the lock")

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
func (d folder) take(name string) (f *os.File, err error) {
	for range patience {
		if err = d.write(name, nil); err == nil {
			f, err = d.try(name)
		}
		switch {
		case err == errHeld:
			time.Sleep(pause)
		case !errors.Is(err, fs.ErrNotExist): // else somebody has just removed it
			return f, err
		}
	}
	return f, err
}

// try is take without patience, of a file that is there. The error is
// fs.ErrNotExist where it is not any more, or another has its name.
func (d folder) try(name string) (*os.File, error) {
	f, err := d.open(name, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err = flock(f, unix.LOCK_EX|unix.LOCK_NB); err == nil {
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
func (d folder) held(name string) bool {
	return probe(d.in(name), unix.LOCK_SH|unix.LOCK_NB) == errHeld
}

// probe takes the lock for an instant. The file is not opened for writing: that
// would wake those who wait for it to be closed.
func probe(path string, how int) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return flock(f, how)
}

func flock(f *os.File, how int) error {
	for {
		switch err := unix.Flock(int(f.Fd()), how); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errHeld
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}

// free closes the returned channel when nobody holds the lock, or its file is
// gone. The goroutine behind it ends then.
func (d folder) free(name string) <-chan struct{} {
	path, free := d.in(name), make(chan struct{})
	go func() {
		defer close(free)
		for !gone(waitFree(path)) {
			time.Sleep(slowPoll) // out of descriptors or locks, say
		}
	}()
	return free
}

// gone reports whether err says that the lock is free, or that no file of ours is there.
func gone(err error) bool {
	return err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP)
}

// waitFree returns when nobody holds the lock, without polling, and without a
// thread of its own where the system tells of files that are closed.
func waitFree(path string) error {
	closed, tell := watch.Merged()
	dir, file := filepath.Split(path)
	w, err := watch.Dir(dir, func(name string) {
		if name == file || name == "" {
			tell()
		}
	})
	if err == nil {
		defer w.Stop()
	}
	if err != nil || runtime.GOOS != "linux" { // which has no news of closed files
		return probe(path, unix.LOCK_SH)
	}
	for again := time.Minute; ; again = min(2*again, time.Minute) {
		if err = probe(path, unix.LOCK_SH|unix.LOCK_NB); err != errHeld {
			return err
		}
		select {
		case <-closed:
			// It is told a moment before the lock is free, and may have been
			// closed by one who does not hold it.
			again = time.Millisecond / 2
		case <-time.After(again):
		}
	}
}

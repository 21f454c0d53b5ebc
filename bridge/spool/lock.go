package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/watch"
)

// lockFile is a file that a process locks (flock) for as long as it does
// something. The kernel lets go of it however the process ends, so nobody has to
// guess from a pid. It lies below an os.Root, which no lock library can be given.
type lockFile struct {
	folder
	name string
}

func (d folder) lock(name string) lockFile { return lockFile{d, name} }

var (
	errHeld      = errors.New("another process holds the lock")
	errExchanged = errors.New("it is not the file that was opened")
)

// patience is how long take tries: whoever looks at a lock holds it for an instant
// (see held), so being refused once means nothing.
const patience = 250 * time.Millisecond

// take makes the file if it is absent, and locks it until the file is closed. The
// error is errHeld where another process holds the lock.
func (l lockFile) take() (*os.File, error) {
	for late := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		f, err := l.try(os.O_CREATE)
		if again := err == errHeld || err == errExchanged; !again || time.Now().After(late) {
			return f, err
		}
	}
}

// try is take without patience, and makes the file if flag is os.O_CREATE. The
// error is errExchanged where somebody has just removed the file.
func (l lockFile) try(flag int) (*os.File, error) {
	if flag == os.O_CREATE {
		if err := l.write(l.name, nil); err != nil {
			return nil, err
		}
	}
	f, err := l.open(l.name, os.O_RDWR)
	if flag == os.O_CREATE && errors.Is(err, fs.ErrNotExist) {
		err = errExchanged
	}
	if err != nil {
		return nil, err
	}
	if err = flock(f, unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = l.stays(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// stays checks that what is locked still is the file of that name.
func (l lockFile) stays(f *os.File) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := l.root.Lstat(l.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, there) {
		return errExchanged
	}
	return err
}

// held reports whether somebody holds the lock. A file that is not there is not
// held, and one that is none of ours is not held by any of ours.
func (l lockFile) held() bool {
	f, err := l.open(l.name, os.O_RDONLY) // for writing would wake those who wait for it to be closed
	if err != nil {
		return false
	}
	defer f.Close()
	return flock(f, unix.LOCK_SH|unix.LOCK_NB) == errHeld
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

// mostBlocked is how many goroutines of this process wait for locks in the
// kernel at once. Each takes a thread. It is the quickest way, and one question
// needs no more than a few; where hundreds wait in one process, the others wait
// for the file to be closed.
var mostBlocked int32 = 8

var blocked atomic.Int32

// free closes the returned channel when nobody holds the lock, or its file is
// gone. The goroutine behind it ends then.
func (l lockFile) free() <-chan struct{} {
	free := make(chan struct{})
	if info, err := l.root.Lstat(l.name); err == nil && l.plain(l.name, info) != nil {
		close(free)
		return free
	}
	go func() {
		defer close(free)
		for {
			err := waitFree(filepath.Join(l.path, l.name))
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				return
			}
			time.Sleep(slowPoll) // out of descriptors or locks, say
		}
	}()
	return free
}

// waitFree returns when nobody holds the lock, without polling.
func waitFree(path string) error {
	defer blocked.Add(-1)
	if blocked.Add(1) > mostBlocked {
		if err := waitClosed(path); err != errBlind {
			return err
		}
	}
	f, err := openLocked(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return flock(f, unix.LOCK_SH)
}

// errBlind: the system cannot tell when a file is closed, or has no watches left.
var errBlind = errors.New("cannot wait for a file to be closed")

// waitClosed is waitFree without a thread.
func waitClosed(path string) error {
	closed := make(chan struct{}, 1)
	tell := func() {
		select {
		case closed <- struct{}{}:
		default:
		}
	}
	pause := time.Duration(0)
	for {
		// Anew each time: another file may have taken the place of that one.
		w, err := watch.Closed(path, tell)
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil {
			return errBlind
		}
		f, err := openLocked(path)
		if err == nil {
			err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
			f.Close()
		}
		if err != errHeld {
			w.Stop()
			return err
		}
		var later <-chan time.Time
		if pause > 0 {
			later = time.After(pause)
		}
		select {
		case <-closed:
			// It is told a moment before the lock is free, and may have been
			// closed by one who does not hold it.
			pause = time.Millisecond
		case <-later:
			pause = min(2*pause, time.Minute)
		}
		w.Stop()
	}
}

// openLocked opens a lock's file for looking only; a FIFO is not waited for.
func openLocked(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

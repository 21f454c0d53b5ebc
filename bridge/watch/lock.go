package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ErrHeld is that another process holds a lock.
var ErrHeld = errors.New("another process holds the lock")

// Held reports whether somebody holds the lock (flock) on a file. One that is not there
// is not held.
func Held(path string) bool { return probe(path, unix.LOCK_SH|unix.LOCK_NB) == ErrHeld }

// probe takes the lock for an instant. The file is not opened for writing: that
// would wake those who wait for it to be closed.
func probe(path string, how int) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return Flock(f, how)
}

// Flock locks an open file. The error is ErrHeld where that would have to wait.
func Flock(f *os.File, how int) error {
	for {
		switch err := unix.Flock(int(f.Fd()), how); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return ErrHeld
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}

// Freed closes the returned channel when nobody holds the lock on a file, or no file of
// that name is there. The goroutine behind it ends then, or with ctx where the system
// tells of files that are closed.
func Freed(ctx context.Context, path string) <-chan struct{} {
	free := make(chan struct{})
	go func() {
		for {
			switch err := waitFree(ctx, path); {
			case ctx.Err() != nil:
				return
			case gone(err):
				close(free)
				return
			}
			time.Sleep(time.Second) // out of descriptors or locks, say
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
func waitFree(ctx context.Context, path string) error {
	closed, tell := Merged()
	dir, file := filepath.Split(path)
	w, err := Dir(dir, func(name string) {
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
		if err = probe(path, unix.LOCK_SH|unix.LOCK_NB); err != ErrHeld {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-closed:
			// It is told a moment before the lock is free, and may have been
			// closed by one who does not hold it.
			again = time.Millisecond / 2
		case <-time.After(again):
		}
	}
}

package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var ErrHeld = errors.New("another process holds the lock")

// Held reports whether somebody holds the lock (flock) on a file. Nobody holds that of a
// file that is not there.
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
// that name is there, and when ctx ends. It does not poll, and has neither a goroutine
// nor a thread of its own where the system tells of files that are closed: a thousand
// questions may wait in one process.
func Freed(ctx context.Context, path string) <-chan struct{} {
	w := &waiter{path: path, again: time.Minute}
	w.wait, w.end = context.WithCancel(ctx)
	dir, file := filepath.Split(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	if tellsOfClosing {
		w.watch = Dir(dir, func(name string) {
			if name == file || name == "" {
				w.checkSoon()
			}
		})
		if w.watch.Polls != nil { // flock tells sooner
			w.watch.Stop()
			w.watch = nil
		}
	}
	w.timer = time.AfterFunc(0, w.check)
	context.AfterFunc(w.wait, w.stop)
	return w.wait.Done()
}

// waiter waits for a lock to be free.
type waiter struct {
	path  string
	wait  context.Context // ends then
	end   func()
	watch *Watch // nil where nothing tells of the file

	mu    sync.Mutex  // guards what follows
	timer *time.Timer // of the next check
	again time.Duration
}

// checkSoon has the lock checked soon, and in short intervals at first: closing is told
// a moment before the lock is free, and may be by one who does not hold it.
func (w *waiter) checkSoon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.again = time.Millisecond / 2; w.wait.Err() == nil {
		w.timer.Reset(0)
	}
}

// check sees whether the lock is free, and waits for it where nothing tells of that.
func (w *waiter) check() {
	if w.wait.Err() != nil { // a lock that is free is somebody else's to take
		return
	}
	how := unix.LOCK_SH
	if w.watch != nil {
		how |= unix.LOCK_NB
	}
	err := probe(w.path, how)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.wait.Err() != nil:
	case err == ErrHeld:
		w.timer.Reset(w.again)
		w.again = min(2*w.again, time.Minute)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ELOOP): // ELOOP: no file of ours
		w.timer.Reset(time.Second) // out of descriptors or locks, say
	default:
		w.end()
	}
}

// stop ends all checks.
func (w *waiter) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	if w.watch != nil {
		w.watch.Stop()
	}
}

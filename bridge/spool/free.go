package spool

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/askpane/askpane/bridge/watch"
)

// mostBlocked is how many goroutines of this process wait for locks in the
// kernel at once. Each takes a thread. It is the quickest way, and one question
// needs no more than a few; where hundreds wait in one process, the others wait
// for the file to be closed.
var mostBlocked int32 = 8

var blocked atomic.Int32

// whenFree closes the returned channel when nobody holds the lock on the file
// at path, or it is gone. The goroutine behind it ends then.
func whenFree(path string) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			err := waitFree(path)
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				return
			}
			time.Sleep(slowPoll) // out of descriptors or locks, say
		}
	}()
	return gone
}

// whenFree is that for a lock of the entry's.
func (e *Entry) whenFree(name string) <-chan struct{} {
	if info, err := e.root.Lstat(name); err == nil && plain(info) != nil {
		free := make(chan struct{}) // nobody of ours holds such a file
		close(free)
		return free
	}
	return whenFree(filepath.Join(e.Path(), name))
}

// waitFree returns when nobody holds the lock, without polling.
func waitFree(path string) error {
	defer blocked.Add(-1)
	if blocked.Add(1) <= mostBlocked {
		return block(path)
	}
	told := make(chan struct{}, 1)
	tell := func() {
		select {
		case told <- struct{}{}:
		default:
		}
	}
	var last *watch.Watch
	defer func() {
		if last != nil {
			last.Stop()
		}
	}()
	again := time.NewTimer(math.MaxInt64)
	defer again.Stop()
	pause := time.Duration(0)
	for {
		// Anew each time: another file may have taken the place of that one.
		w, err := watch.Closed(path, tell)
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil { // the system cannot tell, or has no watches left
			return block(path)
		}
		if last != nil {
			last.Stop()
		}
		last = w
		if held, err := locked(path); !held {
			return err
		}
		select {
		case <-told:
			// It is told a moment before the lock is free, and may have been
			// closed by one who does not hold it.
			pause = time.Millisecond
		case <-again.C:
			pause = min(2*pause, time.Minute)
		}
		again.Reset(pause)
	}
}

// block waits for the lock in the kernel, which grants it when the holder lets
// go or dies.
func block(path string) error {
	l := reading(path)
	defer l.Close()
	return l.RLock()
}

// held reports whether somebody holds the lock on the file at path exclusively.
// One that is not there is not held.
func held(path string) bool {
	held, _ := locked(path)
	return held
}

func locked(path string) (bool, error) {
	l := reading(path)
	defer l.Close()
	free, err := l.TryRLock()
	return err == nil && !free, err
}

// reading is a lock for who only looks. It does not open the file for writing,
// which would wake those who wait for it to be closed; nor wait for a FIFO.
func reading(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_RDONLY|noFollow|syscall.O_NONBLOCK))
}

package spool

import (
	"context"
	"os"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// lookoutFile is in the directory of a host: whoever holds its lock asks the host for all.
const lookoutFile = "lookout"

// Lookout is those who wait until somebody is at a host, in whatever process. One of them
// holds the lookout's lock and asks the host for all. It touches the file when the host says
// something new, which has the others ask for themselves. The zero Lookout is of one alone.
type Lookout struct {
	// Changed tells when somebody has come, or Told may be true.
	Changed <-chan struct{}

	queue *Queue // in whose directory the file is; nil where it is of one alone
	watch *Watch
	held  *os.File        // the lock, where that is ours
	free  <-chan struct{} // it is nobody's any more
	told  time.Time       // when the file was touched, as far as is known
}

// Lookout joins those for a host that calls itself so, until Leave. One on another machine that
// shares the spool, or in another container, is another.
func (s *Spool) Lookout(host, name string) *Lookout {
	machine, _ := os.Hostname()
	l := &Lookout{queue: s.Queue(host, machine+" "+name)}
	l.watch = l.queue.Watch()
	l.Changed = l.watch.Changed
	_ = l.queue.store.write(l.file(), nil) // without it nobody can have the lock (Take)
	l.Told()                               // what was told before is no news
	return l
}

func (l *Lookout) file() string { return l.queue.in(lookoutFile) }

// Take reports whether this process asks for all from now on, until Leave. Where another does,
// free is closed as soon as none does. Where there can be no lock (the disk is full, say), each
// asks for itself.
func (l *Lookout) Take(ctx context.Context) (ours bool, free <-chan struct{}) {
	select {
	case <-l.free:
		l.free = nil
	default:
	}
	if l.queue == nil || l.held != nil || l.free != nil {
		return l.free == nil, l.free
	}
	var err error
	if l.held, err = l.queue.store.try(l.file()); err == errHeld {
		l.free = watch.Freed(ctx, l.queue.store.in(l.file()))
	}
	return l.free == nil, l.free
}

// Tell has all others ask for themselves.
func (l *Lookout) Tell() {
	if l.held != nil {
		l.told = time.Now()
		_ = l.queue.store.root.Chtimes(l.file(), l.told, l.told)
	}
}

// Told reports whether somebody has told so since it was asked last.
func (l *Lookout) Told() bool {
	info, err := l.queue.store.root.Lstat(l.file())
	if err != nil || info.ModTime().Equal(l.told) {
		return false
	}
	l.told = info.ModTime()
	return true
}

// Leave has another ask for all, where this process did.
func (l *Lookout) Leave() {
	if l.queue != nil {
		l.watch.Stop()
	}
	if l.held != nil {
		l.held.Close()
	}
}

package bridge

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
)

const (
	// A host on which nobody is there is asked this often, and slowly by who has waited
	// for a minute.
	askEvery  = time.Second
	askSlowly = 5 * time.Second
	// An asker for whom another asks does so too: that one may be stopped.
	askMyself = time.Minute
	// fresh answers of a host are not asked for again.
	fresh = 300 * time.Millisecond
)

// Lookout asks hosts who is there, once for all questions of a process that want
// to know, and where nobody is, once for all processes. The zero Lookout is ready for use.
type Lookout struct {
	mu    sync.Mutex
	hosts map[string]*lookout
}

// of returns the lookout for h, which asks for all processes of sp. All hosts of one kind
// that this process finds by one asking pane share one.
func (l *Lookout) of(h host.Host, sp *spool.Spool) *lookout {
	_, ref := h.Asker()
	shared, _ := h.(host.Shared)
	if shared != nil {
		ref = shared.Shares()
	}
	key := h.Kind().Name + " " + ref
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts = map[string]*lookout{}
	}
	if ref == "" || l.hosts[key] == nil { // without a pane they may be two
		l.hosts[key] = &lookout{host: h, turn: func(ctx context.Context) (*os.File, <-chan struct{}) {
			if shared == nil {
				return nil, nil
			}
			return sp.LookOut(ctx, h.Kind().Name, ref)
		}}
	}
	return l.hosts[key]
}

type lookout struct {
	host host.Host
	turn func(context.Context) (lock *os.File, free <-chan struct{}) // to ask for all, as spool.LookOut

	asking sync.Mutex // held while the host is asked; guards what it said last
	viewer host.Viewer
	err    error
	at     time.Time

	mu       sync.Mutex
	watchers int
	changed  chan struct{} // closed when the host says something new
	stop     func()        // ends the watch
}

// ask returns the Viewer of h, as of just now. h is the lookout's host, or that as it was found
// for another question, which may know already.
func (l *lookout) ask(ctx context.Context, h host.Host) (host.Viewer, error) {
	l.asking.Lock()
	defer l.asking.Unlock()
	if l.at.IsZero() || time.Since(l.at) > fresh {
		v, err := h.Viewer(ctx)
		if ctx.Err() != nil { // that says nothing of the host
			return v, err
		}
		l.viewer, l.err, l.at = v, err, time.Now()
	}
	return l.viewer, l.err
}

// watch closes changed when the host says something else of its viewers than
// that there is none, for the reason it last gave. stop ends it.
func (l *lookout) watch() (changed <-chan struct{}, stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watchers++; l.watchers == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		l.changed, l.stop = make(chan struct{}), cancel
		go l.watchNow(ctx)
	}
	return l.changed, l.unwatch
}

func (l *lookout) unwatch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watchers--; l.watchers == 0 {
		l.stop()
	}
}

// pause returns how long an asker leaves the host alone, by whether it asks for all and how
// long it has waited.
func pause(forAll bool, waited time.Duration) time.Duration {
	switch {
	case !forAll:
		return askMyself
	case waited >= time.Minute:
		return askSlowly
	}
	return askEvery
}

// watchNow asks the host every so often, and tells when its answer is another. Where
// somebody else asks for all, it asks at once when that one leaves, who may have heard
// something new.
func (l *lookout) watchNow(ctx context.Context) {
	lock, free := l.turn(ctx)
	defer func() { _ = lock.Close() }() // there may be none
	began := time.Now()
	timer := time.NewTimer(askEvery)
	defer timer.Stop()
	_, was := l.ask(ctx, l.host)
	for asked := began; ; asked = time.Now() {
		timer.Reset(time.Until(asked.Add(pause(free == nil, time.Since(began)))))
		select {
		case <-ctx.Done():
			return
		case <-free:
			if ctx.Err() != nil {
				return
			}
			if lock, free = l.turn(ctx); free != nil {
				continue
			}
		case <-timer.C:
		}
		_, err := l.ask(ctx, l.host)
		l.mu.Lock()
		if same := was != nil && err != nil && was.Error() == err.Error(); !same && ctx.Err() == nil {
			was = err
			close(l.changed)
			l.changed = make(chan struct{})
		}
		l.mu.Unlock()
	}
}

package bridge

import (
	"context"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
)

const (
	// lookEvery is how often a host on which nobody is there is asked again, and lookSlowly
	// so once a minute has passed since somebody has come to wait.
	lookEvery  = time.Second
	lookSlowly = 5 * time.Second
	// lookMyself is how often by an asker for whom another asks: that one may be stopped.
	lookMyself = time.Minute
	// fresh is how long an answer of the host is believed.
	fresh = 300 * time.Millisecond
)

// Lookout asks hosts who is there, once for all questions of a process that want
// to know, and where nobody is, once for all processes. The zero Lookout is ready for use.
type Lookout struct {
	mu    sync.Mutex
	hosts map[string]*lookout
}

// of is the lookout for h, which asks for all processes of sp. All hosts of one kind that this
// process finds by one asking pane are the same.
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
		l.hosts[key] = &lookout{host: h, others: func() *spool.Lookout {
			if shared == nil {
				return new(spool.Lookout)
			}
			return sp.Lookout(h.Kind().Name, ref)
		}}
	}
	return l.hosts[key]
}

// lookout is one host's.
type lookout struct {
	host   host.Host
	others func() *spool.Lookout // those who see the same viewers

	asking sync.Mutex // held while the host is asked; guards what it said last
	viewer host.Viewer
	err    error
	at     time.Time

	mu       sync.Mutex
	watchers int
	changed  chan struct{} // closed when the host says something new
	stop     func()        // ends the watch
}

// look is the host's Viewer, as of just now.
func (l *lookout) look(ctx context.Context) (host.Viewer, error) {
	l.asking.Lock()
	defer l.asking.Unlock()
	if l.at.IsZero() || time.Since(l.at) > fresh {
		v, err := l.host.Viewer(ctx)
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

// pause is how long the host is left alone by who asks for all, or by another, if that one
// has begun so long ago.
func pause(asks bool, ago time.Duration) time.Duration {
	switch {
	case !asks:
		return lookMyself
	case ago >= time.Minute:
		return lookSlowly
	}
	return lookEvery
}

// watchNow asks the host every so often, or when who asks for all has heard something new, and
// tells when its answer is another.
func (l *lookout) watchNow(ctx context.Context) {
	others := l.others()
	defer others.Leave()
	began := time.Now()
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	_, was := l.look(ctx)
	for asked := began; ; {
		asks, free := others.Take(ctx)
		timer.Reset(time.Until(asked.Add(pause(asks, time.Since(began)))))
		select {
		case <-ctx.Done():
			return
		case <-free: // the one that asks for all is gone
			continue
		case <-others.Changed:
			if !others.Told() { // somebody has come to wait
				began = time.Now()
				continue
			}
		case <-timer.C:
		}
		asked = time.Now()
		_, err := l.look(ctx)
		l.mu.Lock()
		if same := was != nil && err != nil && was.Error() == err.Error(); !same && ctx.Err() == nil {
			was = err
			close(l.changed)
			l.changed = make(chan struct{})
			others.Tell()
		}
		l.mu.Unlock()
	}
}

package settings

import (
	"context"
	"reflect"
	"sync"
)

// Live is the settings for an agent in a directory, as they are now. It is safe
// for use by several goroutines.
type Live struct {
	dir string

	mu          sync.Mutex
	now         Loaded
	changed     chan struct{} // closed at the next change
	subscribers map[*func(Settings)]bool
	unwatch     context.CancelFunc // ends the watch, which lasts while anybody has subscribed
}

// followed are the Lives of this process, by directory: a thousand questions of
// one agent watch the same files.
var (
	followedMu sync.Mutex
	followed   = map[string]*Live{}
)

// Follow is the Live of a directory, up to date: what Load says now. A process
// has one for each directory. dir may be empty, as with Load.
func Follow(dir string) *Live {
	followedMu.Lock()
	l := followed[dir]
	if l == nil {
		l = &Live{dir: dir, changed: make(chan struct{}), subscribers: map[*func(Settings)]bool{}}
		followed[dir] = l
	}
	followedMu.Unlock()
	l.take(Load(dir))
	return l
}

// Now is the settings in force, and a channel that is closed when others are.
// Changes are noticed while anybody has subscribed, and by Follow.
func (l *Live) Now() (Loaded, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now, l.changed
}

// Subscribe calls changed with the settings in force each time that the files
// change them, until stop. The files are watched meanwhile, which costs too much
// to be begun before a form is up. The first subscriber's warn is called with
// each problem that is new; it may be nil.
func (l *Live) Subscribe(warn func(error), changed func(Settings)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.subscribers[&changed] = true
	if len(l.subscribers) == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		l.unwatch = cancel
		go l.watch(ctx, l.now, warn)
	}
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.subscribers, &changed)
		if len(l.subscribers) == 0 {
			l.unwatch()
		}
	})
}

func (l *Live) watch(ctx context.Context, was Loaded, warn func(error)) {
	warned := map[string]bool{}
	for _, p := range was.Problems {
		warned[p.Error()] = true
	}
	newWatcher(l.dir, was).run(ctx, func(now Loaded) {
		subscribers := l.take(now)
		for _, p := range now.Problems {
			if warn != nil && !warned[p.Error()] {
				warned[p.Error()] = true
				warn(p)
			}
		}
		for _, changed := range subscribers {
			changed(now.Settings)
		}
	})
}

// take makes now the settings in force. It returns who has subscribed.
func (l *Live) take(now Loaded) (subscribers []func(Settings)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !reflect.DeepEqual(l.now, now) {
		l.now = now
		close(l.changed)
		l.changed = make(chan struct{})
	}
	for changed := range l.subscribers {
		subscribers = append(subscribers, *changed)
	}
	return subscribers
}

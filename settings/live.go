package settings

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Live is the settings for an agent in a directory, as they are now. It is safe
// for use by several goroutines.
type Live struct {
	dir string

	mu       sync.Mutex
	now      *Loaded       // never changed, but replaced
	changed  chan struct{} // closed at the next change
	watchers map[*func()]bool
	unwatch  context.CancelFunc
}

// followed has the Lives of this process, by directory: a thousand questions of
// one agent watch the same files.
var followed sync.Map

// Follow is the Live of a directory, up to date: what Load says now. A process
// has one for each directory. dir may be empty, as with Load.
func Follow(dir string) *Live {
	found, _ := followed.LoadOrStore(dir, &Live{dir: dir, now: &Loaded{}, changed: make(chan struct{}), watchers: map[*func()]bool{}})
	l := found.(*Live)
	l.take(Load(dir))
	return l
}

// Now is the settings in force, and a channel that is closed when others are.
// Changes are noticed while anybody watches, and by Follow. Nobody may write to them:
// all questions of a process have the same.
func (l *Live) Now() (*Loaded, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now, l.changed
}

// Watch has changes of the files noticed until stop. The warn of who was first is
// called with each problem that is new, and changed when other settings are in force,
// perhaps once more after stop; it must return at once. Both may be nil.
func (l *Live) Watch(warn func(error), changed func()) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	watcher := &changed
	l.watchers[watcher] = true
	if len(l.watchers) == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		l.unwatch = cancel
		go l.watch(ctx, l.now, warn)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, watcher)
		if len(l.watchers) == 0 {
			l.unwatch()
		}
	}
}

// Each follows the settings for an agent in dir until ctx ends, and calls changed with those in force whenever
// they are not those that are known. These were just read; or they are nil, and changed is called at least once. It
// begins a little later, and a change still counts within a second.
func Each(ctx context.Context, dir string, known *Loaded, changed func(*Loaded)) {
	if !pause(ctx, 600*time.Millisecond) {
		return
	}
	l := Follow(dir)
	defer l.Watch(nil, nil)()
	for {
		now, next := l.Now()
		if !reflect.DeepEqual(now, known) {
			known = now
			changed(now)
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}

// leastDebounce passes at least before a changed file is read, which may be half written.
const leastDebounce = 50 * time.Millisecond

// watch takes over what the files say whenever they have changed, and tells warn of
// what was not wrong in told or since. Each change has them watched anew, since it may be of
// where they are.
func (l *Live) watch(ctx context.Context, told *Loaded, warn func(error)) {
	for pause(ctx, max(leastDebounce, time.Duration(told.DebounceMs)*time.Millisecond)) {
		touched, stop := watchFiles(l.dir)
		now := Load(l.dir)
		l.take(now)
		for _, p := range now.Problems {
			if warn != nil && !slices.Contains(told.Problems, p) {
				warn(p)
			}
		}
		told = &now
		select {
		case <-touched:
		case <-ctx.Done():
		}
		stop()
	}
}

// pause waits for so long, and reports whether ctx lasts.
func pause(ctx context.Context, long time.Duration) bool {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
	return ctx.Err() == nil
}

// take makes now the settings in force.
func (l *Live) take(now Loaded) {
	l.mu.Lock()
	var tell []*func()
	if !reflect.DeepEqual(*l.now, now) {
		l.now = &now
		close(l.changed)
		l.changed = make(chan struct{})
		tell = slices.Collect(maps.Keys(l.watchers))
	}
	l.mu.Unlock()
	for _, changed := range tell {
		if *changed != nil {
			(*changed)()
		}
	}
}

package main

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// following is the settings of the questions that wait for an agent in a
// directory, as they are now. A question's first deadline and what limits its
// wait for a viewer stay as they were when it was asked; all else takes effect
// at once.
type following struct {
	dir string

	mu      sync.Mutex
	now     settings.Loaded
	changed chan struct{} // closed at the next change
	told    map[int]func(settings.Settings)
	number  int                // of the latest in told
	rest    context.CancelFunc // ends the watch, which goes on while told has any
}

func follow(dir string) *following {
	return &following{dir: dir, now: settings.Load(dir), changed: make(chan struct{}), told: map[int]func(settings.Settings){}}
}

// followings are those of one process, by directory: a thousand questions of
// one agent watch the same files.
type followings struct {
	mu  sync.Mutex
	all map[string]*following
}

// of is the directory's, with the settings as they are now.
func (a *followings) of(dir string) *following {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.all[dir]
	if f == nil {
		f = follow(dir)
		a.all[dir] = f
		return f
	}
	f.take(settings.Load(dir))
	return f
}

// take takes the settings as they are now, and returns who is to be told.
func (f *following) take(now settings.Loaded) []func(settings.Settings) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !reflect.DeepEqual(f.now, now) {
		f.now = now
		close(f.changed)
		f.changed = make(chan struct{})
	}
	return slices.Collect(maps.Values(f.told))
}

// loaded is the settings in force, and where they come from.
func (f *following) loaded() settings.Loaded {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// get is the settings in force, and a channel that is closed when they change.
func (f *following) get() (settings.Settings, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now.Settings, f.changed
}

// tell tells took of every change until stop. The files are watched meanwhile,
// which costs too much to be begun before the form is up. A problem that is new
// is told of.
func (f *following) tell(warn func(error), took func(settings.Settings)) (stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.number++
	number := f.number
	f.told[number] = took
	if len(f.told) == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		f.rest = cancel
		go f.watch(ctx, f.now, warn)
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if delete(f.told, number); len(f.told) == 0 {
			f.rest()
		}
	}
}

func (f *following) watch(ctx context.Context, was settings.Loaded, warn func(error)) {
	told := map[string]bool{}
	for _, p := range was.Problems {
		told[p.Error()] = true
	}
	settings.Watch(ctx, f.dir, was, func(now settings.Loaded) {
		took := f.take(now)
		for _, p := range now.Problems {
			if !told[p.Error()] {
				told[p.Error()] = true
				warn(p)
			}
		}
		for _, took := range took {
			took(now.Settings)
		}
	})
}

// results is what of the settings shows in results.
func (f *following) results() dialect.Context {
	s, _ := f.get()
	return resultContext(s)
}

func resultContext(s settings.Settings) dialect.Context {
	return dialect.Context{DebounceMs: s.DebounceMs, DangerCheck: s.DangerCheckEnabled}
}

// alertConfig is what of the settings the alerts follow.
func alertConfig(s settings.Settings) notify.Config {
	c := notify.Config{
		Title: s.TitleOnQuestion, Bell: s.BellOnQuestion,
		Desktop: s.NotificationOnQuestion, DesktopDelay: time.Duration(s.NotificationDelaySeconds) * time.Second,
		Speech: s.TtsOnQuestion, TTSCommand: s.TtsCommand, Command: s.OnQuestionCommand,
		Heartbeat: s.HeartbeatWhileActive, HeartbeatInterval: minutes(s.HeartbeatIntervalMinutes),
		Quiet: s.InQuietHours,
	}
	for _, m := range s.ReminderMinutes {
		c.Reminders = append(c.Reminders, minutes(m))
	}
	return c
}

func minutes(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }

package main

import (
	"context"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// following is the settings of one waiting question, as they are now. The first
// deadline and what limits the wait for a viewer stay as they were when it was
// asked; all else takes effect at once.
type following struct {
	dir string

	mu      sync.Mutex
	now     settings.Loaded
	changed chan struct{} // closed at the next change
}

func follow(dir string) *following {
	return &following{dir: dir, now: settings.Load(dir), changed: make(chan struct{})}
}

// get is the settings in force, and a channel that is closed when they change.
func (f *following) get() (settings.Settings, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now.Settings, f.changed
}

// watch follows the files until ctx ends. It costs too much to be begun before
// the form is up. A problem that is new is told of.
func (f *following) watch(ctx context.Context, warn func(error), took func(settings.Settings)) {
	f.mu.Lock()
	was := f.now
	f.mu.Unlock()
	told := map[string]bool{}
	for _, p := range was.Problems {
		told[p.Error()] = true
	}
	settings.Watch(ctx, f.dir, was, func(now settings.Loaded) {
		f.mu.Lock()
		f.now = now
		close(f.changed)
		f.changed = make(chan struct{})
		f.mu.Unlock()
		for _, p := range now.Problems {
			if !told[p.Error()] {
				told[p.Error()] = true
				warn(p)
			}
		}
		took(now.Settings)
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

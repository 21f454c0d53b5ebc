// Package asker is what every program that asks is wired from: the settings as
// they are now, what the person is told of beside the question, and where forms
// open.
package asker

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/logfile"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/settings"
)

// Asker is what every command that asks needs: the settings as they are now,
// what the person is told of beside the question, and where forms open.
type Asker struct {
	Asking
	host string
}

// New is an Asker for an agent that works in the directory dir. host is
// what the command line says; empty is the setting. What is wrong with the
// settings goes to warn and stops nothing.
func New(dir, host string, a Asking, warn func(error)) (Asker, error) {
	if a.Live == nil {
		a.Live = settings.Follow(dir)
	}
	s, _ := a.Live.Now()
	for _, p := range s.Problems {
		warn(p)
	}
	if a.Told.Log == nil {
		a.Told.Log = logfile.New(s.LogLevel)
	}
	a.Told.say = warn
	if a.Popup == nil {
		a.Popup = os.Executable
	}
	name := cmp.Or(host, s.Host)
	if err := integrations.Known(name); err != nil {
		if host != "" {
			return Asker{}, command.Usage("%v", err)
		}
		warn(unknownHost(s, err)) // a setting never stops a question
		name = integrations.Auto
	}
	return Asker{a, name}, nil
}

// unknownHost says where the name of a host that there is not comes from.
func unknownHost(s settings.Loaded, err error) error {
	p := settings.Problem{Where: s.Source("host").Where, What: fmt.Sprintf("%v; using %s", err, integrations.Auto)}
	if s.Source("host").Rank != settings.Environment {
		p.Key = "host"
	}
	return p
}

// FindPlace begins to look for the place.
func (a Asker) FindPlace() func(context.Context) (bridge.Place, error) {
	return findPlace(a.host, a.Asking)
}

// PlaceLater is FindPlace where none may be needed: it looks when it is asked.
func (a Asker) PlaceLater(ctx context.Context) (bridge.Place, error) { return a.FindPlace()(ctx) }

// Bridge is the agent's side of everything that asks.
func (a Asker) Bridge(sp *spool.Spool, place func(context.Context) (bridge.Place, error)) *bridge.Bridge {
	s, _ := a.Live.Now()
	return &bridge.Bridge{Spool: sp, Context: func() dialect.Context { s, _ := a.Live.Now(); return ResultContext(s.Settings) }, Place: place, Warn: a.Told.Warn,
		HostWait: time.Duration(s.HostWaitSeconds) * time.Second, Recover: time.Duration(s.RecoverMinutes) * time.Minute}
}

// Timeout is how long a question waits that does not say so itself; 0 is for ever.
func (a Asker) Timeout() time.Duration {
	s, _ := a.Live.Now()
	return time.Duration(s.TimeoutSeconds) * time.Second
}

// KeepAfterCancel is that setting, as it is now.
func (a Asker) KeepAfterCancel() bool {
	s, _ := a.Live.Now()
	return s.KeepAfterCancel
}

// OnceEach is warn for a process that loads the settings again and again.
func OnceEach(warn func(error)) func(error) {
	var mu sync.Mutex
	said := map[string]bool{}
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if !said[err.Error()] {
			said[err.Error()] = true
			warn(err)
		}
	}
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/settings"
)

// asker is what every command that asks needs: the settings as they are now,
// what the person is told of beside the question, and where forms open.
type asker struct {
	asking
	host string
}

// newAsker is an asker for an agent that works in the directory dir. host is
// what the command line says; empty is the setting. What is wrong with the
// settings goes to warn and stops nothing.
func newAsker(dir, host string, a asking, warn func(error)) (asker, error) {
	if a.live == nil {
		a.live = settings.Follow(dir)
	}
	s, _ := a.live.Now()
	for _, p := range s.Problems {
		warn(p)
	}
	if a.told.log == nil {
		a.told.log = logger(s.LogLevel)
	}
	a.told.say = warn
	name := cmp.Or(host, s.Host)
	if err := integrations.Known(name); err != nil {
		if host != "" {
			return asker{}, usage("%v", err)
		}
		warn(unknownHost(s, err)) // a setting never stops a question
		name = integrations.Auto
	}
	return asker{a, name}, nil
}

// unknownHost says where the name of a host that there is not comes from.
func unknownHost(s settings.Loaded, err error) error {
	p := settings.Problem{Where: s.Source("host").Where, What: fmt.Sprintf("%v; using %s", err, integrations.Auto)}
	if s.Source("host").Rank != settings.Environment {
		p.Key = "host"
	}
	return p
}

// findPlace begins to look for the place.
func (a asker) findPlace() func(context.Context) (bridge.Place, error) {
	return findPlace(a.host, a.asking)
}

// placeLater is findPlace where none may be needed: it looks when it is asked.
func (a asker) placeLater(ctx context.Context) (bridge.Place, error) { return a.findPlace()(ctx) }

// bridge is the agent's side of everything that asks.
func (a asker) bridge(sp *spool.Spool, place func(context.Context) (bridge.Place, error)) *bridge.Bridge {
	s, _ := a.live.Now()
	return &bridge.Bridge{Spool: sp, Context: func() dialect.Context { s, _ := a.live.Now(); return resultContext(s.Settings) }, Place: place, Warn: a.told.warn,
		HostWait: time.Duration(s.HostWaitSeconds) * time.Second, Recover: time.Duration(s.RecoverMinutes) * time.Minute}
}

// timeout is how long a question waits that does not say so itself; 0 is for ever.
func (a asker) timeout() time.Duration {
	s, _ := a.live.Now()
	return time.Duration(s.TimeoutSeconds) * time.Second
}

// keepAfterCancel is that setting, as it is now.
func (a asker) keepAfterCancel() bool {
	s, _ := a.live.Now()
	return s.KeepAfterCancel
}

// onceEach is warn for a process that loads the settings again and again.
func onceEach(warn func(error)) func(error) {
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

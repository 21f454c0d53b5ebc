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
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/logfile"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// Asker is what every command that asks needs: the settings as they are now,
// what the person is told of beside the question, and where forms open.
type Asker struct {
	Asking
	host    string
	popup   string // the program that shows popups
	noPopup error  // why there is none
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
	if a.Lookout == nil {
		a.Lookout = new(bridge.Lookout)
	}
	own := Asker{Asking: a, host: cmp.Or(host, s.Host)}
	own.popup, own.noPopup = a.Popup()
	if err := integrations.Known(own.host); err != nil {
		if host != "" {
			return Asker{}, command.Usage("%v", err)
		}
		warn(unknownHost(s, err)) // a setting never stops a question
		own.host = integrations.Auto
	}
	return own, nil
}

// unknownHost says where the name of a host that there is not comes from.
func unknownHost(s settings.Loaded, err error) error {
	p := settings.Problem{Where: s.Source("host").Where, What: fmt.Sprintf("%v; using %s", err, integrations.Auto)}
	if s.Source("host").Rank != settings.Environment {
		p.Key = "host"
	}
	return p
}

// finding is how many questions of one process look for their host at once.
// Each runs commands for that: of hundreds at once, all would be late.
var finding = make(chan struct{}, 4)

// Find begins to look for the host and returns how to get what was found.
func (a Asker) Find() func(context.Context) (host.Host, error) {
	type found struct {
		host host.Host
		err  error
	}
	result := make(chan found, 1)
	go func() {
		finding <- struct{}{}
		defer func() { <-finding }()
		h, err := integrations.Find(context.Background(), a.host)
		result <- found{h, err}
	}()
	return func(ctx context.Context) (host.Host, error) {
		select {
		case f := <-result:
			return f.host, cmp.Or(f.err, a.noPopup)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// FindLater is Find where no host may be needed: it looks when it is asked.
func (a Asker) FindLater(ctx context.Context) (host.Host, error) { return a.Find()(ctx) }

// Bridge is the agent's side of everything that asks.
func (a Asker) Bridge(sp *spool.Spool, find func(context.Context) (host.Host, error)) *bridge.Bridge {
	return &bridge.Bridge{Spool: sp, Settings: a.Live, Find: find, Popup: a.popup, Lookout: a.Lookout, Alerts: a, Warn: a.Told.Warn}
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

// Package asker is what every program that asks is wired from: the settings as
// they are now, what the person is told of beside the question, and where forms
// open.
package asker

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
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

// Asking is what one question needs beside the question and the host.
type Asking struct {
	Log       func() *slog.Logger                                   // nil is the person's log
	Verbose   bool                                                  // the person is told on standard error of alerts that fail, too
	Beat      func(ctx context.Context, waited time.Duration) error // tells who asked that it waits; nil where nothing can
	Heartbeat bool                                                  // that is done whatever the setting
	Popup     func() (path string, err error)                       // finds askpane, which shows popups; nil is the running program
	Lookout   *bridge.Lookout                                       // of all questions of the process; nil makes one
	NoAlerts  bool                                                  // somebody else raises them

	live *settings.Live
	say  func(error) // tells the person
}

// Asker is an Asking, and where its forms open.
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
	a.live, a.say = settings.Follow(dir), warn
	s := a.now()
	for _, p := range s.Problems {
		warn(p)
	}
	if a.Log == nil {
		a.Log = logfile.New(s.LogLevel)
	}
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
	var h host.Host
	var err error
	found := make(chan struct{})
	go func() {
		defer close(found)
		finding <- struct{}{}
		defer func() { <-finding }()
		h, err = integrations.Find(context.Background(), a.host)
	}()
	return func(ctx context.Context) (host.Host, error) {
		select {
		case <-found:
			return h, cmp.Or(err, a.noPopup)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// FindLater is Find where no host may be needed: it looks when it is asked.
func (a Asker) FindLater(ctx context.Context) (host.Host, error) { return a.Find()(ctx) }

// Bridge is the agent's side of everything that asks.
func (a Asker) Bridge(sp *spool.Spool, find func(context.Context) (host.Host, error)) *bridge.Bridge {
	return &bridge.Bridge{Spool: sp, Settings: a.live, Find: find, Popup: a.popup, Lookout: a.Lookout, Alerts: a, Warn: a.Warn}
}

func (a Asking) now() settings.Loaded {
	s, _ := a.live.Now()
	return s
}

// Timeout is how long a question waits that does not say so itself; 0 is for ever.
func (a Asking) Timeout() time.Duration { return time.Duration(a.now().TimeoutSeconds) * time.Second }

// KeepAfterCancel is that setting, as it is now.
func (a Asking) KeepAfterCancel() bool { return a.now().KeepAfterCancel }

// Warn tells the person and the log of what went wrong beside the question.
func (a Asking) Warn(err error) {
	a.Log().Warn("warning", "error", err.Error())
	a.say(err)
}

// OnceEach is warn for a process that loads the settings again and again.
func OnceEach(warn func(error)) func(error) {
	var said sync.Map
	return func(err error) {
		if _, again := said.LoadOrStore(err.Error(), true); !again {
			warn(err)
		}
	}
}

// OpenSpool opens the person's spool.
func OpenSpool() (*spool.Spool, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	return spool.Open(dir)
}

// SessionName is the agent's own name for its session, where it tells its
// children: our extensions do, and Claude Code.
func SessionName() string {
	return cmp.Or(os.Getenv("ASKPANE_SESSION"), os.Getenv("CLAUDE_CODE_SESSION_ID"))
}

package asker

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// Asking is what one question needs beside the question and the host.
type Asking struct {
	Live      *settings.Live
	Told      Told
	Beat      func(ctx context.Context, waited time.Duration) error // tells who asked that it waits; nil where nothing can
	Heartbeat bool                                                  // that is done whatever the setting
	Popup     func() (path string, err error)                       // finds askpane, which shows popups; nil is the running program
	Lookout   *bridge.Lookout                                       // of all questions of the process; nil makes one
	NoAlerts  bool                                                  // somebody else raises them
}

// Raise raises the alerts for a question, and follows the settings, until clear.
func (a Asking) Raise(h host.Host, id string, req spool.Request) (clear func()) {
	if a.NoAlerts {
		return func() {}
	}
	with := func(s settings.Settings) settings.Settings {
		s.HeartbeatWhileActive = s.HeartbeatWhileActive || a.Heartbeat
		return s
	}
	s, _ := a.Live.Now()
	q := notify.Question{Form: &req.Form, ID: id, Agent: req.Origin.Agent, Payload: req.Raw, Asked: req.Origin.Start}
	alerts := notify.Start(q, with(s.Settings), a.Routes(h), a.Told.alertFailed)
	stop := a.Live.Subscribe(a.Told.Warn, func(s settings.Settings) { alerts.Change(with(s)) })
	return func() {
		stop()
		alerts.Clear()
	}
}

// popupOf gives the process of the popup that is up on a viewer of h.
func popupOf(h host.Host) func(viewer string) (pid int) {
	return func(viewer string) int {
		sp, err := OpenSpool()
		if err != nil {
			return 0
		}
		defer sp.Close()
		if pid, taken := sp.Queue(h.Kind().Name, viewer).Seat(); taken {
			return pid
		}
		return 0
	}
}

// Routes are the ways to the person by h, and to who asked.
func (a Asking) Routes(h host.Host) notify.Routes {
	return notify.Routes{
		Host: h, Popup: popupOf(h), Tell: integrations.Tell, Beat: a.Beat,
		Output: func(alert, line string) { a.Told.Log().Info("output", "alert", alert, "line", line) },
	}
}

// BeatAside is a heartbeat on standard error.
func BeatAside(_ context.Context, waited time.Duration) error {
	_, err := fmt.Fprintf(os.Stderr, "askpane: still waiting for an answer, for %s now\n", text.Age(waited))
	return err
}

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
	config := func(s settings.Settings) notify.Config {
		c := AlertConfig(s)
		c.Heartbeat = c.Heartbeat || a.Heartbeat
		return c
	}
	s, _ := a.Live.Now()
	q := notify.Question{Form: &req.Form, ID: id, Agent: req.Origin.Agent, Payload: req.Raw, Asked: req.Origin.Start}
	alerts := notify.Start(q, config(s.Settings), a.Routes(h), a.Told.alertFailed)
	stop := a.Live.Subscribe(a.Told.Warn, func(s settings.Settings) { alerts.Change(config(s)) })
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

// Routes are the ways to the person that h has.
func (a Asking) Routes(h host.Host) notify.Routes {
	r := notify.Routes{
		Ring:     func(ctx context.Context) error { return h.Ring(ctx, popupOf(h)) },
		Beat:     a.Beat,
		Terminal: h.Terminal,
		Tell: func(ctx context.Context, sequence []byte) error {
			t, err := h.Terminal(ctx)
			if err != nil {
				return err
			}
			return integrations.Tell(t, string(sequence))
		},
		Output: func(alert, line string) { a.Told.Log().Info("output", "alert", alert, "line", line) },
	}
	if m, ok := h.(host.Marker); ok {
		r.Mark = m.Mark
		r.Count = func(ctx context.Context) (func(context.Context) error, error) { return m.Mark(ctx, "") }
	}
	return r
}

// BeatAside is a heartbeat on standard error.
func BeatAside(_ context.Context, waited time.Duration) error {
	_, err := fmt.Fprintf(os.Stderr, "askpane: still waiting for an answer, for %s now\n", text.Age(waited))
	return err
}

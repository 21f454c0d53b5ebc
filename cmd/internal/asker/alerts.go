package asker

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// Raise raises the alerts for a question, and follows the settings, until clear.
func (a Asking) Raise(h host.Host, id string, req spool.Request) (clear func()) {
	if a.NoAlerts {
		return func() {}
	}
	q := notify.Question{Form: &req.Form, ID: id, Agent: req.Origin.Agent, Payload: req.Raw, Asked: req.Origin.Start}
	clearAlerts := notify.Start(q, func() (settings.Settings, <-chan struct{}) {
		s, changed := a.live.Now()
		s.HeartbeatWhileActive = s.HeartbeatWhileActive || a.Heartbeat
		return s.Settings, changed
	}, a.Routes(h), a.alertFailed)
	stop := a.live.Subscribe(a.Warn, func(settings.Settings) {}) // so that changes are noticed
	return func() {
		stop()
		clearAlerts()
	}
}

// alertFailed is for an alert, whose failure is no reason to disturb anybody:
// it goes to the log, from where doctor has it.
func (a Asking) alertFailed(alert string, err error) {
	a.Log().Warn("alert failed", "alert", alert, "error", err.Error())
	if a.Verbose {
		a.say(fmt.Errorf("alert %s: %w", alert, err))
	}
}

// Routes are the ways to the person by h, and to who asked.
func (a Asking) Routes(h host.Host) notify.Routes {
	return notify.Routes{
		Host: h, Tell: integrations.Tell, Beat: a.Beat,
		Popup: func(viewer string) (pid int) {
			sp, err := OpenSpool()
			if err != nil {
				return 0
			}
			defer sp.Close()
			pid, taken := sp.Queue(h.Kind().Name, viewer).Seat()
			if !taken {
				return 0
			}
			return pid
		},
		Output: func(alert, line string) { a.Log().Info("output", "alert", alert, "line", line) },
	}
}

// BeatAside is a heartbeat on standard error.
func BeatAside(_ context.Context, waited time.Duration) error {
	_, err := fmt.Fprintf(os.Stderr, "askpane: still waiting for an answer, for %s now\n", text.Age(waited))
	return err
}

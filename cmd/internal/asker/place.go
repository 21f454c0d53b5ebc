package asker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// ViewerEnv carries the viewer's name to the popup; BorrowedEnv says that the
// terminal belongs to the asker, and PlainEnv that it is to be asked on line by
// line.
const (
	ViewerEnv   = "ASKPANE_POPUP_VIEWER"
	BorrowedEnv = "ASKPANE_POPUP_BORROWED"
	PlainEnv    = "ASKPANE_POPUP_PLAIN"
)

// finding is how many questions of one process look for their host at once.
// Each runs commands for that: of hundreds at once, all would be late.
var finding = make(chan struct{}, 4)

// findPlace begins to look for the host and returns how to get what was found.
func findPlace(name string, a Asking) func(context.Context) (bridge.Place, error) {
	type found struct {
		host host.Host
		err  error
	}
	result := make(chan found, 1)
	go func() {
		finding <- struct{}{}
		defer func() { <-finding }()
		h, err := integrations.Find(context.Background(), name)
		result <- found{h, err}
	}()
	return func(ctx context.Context) (bridge.Place, error) {
		var f found
		select {
		case f = <-result:
		case <-ctx.Done():
			return bridge.Place{}, ctx.Err()
		}
		if f.err != nil {
			return bridge.Place{}, f.err
		}
		return place(f.host, a)
	}
}

// Asking is what one question needs beside the question and the host.
type Asking struct {
	Live      *settings.Live
	Told      Told
	Lines     func() (*spool.Spool, error)                          // where questions stand in line; nil opens the spool for each
	Beat      func(ctx context.Context, waited time.Duration) error // tells who asked that it waits; nil where nothing can
	Heartbeat bool                                                  // that is done whatever the setting
	Popup     func() (path string, err error)                       // finds askpane, which shows popups; nil is the running program
	NoAlerts  bool                                                  // somebody else raises them
}

// alert raises the alerts for a question, and follows the settings, until the
// returned function is called.
func (a Asking) alert(h host.Host, id string, req spool.Request) (clear func()) {
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

// place is a host as the bridge wants it.
func place(h host.Host, a Asking) (bridge.Place, error) {
	popup, err := a.Popup()
	if err != nil {
		return bridge.Place{}, err
	}
	env, err := popupEnv(h)
	if err != nil {
		return bridge.Place{}, err
	}
	pane, ref := h.Asker()
	var adopt func(string) bridge.Opening
	if a, ok := h.(host.Adopter); ok {
		adopt = func(viewer string) bridge.Opening { return a.Adopt(viewer) }
	}
	lines := a.Lines
	if lines == nil {
		lines = sync.OnceValues(OpenSpool) // ends with the process
	}
	return bridge.Place{
		Name:     h.Kind().Name,
		Pane:     pane,
		Ref:      ref,
		Borrowed: h.Kind().Borrows,
		Adopt:    adopt,
		Open: func(ctx context.Context, id string) (bridge.Opening, error) {
			s, changed := a.Live.Now()
			when := OpenModeOf(s.Settings)
			if when.Mode == OpenManual {
				return nil, bridge.NotNow{Wake: changed}
			}
			v, err := h.Viewer(ctx)
			if errors.Is(err, host.ErrNoViewer) {
				return nil, fmt.Errorf("%w: %w", bridge.ErrNoViewer, err)
			}
			if err != nil {
				return nil, err
			}
			if wait, disturbs := when.disturbs(v, time.Now()); disturbs {
				return nil, bridge.NotNow{After: wait, Wake: changed}
			}
			if sp, err := lines(); err != nil {
				return nil, err
			} else if !h.Kind().Borrows && !sp.Queue(h.Kind().Name, v.ID).First(id) {
				return nil, bridge.Occupied{Viewer: v.ID}
			}
			return h.Open(ctx, v, host.Command{
				Args: []string{popup, "popup", id}, Env: append(env, ViewerEnv+"="+v.ID),
				Width: s.PopupWidth, Height: s.PopupHeight,
			})
		},
		Alert: func(id string, req spool.Request) func() {
			go pruneBeside(a.Told.Warn) // the form is up, or cannot come up yet
			return a.alert(h, id, req)
		},
	}, nil
}

// popupEnv is what a popup must be told: a multiplexer starts it with the
// environment of its server, which may know another spool and other settings.
func popupEnv(h host.Host) ([]string, error) {
	env, err := spool.Environ()
	if err != nil {
		return nil, err
	}
	said := func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(env, func(ours string) bool { return strings.HasPrefix(ours, name+"=") })
	}
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "ASKPANE_") && !strings.HasPrefix(e, "ASKPANE_POPUP_") && !said(e) {
			env = append(env, e)
		}
	}
	if h.Kind().Borrows {
		env = append(env, BorrowedEnv+"=1")
	}
	if h.Kind().NoScreen {
		env = append(env, PlainEnv+"=1")
	}
	return env, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// viewerEnv carries the viewer's name to the popup; borrowedEnv says that the
// terminal belongs to the asker, and plainEnv that it is to be asked on line by
// line.
const (
	viewerEnv   = "ASKPANE_POPUP_VIEWER"
	borrowedEnv = "ASKPANE_POPUP_BORROWED"
	plainEnv    = "ASKPANE_POPUP_PLAIN"
)

// findLimit is how long a host may take to say that it is there.
const findLimit = 5 * time.Second

// findPlace begins to look for the host and returns how to get what was found.
func findPlace(name string, s settings.Settings, t told) func(context.Context) (bridge.Place, error) {
	type found struct {
		host host.Host
		err  error
	}
	result := make(chan found, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), findLimit)
		defer cancel()
		h, err := integrations.Find(ctx, name)
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
		return place(f.host, s, t)
	}
}

// place is a host as the bridge wants it.
func place(h host.Host, s settings.Settings, t told) (bridge.Place, error) {
	self, err := os.Executable()
	if err != nil {
		return bridge.Place{}, fmt.Errorf("find our own binary: %w", err)
	}
	env, err := popupEnv(h)
	if err != nil {
		return bridge.Place{}, err
	}
	alerts := notify.Config{Title: s.TitleOnQuestion, Bell: s.BellOnQuestion}
	routes := notify.Routes{Mark: h.Mark, Ring: h.Ring}
	return bridge.Place{
		Name:     h.Name(),
		Pane:     h.Pane(),
		Borrowed: borrowed(h),
		Open: func(ctx context.Context, id string) (bridge.Opening, error) {
			when := openModeNow()
			if when.mode == openManual {
				return nil, bridge.NotNow{}
			}
			v, err := h.Viewer(ctx)
			if errors.Is(err, host.ErrNoViewer) {
				return nil, fmt.Errorf("%w: %w", bridge.ErrNoViewer, err)
			}
			if err != nil {
				return nil, err
			}
			if wait, disturbs := when.disturbs(v, time.Now()); disturbs {
				return nil, bridge.NotNow{After: wait}
			}
			return h.Open(ctx, v, host.Command{
				Args: []string{self, "popup", id}, Env: append(env, viewerEnv+"="+v.ID),
				Width: s.PopupWidth, Height: s.PopupHeight,
			})
		},
		Alert: func(f *form.Form) func() {
			return notify.Start(notify.Question{Form: f}, alerts, routes, t.alertFailed).Clear
		},
	}, nil
}

// popupEnv is what a popup must be told: a multiplexer starts it with the
// environment of its server, which may know another spool and other settings.
func popupEnv(h host.Host) ([]string, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	env := []string{"ASKPANE_SPOOL=" + dir}
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "ASKPANE_") && !strings.HasPrefix(e, "ASKPANE_SPOOL=") && !strings.HasPrefix(e, "ASKPANE_POPUP_") {
			env = append(env, e)
		}
	}
	if borrowed(h) {
		env = append(env, borrowedEnv+"=1")
	}
	if h.Name() == "plain" {
		env = append(env, plainEnv+"=1")
	}
	return env, nil
}

// borrowed reports whether h shows popups on the asker's own terminal.
func borrowed(h host.Host) bool { return h.Name() == "terminal" || h.Name() == "plain" }

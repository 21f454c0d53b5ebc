package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// What a popup is told in its environment: the host and the viewer it is on, what a
// person calls that where the host's own name says little, when they last typed there
// where the host can tell, whether the terminal belongs to the asker, and whether that is
// asked on line by line.
const (
	HostEnv     = "ASKPANE_POPUP_HOST"
	ViewerEnv   = "ASKPANE_POPUP_VIEWER"
	NameEnv     = "ASKPANE_POPUP_VIEWER_NAME"
	TypedEnv    = "ASKPANE_POPUP_TYPED"
	BorrowedEnv = "ASKPANE_POPUP_BORROWED"
	PlainEnv    = "ASKPANE_POPUP_PLAIN"
)

// reply is what has come of asking for a popup.
type reply struct {
	event   machine.Event // Opened or Refused
	opening host.Opening  // of Opened
	woken   <-chan struct{}
	alone   bool // nobody could see a popup
}

// open asks the host for a popup where the person is now, unless it would
// disturb them or it is another question's turn.
func (w *waiting) open(ctx context.Context) reply {
	now, changed := w.Settings.Now()
	v, err := w.lookout.look(ctx)
	nowhere, alone := w.host.Kind().NoPopup, errors.Is(err, host.ErrNoViewer)
	switch {
	case nowhere || now.OpenMode == settings.OpenManual:
		return reply{event: machine.Refused{Why: machine.NotNow}, woken: changed, alone: nowhere || alone}
	case now.Muted(time.Now()) && !w.host.Kind().Borrows: // there the person has run the command
		return reply{event: machine.Refused{Why: machine.NotNow, After: time.Until(now.MutedUntil)}, woken: changed, alone: alone}
	case alone:
		return reply{event: machine.Refused{Why: machine.NoViewer, Err: fmt.Errorf("no viewer: %w", err)}, alone: true}
	case err != nil:
		return reply{event: machine.Refused{Why: machine.NoReply, Err: err}}
	}
	if wait, disturbs := disturbs(&now.Settings, v, time.Now()); disturbs {
		return reply{event: machine.Refused{Why: machine.NotNow, After: wait}, woken: changed}
	}
	kind := host.At(w.host, v.ID).Kind()
	if !kind.Borrows && (held(w.went(v.ID), v, time.Now()) || !w.queueOf(v.ID).First(w.entry.ID)) {
		return reply{event: machine.Refused{Why: machine.Occupied, Viewer: v.ID}}
	}
	env, err := popupEnv(kind, v)
	if err != nil {
		return reply{event: machine.Refused{Why: machine.Failed, Err: err}}
	}
	o, err := w.host.Open(ctx, v, host.Command{Args: []string{w.Popup, "popup", w.entry.ID}, Env: env, Size: w.size(&now.Settings, v)})
	if err != nil {
		return reply{event: machine.Refused{Why: machine.Failed, Err: err}}
	}
	return reply{event: machine.Opened{Viewer: o.Viewer()}, opening: o}
}

// size is how large a popup is: as its form needs, and no larger than the settings say.
func (w *waiting) size(s *settings.Settings, v host.Viewer) func(width, height int) (columns, rows int) {
	return func(width, height int) (columns, rows int) {
		columns, rows = s.Room(width, height)
		if w.Size == nil {
			return columns, rows
		}
		columns, rows = w.Size(w.req, v.Grows, max(1, columns-host.Border), max(1, rows-host.Border))
		return columns + host.Border, rows + host.Border
	}
}

// disturbs reports whether a popup would come into the viewer's typing, and
// after how long it is worth looking again. Where the host cannot tell, it does
// not: such a host is the asker's own terminal, where nothing else is typed.
func disturbs(s *settings.Settings, v host.Viewer, now time.Time) (wait time.Duration, yes bool) {
	quiet := time.Duration(s.IdleSeconds) * time.Second
	idle, known := v.Idle(now)
	if s.OpenMode != settings.OpenIdle || !known || idle >= quiet {
		return 0, false
	}
	return quiet - idle, true
}

// held reports whether the viewer's person, who went from a form to an asking pane,
// has yet to type there. What is typed within two seconds counts as typed before: hosts
// tell of it a second late, and of the form's own end.
func held(went time.Time, v host.Viewer, now time.Time) bool {
	return now.Sub(went) < machine.HoldBack && !v.Active.After(went.Add(2*time.Second))
}

// popupEnv is what a popup must be told: a multiplexer starts it with the
// environment of its server, which may know another spool and other settings.
func popupEnv(kind *host.Kind, v host.Viewer) ([]string, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	env := []string{"ASKPANE_SPOOL=" + dir}
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "ASKPANE_") && !strings.HasPrefix(e, "ASKPANE_POPUP_") && !strings.HasPrefix(e, "ASKPANE_SPOOL=") {
			env = append(env, e)
		}
	}
	env = append(env, HostEnv+"="+kind.Name, ViewerEnv+"="+v.ID, NameEnv+"="+v.Name)
	if !v.Active.IsZero() && !kind.Coarse {
		env = append(env, TypedEnv+"="+v.Active.Format(time.RFC3339Nano))
	}
	if kind.Borrows {
		env = append(env, BorrowedEnv+"=1")
	}
	if kind.NoScreen {
		env = append(env, PlainEnv+"=1")
	}
	return env, nil
}

package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/popupenv"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// reply is what has come of asking for a popup.
type reply struct {
	event   machine.Event // Opened or Refused
	opening host.Opening  // of Opened
	woken   <-chan struct{}
	alone   bool // nobody could see a popup
}

// openPopup asks the host for a popup where the person is now, unless it would
// disturb them or it is another question's turn.
func (w *waiting) openPopup(ctx context.Context) reply {
	v, err := w.lookout.ask(ctx, w.host)
	if r := w.notNow(v, err); r != nil {
		return *r
	}
	kind := host.At(w.host, v.ID).Kind()
	if !kind.Borrows && (heldBack(w.Spool.Queue(kind.Name, "").LastLeft(), v, time.Now()) || !w.queueOf(v.ID).First(w.entry.ID)) {
		return reply{event: machine.Refused{Why: machine.Occupied, Viewer: v.ID}}
	}
	env, err := popupEnv(kind, v)
	args, missing := w.Popup()
	if err = cmp.Or(err, missing); err != nil {
		return reply{event: machine.Refused{Why: machine.Failed, Err: err}}
	}
	now, _ := w.Settings()
	if err := w.entry.SetSettings(now.Snapshot()); err != nil {
		w.Warn(err) // the popup reads the files, without this process's variables
	}
	o, err := w.host.Open(ctx, v, host.Command{Args: append(args, w.entry.ID), Env: env, Size: w.Size(w.req, v)})
	if err != nil {
		return reply{event: machine.Refused{Why: machine.Failed, Err: err}}
	}
	return reply{event: machine.Opened{Viewer: o.Viewer()}, opening: o}
}

// notNow returns why no popup is opened on the viewer, which may not have been found; nil where
// one is wanted.
func (w *waiting) notNow(v host.Viewer, err error) *reply {
	if w.req.Origin.Native == spool.Serial {
		if r := w.handBack(v, err); r != nil {
			return r
		}
	}
	now, changed := w.Settings()
	nowhere, alone := w.host.Kind().NoPopup, errors.Is(err, host.ErrNoViewer)
	switch {
	case nowhere || now.OpenMode == settings.OpenManual:
		return &reply{event: machine.Refused{Why: machine.NotNow}, woken: changed, alone: nowhere || alone}
	case now.Muted() && !w.host.Kind().Borrows: // there the person has run the command
		return &reply{event: machine.Refused{Why: machine.NotNow, After: min(time.Until(now.MutedUntil), machine.MostSlept)}, woken: changed, alone: alone}
	case alone:
		return &reply{event: machine.Refused{Why: machine.NoViewer, Err: fmt.Errorf("no viewer: %w", err)}, alone: true}
	case err != nil:
		return &reply{event: machine.Refused{Why: machine.NoReply, Err: err}}
	}
	if w.hold != nil {
		if held := w.held(v, changed); held != nil {
			return held
		}
	}
	if now.OpenMode != settings.OpenIdle {
		return nil
	}
	if wait, disturbs := disturbs(&now.Settings, v, time.Now()); disturbs {
		return &reply{event: machine.Refused{Why: machine.NotNow, After: wait}, woken: changed}
	}
	return nil
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

// heldBack reports whether the viewer's person, who left a form for an asking pane, has
// yet to type there. What is typed within two seconds counts as typed before: hosts tell
// of it a second late, and of the form's own end. Where the clock was set back since, it was long ago.
func heldBack(left time.Time, v host.Viewer, now time.Time) bool {
	return now.Sub(left).Abs() < machine.HoldBack && !v.Active.After(left.Add(2*time.Second))
}

// popupEnv returns what a popup must be told to find its question, and of where it is: a multiplexer starts
// it with the environment of its server. In some hosts others can read this in a list of processes.
func popupEnv(kind *host.Kind, v host.Viewer) ([]string, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	env := []string{"ASKPANE_SPOOL=" + dir, popupenv.Host + "=" + kind.Name, popupenv.Viewer + "=" + v.ID, popupenv.Name + "=" + v.Name}
	if !v.Active.IsZero() && !kind.Coarse {
		env = append(env, popupenv.Typed+"="+v.Active.Format(time.RFC3339Nano))
	}
	if kind.Borrows {
		env = append(env, popupenv.Borrowed+"=1")
	}
	if kind.NoScreen {
		env = append(env, popupenv.Plain+"=1")
	}
	return env, nil
}

// Package inbox is the list of all questions that wait, of every agent, host and
// session, on a terminal: they are answered, gone to and dismissed from there.
//
// It touches that terminal, the spool, and the file HEAD of the repositories that
// agents work in. The rule that must hold here: what happens to a question is
// said by name before it happens, and only what is on view is read.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/display"
)

// Config is what the inbox needs to know.
type Config struct {
	Spool *spool.Spool
	Theme string
	// Answer shows the question's form on this terminal until it is closed. The
	// error wraps popup.ErrShown where another popup has it.
	Answer func(id string) error
	// Pane is where o asks from, nil where it cannot be gone to.
	Pane func(o spool.Origin) host.Pane
	// End ends the popup with that process id, which keeps what was typed.
	End func(pid int) error
	// Kept are the keys that this terminal keeps for itself, as KeyName names them.
	Kept []string
	// Over: this terminal lies over the panes (a popup of tmux, say), and must
	// close for one of them to be seen.
	Over bool
}

const (
	// paneLimit is how long a host may take to go to a pane.
	paneLimit = 5 * time.Second
	// redraw is a key that no keyboard has, for what should be drawn though no
	// key was pressed.
	redraw = tcell.KeyF64
	// endLimit is how long a popup that was ended may take to close.
	endLimit = 3 * time.Second
)

// Run shows the inbox until the person leaves it or ctx ends.
func Run(ctx context.Context, c Config) error {
	v := newView(c)
	for ctx.Err() == nil {
		screen, err := display.Open()
		if err != nil {
			return err
		}
		next, err := v.run(ctx, v.newApp(screen))
		if err != nil || next == nil {
			return err
		}
		v.notice = next()
	}
	return nil
}

func (v *view) newApp(screen tcell.Screen) *tview.Application {
	app := tview.NewApplication().SetScreen(screen).SetRoot(v, true).EnableMouse(true).EnablePaste(true)
	app.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey { // tview would stop without asking
		if e.Key() == tcell.KeyCtrlC {
			app.Stop()
			return nil
		}
		if e.Key() == redraw {
			return nil // it draws then, and that is all
		}
		return e
	})
	return app
}

// run shows the list once. next is what to do with the terminal before it is
// shown again, and returns what to say then; nil is to leave.
func (v *view) run(ctx context.Context, app *tview.Application) (next func() string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	v.leave = func(with func() string) {
		next = with
		app.Stop()
	}
	// Not app.QueueUpdateDraw, which would wait for ever for an application that
	// has just stopped. One at a time: the queue has an end too.
	var asked atomic.Bool
	v.caughtUp = func() { asked.Store(false) }
	v.list.draws(func() {
		if asked.CompareAndSwap(false, true) {
			app.QueueEvent(tcell.NewEventKey(redraw, 0, 0))
		}
	})
	quit := func() { app.QueueEvent(tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)) }
	v.quitSoon = quit
	v.list.begin()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		v.list.follow(ctx)
	}()
	stop := context.AfterFunc(ctx, quit)
	err = app.Run()
	stop()
	cancel()
	<-ended
	if err != nil {
		return nil, fmt.Errorf("draw on the terminal: %w", err)
	}
	return next, nil
}

// answer opens the form of r in the place of the list.
func (v *view) answer(r *row) {
	v.leave(func() string {
		err := v.Answer(r.id)
		switch {
		case errors.Is(err, popup.ErrShown):
			return "It has just been opened elsewhere."
		case err != nil && !errors.Is(err, spool.ErrAnswered):
			return err.Error()
		}
		return v.outcome(r)
	})
}

// takeOver ends the popup that shows r, and opens its form here.
func (v *view) takeOver(r *row) {
	pid := r.Status.PID
	v.leave(func() string {
		e, err := v.Spool.Open(r.id)
		if err != nil {
			return err.Error()
		}
		gone := e.PopupGone()
		e.Close()
		if err := v.End(pid); err != nil {
			return "It cannot be taken over: " + err.Error()
		}
		select {
		case <-gone:
		case <-time.After(endLimit):
			return "The other popup does not close."
		}
		if err := v.Answer(r.id); errors.Is(err, popup.ErrShown) {
			return "It was opened again elsewhere before it could be opened here."
		} else if err != nil && !errors.Is(err, spool.ErrAnswered) {
			return err.Error()
		}
		return v.outcome(r)
	})
}

// outcome says how it stands with r after its form was closed.
func (v *view) outcome(r *row) string {
	name := r.name()
	if e, err := v.Spool.Find(r.id); err == nil {
		res, over, err := e.Answer()
		e.Close()
		if err == nil && over {
			return fmt.Sprintf("%s: %s by %s.", name, res.Outcome, text.OneLine(res.By, 40))
		}
	}
	return name + " still waits."
}

// dismiss cancels r, as Esc in its form does.
func (v *view) dismiss(r *row) string {
	e, err := v.Spool.Open(r.id)
	if errors.Is(err, spool.ErrNotFound) {
		return "It is over already."
	}
	if err != nil {
		return err.Error()
	}
	defer e.Close()
	err = e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByInbox, At: time.Now()})
	if err != nil && !errors.Is(err, spool.ErrAnswered) {
		return err.Error()
	}
	return v.outcome(r)
}

// goTo takes the viewer to the pane that r was asked from.
func (v *view) goTo(r *row) {
	var pane host.Pane
	if v.Pane != nil {
		pane = v.Pane(r.Origin)
	}
	if pane == nil {
		v.notice = "Its pane cannot be gone to from here."
		return
	}
	v.notice = "Going to the pane…"
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), paneLimit)
		defer cancel()
		err := pane.GoTo(ctx, "")
		v.list.tell(func() {
			switch {
			case err != nil:
				v.notice = "The pane cannot be gone to: " + err.Error()
			case v.Over:
				v.quitSoon()
			default:
				v.notice = ""
			}
		})
	}()
}

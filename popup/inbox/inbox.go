// Package inbox is the list of all questions that wait, of every agent, host and
// session, on a terminal: they are answered, gone to and dismissed from there.
//
// It touches that terminal, the spool, the file HEAD of the repositories that
// agents work in, and the process of a popup that is taken over. The rule that must
// hold here: what happens to a question is said by name before it happens, and only
// what is on view is read, unless a filter looks for more.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	// Kept are the keys that this terminal keeps for itself, as the keymap names them.
	Kept []string
	// Over: this terminal lies over the panes (a popup of tmux, say), and must
	// close for one of them to be seen.
	Over bool
}

const (
	// paneLimit is how long a host may take to go to a pane.
	paneLimit = 5 * time.Second
	// scanPause is how long news from the spool wait for more of them.
	scanPause = 100 * time.Millisecond
)

// Run shows the inbox until the person leaves it or ctx ends.
func Run(ctx context.Context, c Config) error {
	v := newView(c)
	for ctx.Err() == nil {
		screen, err := display.Open()
		if err != nil {
			return err
		}
		next, err := v.run(ctx, display.NewApp(screen, v))
		if err != nil || next == nil {
			return err
		}
		v.notice = next()
	}
	return nil
}

// run shows the list once. next is what to do with the terminal before it is
// shown again, and returns what to say then; nil is to leave.
func (v *view) run(ctx context.Context, app *display.App) (next func() string, err error) {
	v.app = app
	v.leave = func(with func() string) {
		next = with
		app.Stop()
	}
	v.takeIn(v.scan())
	err = app.Run(ctx, v.follow)
	return next, err
}

// follow has the view drawn with what has come and gone in the spool, and once a
// second: of a bridge or a popup that has died nobody tells, and ages grow.
func (v *view) follow(ctx context.Context) {
	watch := v.Spool.Watch()
	defer watch.Stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.Changed:
		case <-tick.C:
		}
		now := v.scan()
		v.app.Post(func() { v.takeIn(now) })
		select {
		case <-ctx.Done():
		case <-time.After(scanPause):
		}
	}
}

// open answers the question in focus, or asks whether to take it over.
func (v *view) open() {
	r := v.focused()
	switch {
	case r == nil:
	case !r.status.Shown:
		v.leave(func() string { return v.answer(r, "It has just been opened elsewhere.") })
	case r.status.PID == 0:
		v.notice = "It is just being opened elsewhere."
	default:
		v.confirm = &confirmation{verb: "take it over", yes: func() { v.leave(func() string { return v.takeOver(r) }) }, text: fmt.Sprintf(
			"%s is open%s. Taking it over closes it there; what was typed comes along.", r.name(), on(r.status.Viewer))}
	}
}

// answer shows the form of r in the place of the list. shown is what to say where
// another popup has it.
func (v *view) answer(r *row, shown string) string {
	err := v.Answer(r.id)
	switch {
	case errors.Is(err, popup.ErrShown):
		return shown
	case err != nil && !errors.Is(err, spool.ErrAnswered):
		return err.Error()
	}
	return v.outcome(r)
}

// outcome says how it stands with r now.
func (v *view) outcome(r *row) string {
	if e, err := v.Spool.Find(r.id); err == nil {
		defer e.Close()
		if res, over, err := e.Answer(); err == nil && over {
			return fmt.Sprintf("%s: %s by %s.", r.name(), res.Outcome, text.OneLine(res.By, 40))
		}
	}
	return r.name() + " still waits."
}

func (v *view) askDismiss() {
	if r := v.focused(); r != nil {
		v.confirm = &confirmation{verb: "dismiss it", yes: func() { v.notice = v.dismiss(r) }, text: fmt.Sprintf(
			"Dismiss %s of %s? The agent is told that you cancelled it.", r.name(), text.Quoted(r.origin.Agent, 24))}
	}
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

// goThere takes the viewer to the pane that the question in focus was asked from.
func (v *view) goThere() {
	r := v.focused()
	if r == nil {
		return
	}
	var pane host.Pane
	if v.Pane != nil {
		pane = v.Pane(r.origin)
	}
	if pane == nil {
		v.notice = "Its pane cannot be gone to from here."
		return
	}
	v.notice = "Going to the pane…"
	app := v.app
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), paneLimit)
		defer cancel()
		err := pane.GoTo(ctx, "")
		app.Post(func() { v.arrived(err) })
	}()
}

// arrived is what follows when going to a pane has ended.
func (v *view) arrived(err error) {
	v.notice = ""
	switch {
	case err != nil:
		v.notice = "The pane cannot be gone to: " + err.Error()
	case v.Over:
		v.app.Stop()
	}
}

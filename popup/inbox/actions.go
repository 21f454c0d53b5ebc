package inbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/popup/scene"
)

// open answers the question in focus, or asks whether to take it over.
func (v *view) open() {
	r := v.focused()
	v.Typing = v.Typing && v.Focused() == ""
	switch {
	case r == nil:
	case !r.Status.Shown:
		v.leave(func() string { return v.answer(r, "It has just been opened elsewhere.") })
	case r.Status.PID == 0:
		v.Notice = "It is just being opened elsewhere."
	default:
		v.ask(confirmation{verb: takeIt, yes: func() { v.leave(func() string { return v.takeOver(r) }) }, text: fmt.Sprintf(
			"%s is open%s. Taking it over closes it there; what was typed comes along.", r.Name(), record.On(r.Status))})
	}
}

// answer shows the form of r in the place of the list. shown is what to say where
// another popup has it.
func (v *view) answer(r *record.Row, shown string) string {
	err := v.Answer(r.ID)
	if errors.Is(err, popup.ErrShown) {
		return shown
	}
	return v.outcome(r, err)
}

// outcome says how r has ended, or what kept it from being answered.
func (v *view) outcome(r *record.Row, err error) string {
	if e, err := v.Spool.Find(r.ID); err == nil {
		defer e.Close()
		if r.Origin.Away != nil {
			v.sent = r
		}
		if res, ended, err := e.Answer(); err == nil && ended {
			return fmt.Sprintf("%s: %s.", scene.Capital(scene.Ended(r.Origin.Agent, res)), r.Name())
		}
	}
	if err != nil {
		return err.Error()
	}
	return r.Name() + " still waits."
}

// hear says what the machine of a question has made of the answer that was given here.
func (v *view) hear() {
	e, err := v.Spool.Find(v.sent.ID)
	if err != nil {
		return
	}
	defer e.Close()
	if verdict := e.Away().Verdict; verdict != "" {
		v.Notice, v.sent = fmt.Sprintf("%s: %s.", v.sent.Name(), text.OneLine(verdict, 80)), nil
	} else if e.Status().Delivered {
		v.sent = nil
	}
}

// takeOver ends the popup that shows r, and opens its form here. By the time of the yes it may show another.
func (v *view) takeOver(r *record.Row) string {
	e, err := v.Spool.Find(r.ID)
	if err != nil {
		return err.Error()
	}
	gone := e.PopupGone()
	if e.Status().PID == r.Status.PID {
		err = v.endPopup(r.Status.PID)
	}
	e.Close()
	if err != nil {
		return "It cannot be taken over: " + err.Error()
	}
	select {
	case <-gone:
	case <-time.After(3 * time.Second):
		return "The other popup does not close."
	}
	return v.answer(r, "It was opened again elsewhere before it could be opened here.")
}

// endPopup ends the process that shows a form as a closing popup does; it saves
// what was typed. The number is from the spool: it is believed only where the
// system says that the process is askpane.
func (v *view) endPopup(pid int) error {
	if pid == os.Getpid() || !v.Shows(pid) {
		return fmt.Errorf("nothing here says that process %d is askpane and yours; close it there", pid)
	}
	return syscall.Kill(pid, syscall.SIGTERM)
}

func (v *view) askDismiss() {
	if r := v.focused(); r != nil {
		v.ask(confirmation{verb: dismissIt, yes: func() { v.Notice = v.dismiss(r) }, text: fmt.Sprintf(
			"Dismiss %s of %s? The agent is told that you cancelled it.", r.Name(), r.Asker(24))})
	}
}

// dismiss cancels r, as Esc in its form does.
func (v *view) dismiss(r *record.Row) string {
	e, err := v.Spool.Find(r.ID)
	if err != nil {
		return err.Error()
	}
	defer e.Close()
	return v.outcome(r, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByInbox, At: time.Now()}))
}

// goThere takes the viewer to the pane that the question in focus was asked from.
func (v *view) goThere() {
	r := v.focused()
	if r == nil {
		return
	}
	pane := v.Pane(r.Origin.Host, r.Origin.Ref)
	if pane == nil {
		v.Notice = "Its pane is not within reach from here."
		return
	}
	v.Notice = "Going to the pane…"
	app := v.app
	go func() {
		problem := popup.GoTo(context.Background(), pane, "")
		app.Post(func() {
			if v.Notice = problem; problem == "" && v.Floats {
				app.Stop()
			}
		})
	}()
}

func (v *view) mute(until time.Time) {
	if err := v.Mute(until); err != nil {
		v.Notice = err.Error()
	}
}

package popup

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview"
)

// Reading is the record on its review. With begun, what stands there was begun and
// not sent: the person has said it so far, or had when the question ended without
// their answer.
func Reading(r spool.Record) (m *machine.Machine, begun bool) {
	f := &r.Request.Form
	if r.Result != nil && len(r.Result.Answers) > 0 {
		return machine.Finished(f, *r.Result), false
	}
	var d machine.Draft
	if json.Unmarshal(r.Draft, &d) == nil && d.Begun(f) {
		return machine.Reading(f, &d), true
	}
	return machine.Reading(f, nil), false
}

// how is in a few words how the question stands.
func how(r spool.Record) string {
	switch {
	case r.Result != nil:
		return string(r.Result.Outcome)
	case r.Status.AgentGone:
		return "waits, agent gone"
	}
	return "waits"
}

// Notes are sentences on how the question ended, or stands. They hold texts of
// others: Visible has not seen them.
func Notes(r spool.Record) []string {
	var notes []string
	if res := r.Result; res != nil {
		notes = append(notes, fmt.Sprintf("This was %s %s at %s.", past(res.Outcome), by(*res), res.At.Local().Format(time.DateTime)))
		if res.Reason != "" {
			notes = append(notes, "Reason: "+res.Reason)
		}
		if !r.Status.Delivered {
			notes = append(notes, "The agent has not got it yet.")
		}
	} else if r.Status.AgentGone {
		notes = append(notes, "It waits, and its agent is gone.")
	} else {
		notes = append(notes, "It waits for an answer.")
	}
	if _, begun := Reading(r); begun {
		notes = append(notes, "What stands above was begun and not sent.")
	}
	return notes
}

func past(o form.Outcome) string {
	switch o {
	case form.NeedsDiscussion:
		return "sent with questions left open"
	case form.Timeout:
		return "ended at its deadline"
	}
	return string(o)
}

// Read shows a record on this process's terminal until the person closes it or
// ctx ends. Nothing can be answered there. The others are as in Config.
func Read(ctx context.Context, r spool.Record, theme string, program preview.Program, boxed bool) error {
	screen, err := display.Open()
	if err != nil {
		return err
	}
	var app *display.App
	v := newReadView(r, theme, func() { app.Stop() })
	app = display.NewApp(screen, v)
	previews := preview.New(program, app.Post)
	defer previews.Close()
	v.previews, v.padding, v.boxed = previews, layout.Padding, boxed
	return app.Run(ctx, nil)
}

// newReadView calls closed when the person closes it.
func newReadView(r spool.Record, theme string, closed func()) *view {
	m, _ := Reading(r)
	v := newView(m, display.ThemeOf(theme).Accented(m.Form().Accent))
	v.dialect.Keys = v.dialect.Keys.Reading()
	v.send = func(e event) {
		if did, ok := e.(personDid); ok {
			did.do()
		} else if v.m.Mode() == machine.Over {
			closed()
		}
	}
	o := r.Request.Origin
	st := layout.Status{Agent: o.Agent, Cwd: o.Cwd, Pane: o.Pane, How: how(r), Notes: Notes(r)}
	v.status = func() layout.Status { return st }
	return v
}

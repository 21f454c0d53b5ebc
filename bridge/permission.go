package bridge

import (
	"cmp"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// mostShown bounds, in bytes, what can be looked at before it is allowed: a preview shows that much.
const mostShown = 60 << 10

// permit has the settings decide how a permission is asked for, and reports whether it is asked for here
// at all.
func (c *call) permit() bool {
	s := c.req.Form.Subject()
	s.Dir = cmp.Or(s.Dir, c.req.Origin.Cwd)
	now, _ := c.Settings()
	q := &c.req.Form.Questions[0]
	if confirm := now.Danger(s.Tool, c.req.Raw); confirm != "" && !q.Dangerous {
		q.Endanger(confirm)
	}
	if change.Renew(s); len(s.Shown.Content) > mostShown {
		q.Confine()
		q.Description = "It is too long to be shown here, and so it cannot be allowed here."
	}
	c.req.Origin.Surfaces = now.SurfacesOf(q.Dangerous)
	return c.holds() != settings.Never && len(c.req.Origin.Surfaces) > 0
}

// holds keeps a permission's form back by the settings, and returns when that is asked for.
func (c *call) holds() (when string) {
	now, _ := c.Settings()
	when = now.PermissionFor(c.req.Origin.Agent, c.req.Form.Subject().Tool)
	c.hold = &machine.Hold{Away: when == settings.Away, Serial: c.req.Origin.Native == spool.Serial, Looked: c.question.Origin.Start}
	return when
}

// check reports whether r can be the result. It allows nothing but what would be done now.
func (c *call) check(r form.Result) error {
	if err := c.req.Check(r); err != nil {
		return fmt.Errorf("the answer to %s: %w", c.entry.ID, err)
	}
	s := c.req.Form.Subject()
	if s == nil || c.req.Form.Decided(r) != form.Allow || c.req.Origin.Away != nil {
		return nil
	}
	if change.Of(s).Content != cmp.Or(r.Shown, s.Shown.Content) {
		return change.ErrChanged
	}
	return nil
}

// leave gives a permission that is not asked for here back to the agent's own prompt.
func (c *call) leave() error {
	return c.deliver(c.envelope("", c.dialect, &c.req.Form, form.Result{Outcome: form.Elsewhere, By: form.ByBridge}))
}

// held returns why a permission's form is kept back from v; nil where it is not. changed is closed
// when other settings are in force.
func (w *waiting) held(v host.Viewer, changed <-chan struct{}) *reply {
	if !w.req.Admits(form.ByPopup) {
		return &reply{event: machine.Refused{Why: machine.NotNow}, woken: changed}
	}
	known := v.Pane != "" && w.req.Origin.Ref != "" && w.req.Origin.Native != ""
	wait, back := w.hold.At(time.Now(), v.Pane == w.req.Origin.Ref, known)
	if wait == 0 && !back {
		return nil
	}
	return &reply{event: machine.Refused{Why: machine.Looking, After: wait}}
}

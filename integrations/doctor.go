package integrations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
)

// Checks is what askpane doctor says of each host, for an agent of that name. used
// is the one that Find would take for name; nil where there is none.
func Checks(ctx context.Context, name, agent string) (checks []hint.Check, used host.Host) {
	const section = "hosts"
	if err := Known(name); err != nil {
		checks = append(checks, hint.Check{Section: section, Name: "setting", State: hint.Warn, Detail: err.Error() + "; using " + Auto, Fix: "unset ASKPANE_HOST"})
		name = Auto
	}
	findings := Survey(ctx, name)
	for _, f := range findings {
		check := f.check(name, used)
		if f.Used {
			used = f.Host
		}
		if f.Used && f.Kind.Borrows {
			check.Detail += " for what you run here yourself; the questions of an agent, which has the terminal for itself, "
			if name == Auto && slices.ContainsFunc(findings, func(f Finding) bool { return !f.Kind.Borrows && f.Err == nil }) {
				check.Detail += "open in a new window"
			} else {
				check.State, check.Fix = hint.Warn, Instead(agent)
				check.Detail += "end as unavailable"
			}
		}
		if f.Version != "" {
			check.Detail += "; version " + f.Version
		}
		if f.VersionErr != nil && f.Used {
			check.State, check.Detail = hint.Warn, check.Detail+"; "+f.VersionErr.Error()
			check.Fix = "install " + f.Kind.Name + " anew with the system's package manager"
		}
		check.Section, check.Name = section, f.Kind.Name
		checks = append(checks, check)
	}
	switch {
	case used != nil:
	case name == Auto:
		checks = append(checks, hint.Check{Section: section, Name: "none", State: hint.Fail, Detail: "no host can show a form here: every question ends as unavailable",
			Fix: Instead(agent) + ", or tmux new-session, and run the agent in it"})
	default:
		checks = append(checks, hint.Check{Section: section, Name: "none", State: hint.Fail, Fix: "unset ASKPANE_HOST",
			Detail: "the host that is set, " + name + ", cannot be used: every question ends as unavailable"})
	}
	return checks, used
}

// check says whether the host is used, for the setting name, or why not; used is
// the one that goes before it, if any.
func (f Finding) check(name string, used host.Host) hint.Check {
	check := hint.Check{State: hint.Off}
	switch {
	case f.Used:
		check.State, check.Detail = hint.OK, "used"
		if name != Auto {
			check.Detail += ", as the setting host says"
		}
		if pane, _ := f.Host.Asker(); pane != "" {
			check.Detail += "; asking pane " + pane
		}
	case f.Err != nil:
		check.Detail = f.Err.Error()
	case used != nil:
		check.Detail = "could be used; " + used.Kind().Name + " goes before it"
	default:
		check.Detail = "could be used; the setting host is " + name
	}
	return check
}

// ViewerCheck is what askpane doctor says of who would see a form on h.
func ViewerCheck(ctx context.Context, h host.Host) hint.Check {
	check := hint.Check{Section: "viewer", Name: h.Kind().Name}
	v, err := h.Viewer(ctx)
	switch {
	case errors.Is(err, host.ErrNoViewer):
		check.State, check.Detail, check.Fix = hint.Warn, err.Error()+": questions wait until somebody is", h.Kind().Attach
		if errors.Is(err, host.ErrUnfit) {
			check.Fix += ", in another terminal"
		}
		return check
	case err != nil:
		check.State, check.Detail = hint.Fail, err.Error()
		return check
	}
	check.State, check.Detail = hint.OK, cmp.Or(v.Name, v.ID)
	if v.Width > 0 {
		check.Detail += fmt.Sprintf(", %dx%d", v.Width, v.Height)
	}
	if idle, known := v.Idle(time.Now()); known {
		check.Detail += ", last used " + text.Age(idle) + " ago"
	}
	if t, err := h.Terminal(ctx); err == nil {
		check.Detail += ", " + cmp.Or(t.Program, "a terminal of no known kind") + " (TERM=" + t.Name + ")"
	}
	return check
}

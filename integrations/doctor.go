package integrations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// Checks says of each host how it stands with it, for askpane doctor and an agent of that
// name. Find would return used for name; nil where there is none.
func Checks(ctx context.Context, name, agent string) (checks []hint.Check, used host.Host) {
	const section = "hosts"
	if err := Known(name); err != nil {
		checks = append(checks, hint.Check{Section: section, Name: "setting", State: hint.Warn, Detail: err.Error() + "; using " + Auto, Fix: "unset ASKPANE_HOST"})
		name = Auto
	}
	kinds, above := innermost()
	found, errs := make([]host.Host, len(kinds)), make([]error, len(kinds))
	var window *host.Kind // the place for an agent that has the terminal for itself
	for i, k := range kinds {
		if found[i], errs[i] = find(ctx, kinds, i, above); errs[i] == nil && !k.Borrows {
			window = cmp.Or(window, k)
		}
	}
	for i, k := range kinds {
		h, err := found[i], errs[i]
		check := hint.Check{State: hint.Off}
		switch {
		case err != nil:
			check.Detail = err.Error()
		case used == nil && (name == Auto || name == k.Name):
			used = h
			check = usedCheck(h, name, agent, window)
		case used != nil:
			check.Detail = "could be used; " + used.Kind().Name + " goes before it"
		default:
			check.Detail = "could be used; the setting host is " + name
		}
		if version := adapter.Version(ctx, k.Version); version != "" {
			check.Detail += "; version " + version
		}
		check.Section, check.Name = section, k.Name
		checks = append(checks, check)
	}
	if used == nil {
		none := hint.Check{Section: section, Name: "none", State: hint.Fail, Detail: "no host can show a form here", Fix: instead(agent) + ", or tmux new-session, and run the agent in it"}
		if name != Auto {
			none.Detail, none.Fix = "the host that is set, "+name+", cannot be used", "unset ASKPANE_HOST"
		}
		none.Detail += ": every question ends as unavailable"
		checks = append(checks, none)
	}
	if a, can := used.(host.Adviser); can {
		checks = append(checks, a.Advice(ctx)...)
	}
	return checks, used
}

// usedCheck describes the host that Find returns for name. window does not borrow the
// asker's terminal; nil where there is no such host.
func usedCheck(h host.Host, name, agent string, window *host.Kind) hint.Check {
	check := hint.Check{State: hint.OK, Detail: "used"}
	if name != Auto {
		check.Detail += ", as the setting host says"
	}
	if pane, _ := h.Asker(); pane != "" {
		check.Detail += "; asking pane " + pane
	}
	if !h.Kind().Borrows {
		return check
	}
	check.Detail += " for what you run here yourself; the questions of an agent, which has the terminal for itself, "
	switch {
	case name != Auto || window == nil:
		check.State, check.Fix = hint.Warn, instead(agent)
		check.Detail += "end as unavailable"
	case window.NoPopup:
		check.Detail += "wait for the page"
	default:
		check.Detail += "open in a new window"
	}
	return check
}

// ViewerCheck says who would see a form on h.
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

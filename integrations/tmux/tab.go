package tmux

import (
	"context"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// A client in control mode (iTerm2's tmux -CC) draws neither popups nor floating
// panes, and each window in a tab of its own. Where nobody else could answer, the
// form is such a window, and its viewer is the session.

func isSession(viewer string) bool { return strings.HasPrefix(viewer, "$") }

// tab is the viewer of a client in control mode.
func (c client) tab() host.Viewer {
	return host.Viewer{ID: c.session, Name: c.ID + " in control mode: a form is a window of its own", Active: c.Active, Width: c.columns, Height: c.rows}
}

// openTab opens a window, which becomes the session's current one. When it
// closes, tmux goes back to the one before. It must not stay with its program dead,
// also where we are gone by then: that is said before tmux can hear of its end.
func (s *server) openTab(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	s.dropReady()
	return launcher.Open(v.ID, cmd, func(argv []string) error {
		args := safe(append([]string{"new-window", "-t", v.ID + ":", "-n", "askpane", "--"}, argv...))
		_, err := s.runAll(ctx, append(args, ";", "set-option", "-w", "remain-on-exit", "off"))
		return err
	})
}

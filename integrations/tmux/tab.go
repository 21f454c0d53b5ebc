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
// closes, tmux goes back to the one before.
func (s *server) openTab(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	s.dropReady()
	return launcher.Open(v.ID, cmd, func(argv []string) error {
		id, err := s.run(ctx, append([]string{"new-window", "-t", v.ID + ":", "-n", "askpane", "-P", "-F", "#{window_id}", "--"}, argv...)...)
		if id = strings.TrimSpace(id); err == nil { // else a window whose program has ended could stay
			_, _ = s.run(ctx, "set-option", "-w", "-t", id, "remain-on-exit", "off")            // it may have closed,
			_, _ = s.run(ctx, "if-shell", "-F", "-t", id, "#{pane_dead}", "kill-window -t "+id) // or ended before that
		}
		return err
	})
}

package tmux

import (
	"context"
	"strings"
	"sync"

	"github.com/askpane/askpane/integrations/host"
)

// Adopt is the popup that is open on a viewer, for a form of ours in a popup
// that another asker has opened. It is seen to like our own; it ends by itself.
func (s *server) Adopt(viewer string) host.Opening {
	if isSession(viewer) {
		return nil // a window is as any other
	}
	ended := make(chan struct{})
	end := sync.OnceFunc(func() { close(ended) })
	if !s.modal {
		return adopted{&opening{&running{ended: ended}, painter{server: s, client: viewer}}, end}
	}
	m := &modal{running: &running{ended: ended}, painter: painter{server: s}, viewer: host.Viewer{ID: viewer},
		known: make(chan struct{}), seen: make(chan error, 1)}
	go func() {
		defer close(m.known)
		m.adopt(context.Background())
	}()
	return adoptedModal{m, end}
}

type adopted struct {
	*opening
	end func()
}

func (a adopted) Abandon() { a.end() }

type adoptedModal struct {
	*modal
	end func()
}

func (a adoptedModal) Abandon() {
	a.closeUnseen()
	a.end()
}

// adopt finds the modal pane of a window: no other can be active there. Its size
// is not followed, since what it was to be is not known.
func (m *modal) adopt(ctx context.Context) {
	out, err := m.server.run(ctx, "list-panes", "-t", m.viewer.ID, "-F", "#{?pane_active,#{pane_id},}")
	if err != nil {
		return // it has gone, and everything with it
	}
	clients, err := m.server.clients(ctx)
	if err != nil {
		return
	}
	m.pane = strings.TrimSpace(out)
	for _, c := range clients {
		if !c.control && c.unfit == "" && c.window == m.viewer.ID {
			m.client = c.ID
		}
	}
}

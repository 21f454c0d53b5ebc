package tmux

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/askpane/askpane/integrations/adapter"
)

// Shown sees to it, for as long as the form is up, that a person who comes back
// finds it. A modal pane stays where it is and as large as it was opened, or as
// small as it was squeezed.
func (m *modal) Shown(ctx context.Context) {
	m.watch.Do(func() {
		<-m.known
		if m.pane == "" {
			return
		}
		ctx, done := m.whileUp(ctx)
		defer done()
		var all sync.WaitGroup
		if m.client != "" {
			all.Go(func() { m.paint(ctx) })
		}
		if m.width != "" {
			all.Go(func() { m.stretch(ctx) })
		}
		all.Go(func() { m.follow(ctx) })
		all.Wait()
	})
}

// follow waits for clients to go and to come. Where somebody is attached and
// nobody looks at the form's window any more, it closes the pane; the bridge
// opens another where they look, and what was typed is in the draft. That a
// client went to another window does not count: it wanted to leave the form.
func (m *modal) follow(ctx context.Context) {
	absent := m.window.Absent != nil
	for first := true; ; first = false {
		event := "client-detached"
		if absent {
			event = "client-attached"
		}
		w, err := m.server.await(ctx, event, "list-clients", "-F", clientFormat)
		if err != nil {
			return // the server or the pane has gone, or it is time to stop
		}
		clients := parseClients(w.said)
		_, nobody := choose(clients)
		changed := absent != (nobody != nil)
		if changed {
			absent = nobody != nil
			m.tell(nobody)
		}
		if !absent && (changed || !first) && !m.fits(clients) {
			w.drop()
			_, _ = m.server.run(ctx, "kill-pane", "-t", m.pane) // it may have closed meanwhile
			return
		}
		if changed {
			w.drop() // it waits for the other event
		} else if w.event() != nil {
			return
		}
	}
}

// fits reports whether somebody who could answer looks at the form's window, and
// the form has a place that was chosen for their terminal's size.
func (m *modal) fits(clients []client) bool {
	return slices.ContainsFunc(clients, func(c client) bool {
		return c.canAnswer() && c.window == m.window.ID &&
			(m.window.Absent == nil || c.columns == m.window.Width && c.rows == m.window.Height)
	})
}

// stretch gives the form the place that it would be opened at whenever the size
// of its window has changed: tmux squeezes a floating pane, and leaves it so.
func (m *modal) stretch(ctx context.Context) {
	for {
		w, err := m.server.await(ctx, "window-resized", "if-shell", "-F", "-t", m.pane, tooSmall,
			"set-option -p -t "+m.pane+" pane-border-lines none ; "+place(m.pane, "100%", "100%"),
			"set-option -p -u -t "+m.pane+" pane-border-lines ; "+place(m.pane, m.width, m.height))
		if err != nil || w.event() != nil {
			return
		}
	}
}

// tooSmall is a format: the window has no room for anything around the form.
var tooSmall = fmt.Sprintf("#{||:#{e|<:#{window_width},%d},#{e|<:#{window_height},%d}}", adapter.SmallWidth, adapter.SmallHeight)

func place(id, width, height string) string {
	return fmt.Sprintf("resize-pane -t %[1]s -x %[2]s -y %[3]s ; move-pane -t %[1]s -X %[4]s -Y %[5]s", id, width, height, margin(width), margin(height))
}

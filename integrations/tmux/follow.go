package tmux

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Shown sees to it, for as long as the form is up, that a person who comes back
// finds it. A modal pane stays where it is and as large as it was opened, or as
// small as it was squeezed.
func (m *modal) Shown(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.watch.Do(func() {
		<-m.known
		if m.pane == "" {
			return
		}
		var all sync.WaitGroup
		all.Go(func() {
			select {
			case <-m.ended:
				cancel()
			case <-ctx.Done():
			}
		})
		if m.client != "" {
			all.Go(func() { m.paint(ctx, m.ended) })
		}
		all.Go(func() { m.follow(ctx, m.pane) })
		all.Go(func() { m.stretch(ctx, m.pane) })
		all.Wait()
	})
}

// follow waits for clients to go and to come. Where somebody is attached and
// nobody looks at the form's window any more, it closes the pane; the bridge
// opens another where they look, and what was typed is in the draft. That a
// client went to another window does not count: it wanted to leave the form.
func (m *modal) follow(ctx context.Context, id string) {
	for alone, again := m.viewer.Absent != nil, false; ; again = true {
		event := "client-detached"
		if alone {
			event = "client-attached"
		}
		w, err := m.server.await(ctx, event, "list-clients", "-F", clientFormat)
		if err != nil {
			return // the server or the pane has gone, or it is time to stop
		}
		clients := parseClients(w.said())
		_, nobody := choose(clients)
		changed := alone != (nobody != nil)
		if changed {
			alone = nobody != nil
			m.tell(nobody)
		}
		if nobody == nil && (again || changed) && !m.fits(clients) {
			w.drop()
			_, _ = m.server.run(ctx, "kill-pane", "-t", id) // it may have closed meanwhile
			return
		}
		if changed {
			w.drop() // it waits for the other event
		} else if w.wait() != nil {
			return
		}
	}
}

// fits reports whether somebody who could answer looks at the form's window, and
// the form has a place that was chosen for their terminal's size.
func (m *modal) fits(clients []client) bool {
	return slices.ContainsFunc(clients, func(c client) bool {
		return !c.control && c.unfit == "" && c.window == m.viewer.ID &&
			(m.viewer.Absent == nil || c.columns == m.viewer.Width && c.rows == m.viewer.Height)
	})
}

// tell has Seen say what is so now, in the place of what nobody has read.
func (m *modal) tell(nobody error) {
	m.nobody.Store(nobody != nil)
	select {
	case <-m.seen:
	default:
	}
	m.seen <- nobody
}

// stretch gives the form the place that it would be opened at whenever the size
// of its window has changed: tmux squeezes a floating pane, and leaves it so.
func (m *modal) stretch(ctx context.Context, id string) {
	if m.width == "" {
		return // it was adopted
	}
	first := []string{"if-shell", "-F", "-t", id, tooSmall,
		"set-option -p -t " + id + " pane-border-lines none ; " + place(id, "100%", "100%"),
		"set-option -p -u -t " + id + " pane-border-lines ; " + place(id, m.width, m.height)}
	for {
		w, err := m.server.await(ctx, "window-resized", first...)
		if err != nil || w.wait() != nil {
			return
		}
	}
}

// tooSmall is a format: the window has no room for anything around the form.
var tooSmall = fmt.Sprintf("#{||:#{e|<:#{window_width},%d},#{e|<:#{window_height},%d}}", smallWidth, smallHeight)

func place(id, width, height string) string {
	return fmt.Sprintf("resize-pane -t %[1]s -x %[2]s -y %[3]s ; move-pane -t %[1]s -X %[4]s -Y %[5]s", id, width, height, margin(width), margin(height))
}

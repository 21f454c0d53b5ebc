package tmux

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// A modal floating pane (docs/hosts.md, Modal panes) belongs to a window, where a
// display-popup belongs to a client: it opens with nobody attached, stays through
// detach and attach, and every client that looks at its window shows it.

// windowOf is the window that the client c looks at. With nobody there (err) it
// is the one that somebody who attaches would see: the current one of the
// session that was used last.
func (s *server) windowOf(ctx context.Context, c client, err error) (host.Viewer, error) {
	if err == nil {
		v := c.Viewer
		v.Name, v.ID = v.ID, c.window
		return v, nil
	}
	if !errors.Is(err, host.ErrNoViewer) {
		return host.Viewer{}, err
	}
	out, failed := s.run(ctx, "display-message", "-p", "#{window_id}\t#{window_width}\t#{window_height}")
	if failed != nil {
		return host.Viewer{}, failed
	}
	f := strings.Split(strings.TrimSpace(out), "\t")
	if len(f) != 3 || !strings.HasPrefix(f[0], "@") {
		return host.Viewer{}, err
	}
	width, _ := strconv.Atoi(f[1])
	height, _ := strconv.Atoi(f[2])
	if width < leastWidth || height < leastHeight-1 { // without a status line
		return host.Viewer{}, err
	}
	return host.Viewer{ID: f[0], Width: width, Height: height, Absent: err}, nil
}

// paneAndExit is the pane's id, and whether it stays when its program has ended.
const paneAndExit = "#{pane_id} #{remain-on-exit}"

// modalArgs is the new-pane command line.
func modalArgs(v host.Viewer, cmd host.Command) []string {
	// A fixed title: -T is a format. No -K: with it the pane would also get the
	// keys that a menu or a prompt drawn above it is waiting for, and no format
	// tells that one is open.
	args := []string{"new-pane", "-O", "-A", "-W", "-P", "-F", paneAndExit, "-t", v.ID, "-T", " askpane "}
	if adapter.Small(v) {
		args = append(args, "-B", "none", "-x", "100%", "-y", "100%", "-X", "0", "-Y", "0")
	} else {
		args = append(args, "-x", cmd.Width, "-y", cmd.Height, "-X", margin(cmd.Width), "-Y", margin(cmd.Height))
	}
	return append(args, program(cmd)...)
}

// margin centres a percentage: new-pane would put it to the top left.
func margin(percent string) string {
	n, err := strconv.Atoi(strings.TrimSuffix(percent, "%"))
	if err != nil || n > 100 {
		return "0"
	}
	return strconv.Itoa((100-n)/2) + "%"
}

// modal is a modal pane.
type modal struct {
	*popup
	window host.Viewer
	width  string // as Open was told; empty where another asker has opened it
	height string

	pane  string        // its id; empty where there is none
	known chan struct{} // closed once that is so
	watch sync.Once     // Shown's

	mu     sync.Mutex
	absent error      // why nobody sees it, as Seen tells
	seen   chan error // what nobody has read of that yet
}

func newModal(s *server, window host.Viewer, cmd host.Command) *modal {
	m := &modal{popup: s.newPopup(window.Name), window: window, width: cmd.Width, height: cmd.Height, known: make(chan struct{}), seen: make(chan error, 1)}
	if window.Absent != nil {
		m.tell(window.Absent)
	}
	return m
}

func (s *server) openModal(v host.Viewer, cmd host.Command) (host.Opening, error) {
	m := newModal(s, v, cmd)
	opened := func(line string) {
		id, stays, _ := strings.Cut(strings.TrimSpace(line), " ")
		m.pane = id
		close(m.known)
		if stays != "off" { // a dead pane would stay modal, also where this process dies first
			_ = s.runAside([]string{"set-option", "-p", "-t", id, "remain-on-exit", "off"})
		}
	}
	err := m.run(modalArgs(v, cmd), opened, func() {
		if m.pane == "" {
			close(m.known)
		} else { // it may have ended before that option; it may also live on with another's form
			_ = s.runAside([]string{"if-shell", "-F", "-t", m.pane, "#{pane_dead}", "kill-pane -t " + m.pane})
		}
		m.end()
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// adoptModal is the modal pane of a window: no other can be active there. Its size
// is not followed, since what it was to be is not known.
func (s *server) adoptModal(window string) host.Opening {
	m := newModal(s, host.Viewer{ID: window}, host.Command{})
	context.AfterFunc(m.up, m.end)
	go func() {
		defer close(m.known)
		out, err := s.run(m.up, "list-panes", "-t", window, "-F", "#{?pane_active,#{pane_id},}")
		if err != nil {
			return // it has gone, and everything with it
		}
		m.pane = strings.TrimSpace(out)
		clients, _ := s.clients(m.up)
		for _, c := range clients {
			if c.canAnswer() && c.window == window {
				m.client = c.ID
			}
		}
	}()
	return m
}

// Viewer is the window, which stands for all who look at it.
func (m *modal) Viewer() string { return m.window.ID }

// Seen is host.Opening's.
func (m *modal) Seen() <-chan error { return m.seen }

// tell has Seen say what is so now, in the place of what nobody has read.
func (m *modal) tell(absent error) {
	m.absent = absent
	select {
	case <-m.seen:
	default:
	}
	m.seen <- absent
}

// Shown sees to it, for as long as the form is up, that a person who comes back
// finds it, at the size that it would be opened with.
func (m *modal) Shown(ctx context.Context) {
	m.watch.Do(func() {
		<-m.known
		if m.pane == "" {
			return
		}
		ctx, done := m.whileUp(ctx)
		defer done()
		var all sync.WaitGroup
		defer all.Wait()
		if m.client != "" {
			all.Go(func() { m.popup.Shown(ctx) })
		}
		for _, event := range []string{"client-attached", "client-detached"} {
			all.Go(func() { m.follow(ctx, event) })
		}
		if m.width != "" {
			all.Go(func() { m.server.at(ctx, "window-resized", func() { m.place(ctx) }) })
		}
	})
}

// follow looks who is there whenever clients come or go. Where somebody is attached
// and nobody looks at the form's window any more, it closes the pane; the bridge
// opens another where they look, and what was typed is in the draft. That a
// client went to another window does not count: it wanted to leave the form.
func (m *modal) follow(ctx context.Context, event string) {
	first := true
	m.server.at(ctx, event, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		clients, err := m.server.clients(ctx)
		if err != nil {
			return // the server has gone, or it is time to stop
		}
		_, nobody := choose(clients)
		changed := (m.absent != nil) != (nobody != nil)
		if changed {
			m.tell(nobody)
		}
		if nobody == nil && (changed || !first) && !m.fits(clients) {
			_, _ = m.server.run(ctx, "kill-pane", "-t", m.pane) // it may have closed meanwhile
		}
		first = false
	})
}

// fits reports whether somebody who could answer looks at the form's window, and
// the form has a place that was chosen for their terminal's size.
func (m *modal) fits(clients []client) bool {
	return slices.ContainsFunc(clients, func(c client) bool {
		return c.canAnswer() && c.window == m.window.ID &&
			(m.window.Absent == nil || c.columns == m.window.Width && c.rows == m.window.Height)
	})
}

// place gives the form the place that it would be opened at in its window as large
// as that is now: tmux squeezes a floating pane, and leaves it so.
func (m *modal) place(ctx context.Context) {
	at := func(width, height string) string {
		return fmt.Sprintf("resize-pane -t %[1]s -x %[2]s -y %[3]s ; move-pane -t %[1]s -X %[4]s -Y %[5]s", m.pane, width, height, margin(width), margin(height))
	}
	small := fmt.Sprintf("#{||:#{e|<:#{window_width},%d},#{e|<:#{window_height},%d}}", adapter.SmallWidth, adapter.SmallHeight)
	_, _ = m.server.run(ctx, "if-shell", "-F", "-t", m.pane, small,
		"set-option -p -t "+m.pane+" pane-border-lines none ; "+at("100%", "100%"),
		"set-option -p -u -t "+m.pane+" pane-border-lines ; "+at(m.width, m.height))
}

// busy is the error of a window that has a modal pane already.
type busy struct{ error }

// Busy tells the bridge that another popup is in the way.
func (busy) Busy() bool { return true }

// Err is why the command ended; valid once Ended is closed.
func (m *modal) Err() error {
	if m.err != nil && strings.Contains(m.err.Error(), "already has a modal pane") {
		return busy{m.err}
	}
	return m.err
}

// Abandon takes a pane that nobody can see along: where the question is over, the
// form would say so to nobody, and stay.
func (m *modal) Abandon() {
	m.mu.Lock()
	unseen := m.absent != nil
	m.mu.Unlock()
	if unseen {
		<-m.known
		if m.pane != "" {
			_ = m.server.runAside([]string{"kill-pane", "-t", m.pane})
		}
	}
	m.popup.Abandon()
}

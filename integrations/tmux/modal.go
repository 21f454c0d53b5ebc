package tmux

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

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
	*opening
	window host.Viewer
	width  string // as Open was told; empty where another asker has opened it
	height string

	pane  string        // its id; empty where there is none
	known chan struct{} // closed once that is so

	seen   chan error  // what Seen has not told yet
	unseen atomic.Bool // what it told last: nobody sees it
	watch  sync.Once   // Shown's
}

func newModal(p *painter, window host.Viewer, cmd host.Command) *modal {
	m := &modal{opening: newOpening(p), window: window, width: cmd.Width, height: cmd.Height, known: make(chan struct{}), seen: make(chan error, 1)}
	if window.Absent != nil {
		m.tell(window.Absent)
	}
	return m
}

func (s *server) openModal(v host.Viewer, cmd host.Command) (host.Opening, error) {
	c, err := s.startPopup(modalArgs(v, cmd))
	if err != nil {
		return nil, err
	}
	m := newModal(newPainter(s, v.Name), v, cmd)
	m.openedBy(c, func() error { return m.run(c) })
	return m, nil
}

// run follows the command that opened the pane, to its end.
func (m *modal) run(c *command) error {
	line, _ := c.lines.ReadString('\n')
	id, stays, _ := strings.Cut(strings.TrimSpace(line), " ")
	if strings.HasPrefix(id, "%") {
		m.pane = id
	}
	close(m.known)
	if m.pane == "" || stays == "off" {
		return c.result()
	}
	// A dead pane would stay modal, also where this process dies first.
	_ = m.server.runAside([]string{"set-option", "-p", "-t", m.pane, "remain-on-exit", "off"})
	err := c.result()
	// It may have ended before that; it may also live on with another's form.
	_ = m.server.runAside([]string{"if-shell", "-F", "-t", m.pane, "#{pane_dead}", "kill-pane -t " + m.pane})
	return err
}

// adoptModal is the modal pane of a window: no other can be active there. Its size
// is not followed, since what it was to be is not known.
func (s *server) adoptModal(window string) host.Opening {
	m := newModal(newPainter(s, ""), host.Viewer{ID: window}, host.Command{})
	go func() {
		defer close(m.known)
		ctx := context.Background()
		out, err := s.run(ctx, "list-panes", "-t", window, "-F", "#{?pane_active,#{pane_id},}")
		if err != nil {
			return // it has gone, and everything with it
		}
		clients, err := s.clients(ctx)
		if err != nil {
			return
		}
		m.pane = strings.TrimSpace(out)
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
	m.unseen.Store(absent != nil)
	select {
	case <-m.seen:
	default:
	}
	m.seen <- absent
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
	if m.unseen.Load() {
		<-m.known
		if m.pane != "" {
			_ = m.server.runAside([]string{"kill-pane", "-t", m.pane})
		}
	}
	m.opening.Abandon()
}

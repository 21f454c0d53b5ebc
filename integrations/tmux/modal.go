package tmux

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// A modal floating pane (docs/hosts.md, Modal panes) belongs to a window, where a
// display-popup belongs to a client: every client that looks at the window shows it.

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

// modal is a modal pane. Its viewer is its window, which stands for all who look at it.
type modal struct {
	*popup
	client        string // that it was opened for; empty where another asker has opened it
	width, height string // as Open was told
}

func (s *server) openModal(v host.Viewer, cmd host.Command) (host.Opening, error) {
	m := &modal{popup: s.newPopup(v.ID), client: v.Name, width: cmd.Width, height: cmd.Height}
	pane := ""
	opened := func(line string) {
		var stays string
		if pane, stays, _ = strings.Cut(strings.TrimSpace(line), " "); stays != "off" {
			// A dead pane would stay modal, also where this process dies first.
			_ = s.runAside([]string{"set-option", "-p", "-t", pane, "remain-on-exit", "off"})
		}
	}
	err := m.run(modalArgs(v, cmd), opened, func() {
		if pane != "" { // it may have ended before that option; it may also live on with another's form
			_ = s.runAside([]string{"if-shell", "-F", "-t", pane, "#{pane_dead}", "kill-pane -t " + pane})
		}
		m.end()
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Shown sees to it, for as long as the form is up, that a person who comes back
// finds it, at the size that it would be opened with. That of another asker's pane is
// not followed, since what it was to be is not known.
func (m *modal) Shown(ctx context.Context) {
	ctx, done := m.whileUp(ctx)
	defer done()
	var all sync.WaitGroup
	all.Go(func() { m.server.at(ctx, "client-detached", func() { m.follow(ctx) }) })
	if m.client != "" {
		all.Go(func() { m.paint(ctx, m.client) })
		all.Go(func() { m.server.at(ctx, "window-resized", func() { m.place(ctx) }) })
	}
	all.Wait()
}

// follow closes the pane where nobody who could answer looks at its window any more.
// The bridge opens another where they look, or when somebody comes, and what was
// typed is in the draft.
func (m *modal) follow(ctx context.Context) {
	clients, err := m.server.clients(ctx)
	if err != nil || slices.ContainsFunc(clients, func(c client) bool { return c.canAnswer() && c.window == m.viewer }) {
		return
	}
	if pane := m.pane(ctx); pane != "" {
		_, _ = m.server.run(ctx, "kill-pane", "-t", pane) // it may have closed meanwhile
	}
}

// pane is the window's modal pane; empty where there is none.
func (m *modal) pane(ctx context.Context) string {
	out, _ := m.server.run(ctx, "display-message", "-p", "-t", m.viewer, "#{window_modal_pane}")
	return strings.TrimSpace(out)
}

// place gives the form the place that it would be opened at in its window as large
// as that is now: tmux squeezes a floating pane, and leaves it so.
func (m *modal) place(ctx context.Context) {
	pane := m.pane(ctx)
	at := func(width, height string) string {
		return fmt.Sprintf("resize-pane -t %[1]s -x %[2]s -y %[3]s ; move-pane -t %[1]s -X %[4]s -Y %[5]s", pane, width, height, margin(width), margin(height))
	}
	small := fmt.Sprintf("#{||:#{e|<:#{window_width},%d},#{e|<:#{window_height},%d}}", adapter.SmallWidth, adapter.SmallHeight)
	_, _ = m.server.run(ctx, "if-shell", "-F", "-t", pane, small,
		"set-option -p -t "+pane+" pane-border-lines none ; "+at("100%", "100%"),
		"set-option -p -u -t "+pane+" pane-border-lines ; "+at(m.width, m.height))
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

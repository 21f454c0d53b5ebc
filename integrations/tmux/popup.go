package tmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// popupArgs makes the display-popup command line.
func popupArgs(v host.Viewer, cmd host.Command) []string {
	// -c always: the caller's session would decide otherwise. -E exactly once:
	// with none the popup stays open, with two a failed one does. A fixed
	// title: -T is a format.
	args := []string{"display-popup", "-c", v.ID, "-E", "-T", " askpane "}
	if v.Small() {
		args = append(args, "-B", "-w", "100%", "-h", "100%")
	} else {
		_, _, width, height := adapter.Box(v, cmd.Size)
		args = append(args, "-b", "rounded", "-S", borderStyle, "-w", width, "-h", height)
	}
	return append(args, program(cmd)...)
}

// borderStyle keeps the border from drawing the eye. Bright black would be the background
// itself in Solarized, and tmux 3.3a takes no attributes here.
const borderStyle = "fg=colour244"

// program makes the end of a popup's command line. Two words or more run without a shell;
// one word would not.
func program(cmd host.Command) (args []string) {
	for _, e := range cmd.Env {
		args = append(args, "-e", e)
	}
	return append(append(args, "--"), cmd.Args...)
}

// Open starts a modal pane or a display-popup. For the latter tmux returns 0 at
// once, having run nothing, where the client shows a popup or a menu already.
func (s *server) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	if len(cmd.Args) < 2 {
		return nil, errors.New("tmux: a single word would go through a shell")
	}
	if isSession(v.ID) {
		return s.openTab(ctx, v, cmd)
	}
	args := safe(popupArgs(v, cmd))
	if s.modal {
		args = modalCommands(v, cmd)
	}
	c, err := s.startPopup(args)
	if err != nil {
		return nil, err
	}
	o := adapter.Follow(v.ID, c.kill, func() error { return c.opened(args[0]) })
	return &popup{o, s, cmp.Or(v.Name, v.ID), cmd.Size}, nil
}

// popup is a display-popup, or a modal pane, whose viewer is its window.
type popup struct {
	*adapter.Opening
	server *server
	client string // that it was opened for
	size   host.Size
}

// opened waits until the command that opened a popup has ended. Only what it says on stderr is
// a failure: a status of 0 also means that nothing was shown or that the server died, 129 that
// the popup became a pane.
func (c *command) opened(what string) error {
	<-c.ended
	said := strings.TrimSpace(c.said.String())
	if said == "" {
		return nil
	}
	err := fmt.Errorf("tmux %s: %s", what, said)
	if strings.Contains(said, "already has a modal pane") {
		err = fmt.Errorf("%w: %w", host.ErrBusy, err)
	}
	return err
}

// A client in control mode (iTerm2's tmux -CC) draws neither popups nor floating
// panes, and each window in a tab of its own. Where nobody else could answer, the
// form is such a window, and its viewer is the session.
func isSession(viewer string) bool { return strings.HasPrefix(viewer, "$") }

// openTab opens a window, which becomes the session's current one until it closes. It must
// not stay with its program dead: that is said before tmux can hear of its end.
func (s *server) openTab(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(_ *launcher.Opening, argv []string) error {
		args := safe(append([]string{"new-window", "-t", v.ID + ":", "-n", "askpane", "--"}, argv...))
		_, err := s.runAll(ctx, append(args, ";", "set-option", "-w", "remain-on-exit", "off"))
		return err
	})
}

// A tick of the form's clock moves the cursor and writes a digit: aTick bytes at
// least, where nothing gets through it is none. Several ticks in a row count, since
// something else may be drawn in the time of one.
const (
	aTick      = 2
	clockTicks = 3
	aSecond    = 1100 * time.Millisecond // and what the form may be late
	mostLooks  = 8                       // a clock that shows hours does not tick
)

// Tend paints the popup. For as long as a modal pane is up, a person who comes back finds
// it, where and as large as it would be opened in its window now: tmux squeezes a floating
// pane, and leaves it so.
func (p *popup) Tend(ctx context.Context, viewer string, changed <-chan struct{}) {
	var all sync.WaitGroup
	all.Go(func() { p.server.paint(ctx, p.client, changed) })
	if p.server.modal {
		all.Go(func() { p.server.Tend(ctx, viewer, changed) })
		all.Go(func() {
			p.server.onEvent(ctx, "window-resized", func() { _ = p.server.resize(ctx, p.server.paneNow(ctx, viewer), p.size) })
		})
	}
	all.Wait()
}

// Tend does the same for what another asker has opened, as far as that can be known: not the
// client that a modal pane was opened for, nor its size.
func (s *server) Tend(ctx context.Context, viewer string, changed <-chan struct{}) {
	switch {
	case isSession(viewer): // a window is as any other
	case s.modal:
		s.onEvent(ctx, "client-detached", func() { s.follow(ctx, viewer) })
	default:
		s.paint(ctx, viewer, changed)
	}
}

// paint paints what is drawn for a client where tmux does not. While a client has a command
// prompt or a message open, tmux drops whatever is drawn there until the whole client is
// drawn again, and no format tells of a prompt (docs/dev/hosts.md, What was measured of
// tmux). So the client is drawn again, with every change and at first with every tick of the
// clock, until it is clear that it gets what the form draws by itself.
func (s *server) paint(ctx context.Context, client string, changed <-chan struct{}) {
	clock := time.NewTicker(aSecond)
	defer clock.Stop()
	before, ticks := s.refresh(ctx, client), 0
	for looks := 0; ticks < clockTicks; looks++ {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			before = s.refresh(ctx, client)
			continue
		case <-clock.C:
		}
		switch now := s.written(ctx, client); {
		case now-before >= aTick:
			before = now
			ticks++
		case looks < mostLooks:
			before = s.refresh(ctx, client)
			ticks = 0
		default:
			clock.Stop()
		}
	}
}

// refresh draws the whole client again, and returns what was written then.
func (s *server) refresh(ctx context.Context, client string) (written int64) {
	_, _ = s.run(ctx, "refresh-client", "-t", client)
	return s.written(ctx, client)
}

// written counts the bytes that tmux has sent the client so far.
func (s *server) written(ctx context.Context, client string) int64 {
	out, _ := s.run(ctx, "list-clients", "-F", "#{client_written}\t#{client_name}")
	for line := range strings.Lines(out) {
		if n, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == client {
			written, _ := strconv.ParseInt(n, 10, 64)
			return written
		}
	}
	return 0
}

package tmux

import (
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
	p, args := s.newPopup(v.ID), safe(popupArgs(v, cmd))
	if s.modal {
		p.client, p.size = v.Name, cmd.Size
		args = modalCommands(v, cmd)
	}
	if err := p.run(v.ID, args); err != nil {
		return nil, err
	}
	return p, nil
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

// Adopt follows the popup that is open on a viewer, for a form of ours in a popup that
// another asker has opened. It is looked after like our own; Abandon ends that.
func (s *server) Adopt(viewer string) host.Opening {
	if isSession(viewer) {
		return nil // a window is as any other
	}
	p := s.newPopup(viewer)
	up, abandon := context.WithCancel(context.Background())
	p.Opening = adapter.Follow(viewer, abandon, func() error {
		<-up.Done()
		return nil
	})
	return p
}

// popup is a display-popup, or a modal pane, whose viewer is its window.
type popup struct {
	*adapter.Opening
	server *server
	client string    // that it was opened for; empty of a modal pane that another asker has opened
	size   host.Size // of a modal pane, as Open was told

	changed chan struct{} // what the form draws has changed
}

func (s *server) newPopup(viewer string) *popup {
	p := &popup{server: s, changed: make(chan struct{}, 1)}
	if !s.modal {
		p.client = viewer
	}
	return p
}

// run starts the command that opens the popup. Only what it says on stderr is a
// failure: a status of 0 also means that nothing was shown or that the server died,
// 129 that the popup became a pane.
func (p *popup) run(viewer string, args []string) error {
	c, err := p.server.startPopup(args)
	if err != nil {
		return err
	}
	p.Opening = adapter.Follow(viewer, c.kill, func() error {
		<-c.ended
		said := strings.TrimSpace(c.said.String())
		if said == "" {
			return nil
		}
		err := fmt.Errorf("tmux %s: %s", args[0], said)
		if strings.Contains(said, "already has a modal pane") {
			err = busy{err}
		}
		return err
	})
	return nil
}

// busy tells the bridge that the window has a modal pane already.
type busy struct{ error }

func (busy) Busy() bool { return true }

func (p *popup) Changed(context.Context) {
	select {
	case p.changed <- struct{}{}:
	default:
	}
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

// Shown paints the popup. For as long as a modal pane is up, a person who comes back finds
// it, at the size that it would be opened with; of another asker's pane nobody knows that.
func (p *popup) Shown(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-p.Ended():
			cancel()
		case <-ctx.Done():
		}
	}()
	var all sync.WaitGroup
	if p.client != "" {
		all.Go(func() { p.paint(ctx) })
	}
	if p.server.modal {
		all.Go(func() { p.server.onEvent(ctx, "client-detached", func() { p.follow(ctx) }) })
	}
	if p.size != (host.Size{}) {
		all.Go(func() { p.server.onEvent(ctx, "window-resized", func() { p.place(ctx) }) })
	}
	all.Wait()
}

// paint paints what is drawn for a client where tmux does not. While a client has a command
// prompt or a message open, tmux drops whatever is drawn there until the whole client is
// drawn again, and no format tells of a prompt (docs/dev/hosts.md, What was measured of
// tmux). So the client is drawn again, with every change and at first with every tick of the
// clock, until it is clear that it gets what the form draws by itself.
func (p *popup) paint(ctx context.Context) {
	clock := time.NewTicker(aSecond)
	defer clock.Stop()
	before, ticks := p.server.refresh(ctx, p.client), 0
	for looks := 0; ticks < clockTicks; looks++ {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
			before = p.server.refresh(ctx, p.client)
			continue
		case <-clock.C:
		}
		switch now := p.server.written(ctx, p.client); {
		case now-before >= aTick:
			before = now
			ticks++
		case looks < mostLooks:
			before = p.server.refresh(ctx, p.client)
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

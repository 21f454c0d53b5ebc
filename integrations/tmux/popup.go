package tmux

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// popupArgs is the display-popup command line.
func popupArgs(v host.Viewer, cmd host.Command) []string {
	// -c always: the caller's session would decide otherwise. -E exactly once:
	// with none the popup stays open, with two a failed one does. A fixed
	// title: -T is a format.
	args := []string{"display-popup", "-c", v.ID, "-E", "-T", " askpane "}
	width, height := cmd.Width, cmd.Height
	if adapter.Small(v) {
		args = append(args, "-B")
		width, height = "100%", "100%"
	}
	// Percentages fit every client; rows and columns can be refused.
	return append(append(args, "-w", width, "-h", height), program(cmd)...)
}

// program is how a popup's command line ends. Two words or more run without a
// shell; one word would not.
func program(cmd host.Command) (args []string) {
	for _, e := range cmd.Env {
		args = append(args, "-e", e)
	}
	return append(append(args, "--"), cmd.Args...)
}

// Open starts a modal pane or a display-popup. For the latter tmux returns 0 at
// once, having run nothing, where the client shows a popup or a menu already.
func (s *server) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	switch {
	case len(cmd.Args) < 2:
		return nil, errors.New("tmux: a single word would go through a shell")
	case isSession(v.ID):
		return s.openTab(ctx, v, cmd)
	case s.modal:
		return s.openModal(v, cmd)
	}
	p := s.newPopup(v.ID)
	if err := p.run(popupArgs(v, cmd), func(string) {}, p.end); err != nil {
		return nil, err
	}
	return p, nil
}

// A client in control mode (iTerm2's tmux -CC) draws neither popups nor floating
// panes, and each window in a tab of its own. Where nobody else could answer, the
// form is such a window, and its viewer is the session.
func isSession(viewer string) bool { return strings.HasPrefix(viewer, "$") }

// openTab opens a window, which becomes the session's current one. When it
// closes, tmux goes back to the one before. It must not stay with its program dead,
// also where we are gone by then: that is said before tmux can hear of its end.
func (s *server) openTab(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(argv []string) error {
		args := safe(append([]string{"new-window", "-t", v.ID + ":", "-n", "askpane", "--"}, argv...))
		_, err := s.runAll(ctx, append(args, ";", "set-option", "-w", "remain-on-exit", "off"))
		return err
	})
}

// Adopt is the popup that is open on a viewer, for a form of ours in a popup
// that another asker has opened. It is seen to like our own; Abandon is its end.
func (s *server) Adopt(viewer string) host.Opening {
	if isSession(viewer) {
		return nil // a window is as any other
	}
	p := s.newPopup(viewer)
	context.AfterFunc(p.up, func() { close(p.ended) })
	if s.modal {
		return &modal{popup: p}
	}
	return p
}

// popup is a display-popup, and what a modal pane has in common with it.
type popup struct {
	server  *server
	viewer  string          // the client that shows it
	up      context.Context // until it is abandoned
	abandon context.CancelFunc
	ended   chan struct{}
	err     error
	changed chan struct{} // what the form draws has changed
}

func (s *server) newPopup(viewer string) *popup {
	p := &popup{server: s, viewer: viewer, ended: make(chan struct{}), changed: make(chan struct{}, 1)}
	p.up, p.abandon = context.WithCancel(context.Background())
	return p
}

// run starts the command that opens the popup, and calls end after its end. Only what
// it says on stderr is a failure: a status of 0 also means that nothing was shown or
// that the server died, 129 that the popup became a pane.
func (p *popup) run(args []string, prints func(string), end func()) error {
	c, err := p.server.startPopup(args, prints)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(p.up, c.kill)
	go func() {
		<-c.ended
		stop()
		if said := strings.TrimSpace(c.said.String()); said != "" {
			p.err = fmt.Errorf("tmux %s: %s", args[0], said)
		}
		end()
	}()
	return nil
}

func (p *popup) end() {
	p.abandon()
	close(p.ended)
}

func (p *popup) Viewer() string         { return p.viewer }
func (p *popup) Ended() <-chan struct{} { return p.ended }
func (p *popup) Err() error             { return p.err }

// Abandon ends the tmux command that waits for the popup.
func (p *popup) Abandon() {
	p.abandon()
	<-p.ended
}

// Changed has Shown see that what has changed is painted.
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

// Shown paints the popup.
func (p *popup) Shown(ctx context.Context) {
	ctx, done := p.whileUp(ctx)
	defer done()
	p.paint(ctx, p.viewer)
}

// paint paints what is drawn for a client where tmux does not. While a client has a command prompt or a
// message open, tmux drops whatever is drawn there and paints it only when the whole
// client is drawn again, and no format tells of a prompt (docs/hosts.md, What was measured of tmux).
// So the client is, with every change and at first with every tick of the clock,
// until it is clear that it gets what the form draws by itself.
func (p *popup) paint(ctx context.Context, client string) {
	clock := time.NewTicker(aSecond)
	defer clock.Stop()
	before, ticks := p.server.refresh(ctx, client), 0
	for looks := 0; ticks < clockTicks; looks++ {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
			before = p.server.refresh(ctx, client)
			continue
		case <-clock.C:
		}
		switch now := p.server.written(ctx, client); {
		case now-before >= aTick:
			before = now
			ticks++
		case looks < mostLooks:
			before = p.server.refresh(ctx, client)
			ticks = 0
		default:
			clock.Stop()
		}
	}
}

// whileUp is ctx for as long as the popup is up.
func (p *popup) whileUp(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.up, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// refresh draws the whole client again, and says what was written then. Only the
// painting is at stake; the form is up either way.
func (s *server) refresh(ctx context.Context, client string) (written int64) {
	_, _ = s.run(ctx, "refresh-client", "-t", client)
	return s.written(ctx, client)
}

// written is how many bytes tmux has sent the client so far.
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

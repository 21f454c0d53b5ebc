package tmux

import (
	"context"
	"errors"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
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
	c, err := s.startPopup(popupArgs(v, cmd))
	if err != nil {
		return nil, err
	}
	o := newOpening(newPainter(s, v.ID))
	o.openedBy(c, c.result)
	return o, nil
}

// Adopt is the popup that is open on a viewer, for a form of ours in a popup
// that another asker has opened. It is seen to like our own; it ends by itself.
func (s *server) Adopt(viewer string) host.Opening {
	switch {
	case isSession(viewer):
		return nil // a window is as any other
	case s.modal:
		return s.adoptModal(viewer)
	}
	return newOpening(newPainter(s, viewer))
}

// startPopup runs the command that opens a popup: in the tmux that find left ready,
// or in another. Its result must be asked for.
func (s *server) startPopup(args []string) (*command, error) {
	if ready := s.takeReady(); ready != nil {
		if err := ready.send(args); err == nil {
			return ready, nil
		}
		ready.drop() // it has ended meanwhile
	}
	return s.start(safe(args))
}

// result is why a command that opened a popup has failed, once it has ended. Its
// status is no answer: 0 also means that nothing was shown or that the server died,
// 129 that the popup became a pane.
func (c *command) result() error {
	if err := c.wait(); c.stderr.Len() > 0 {
		return err
	}
	return nil
}

// opening is a display-popup.
type opening struct {
	*painter
	up      context.Context // until it has ended
	ended   context.CancelFunc
	abandon func()
	err     error
}

// newOpening is an opening of nobody's: Abandon is its end.
func newOpening(p *painter) *opening {
	up, ended := context.WithCancel(context.Background())
	return &opening{painter: p, up: up, ended: ended, abandon: ended}
}

// openedBy makes it that of a tmux command, which ends with a result.
func (o *opening) openedBy(c *command, result func() error) {
	o.abandon = c.kill
	go func() {
		defer o.ended()
		o.err = result()
	}()
}

func (o *opening) Viewer() string         { return o.client }
func (o *opening) Seen() <-chan error     { return nil }
func (o *opening) Ended() <-chan struct{} { return o.up.Done() }
func (o *opening) Err() error             { return o.err }

// Abandon ends the tmux command that waits for the popup.
func (o *opening) Abandon() {
	o.abandon()
	<-o.up.Done()
}

// Shown paints the popup.
func (o *opening) Shown(ctx context.Context) {
	ctx, done := o.whileUp(ctx)
	defer done()
	o.paint(ctx)
}

// whileUp is ctx for as long as the popup is up.
func (o *opening) whileUp(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(o.up, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

package tmux

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"github.com/askpane/askpane/integrations/host"
)

// Below this size the two rows and columns of a border are better spent on the form.
const smallWidth, smallHeight = 60, 16

func small(v host.Viewer) bool { return v.Width < smallWidth || v.Height < smallHeight }

// popupArgs is the display-popup command line.
func popupArgs(v host.Viewer, cmd host.Command) []string {
	// -c always: the caller's session would decide otherwise. -E exactly once:
	// with none the popup stays open, with two a failed one does. A fixed
	// title: -T is a format.
	args := []string{"display-popup", "-c", v.ID, "-E", "-T", " askpane "}
	width, height := cmd.Width, cmd.Height
	if small(v) {
		args = append(args, "-B")
		width, height = "100%", "100%"
	}
	// Percentages fit every client; rows and columns can be refused.
	args = append(args, "-w", width, "-h", height)
	for _, e := range cmd.Env {
		args = append(args, "-e", e)
	}
	// Two words or more run without a shell; one word would not.
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
	if s.modal {
		return s.openModal(ctx, v, cmd)
	}
	r, err := s.start(ctx, popupArgs(v, cmd))
	if err != nil {
		return nil, err
	}
	go func() {
		r.reap()
		close(r.ended)
	}()
	return &opening{r, painter{server: s, client: v.ID}}, nil
}

// running is the tmux command that opened a popup, and waits for its end.
type running struct {
	name   string // of the command
	cmd    *exec.Cmd
	stdout io.Closer
	lines  *bufio.Reader // what it prints
	stderr *bytes.Buffer
	ended  chan struct{}
	err    error
	kill   sync.Once
}

// start runs the command that opens a popup: in the tmux that look left ready,
// or in another. reap must be called.
func (s *server) start(ctx context.Context, args []string) (*running, error) {
	r := &running{name: args[0], ended: make(chan struct{})}
	s.mu.Lock()
	ready := s.ready
	s.ready = nil
	s.mu.Unlock()
	if ready != nil {
		if err := ready.send(args); err == nil {
			r.cmd, r.stdout, r.lines, r.stderr = ready.cmd, ready.stdout, ready.lines, &ready.stderr
			return r, nil
		}
		ready.drop() // it has ended meanwhile
	}
	for i := range args {
		args[i] = arg(args[i])
	}
	r.cmd, r.stderr = s.command(context.WithoutCancel(ctx), args), new(bytes.Buffer)
	r.cmd.Stderr = r.stderr
	out, err := r.cmd.StdoutPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("tmux %s: %w", r.name, err)
	}
	r.stdout, r.lines = out, bufio.NewReader(out)
	return r, nil
}

// reap waits for the tmux command's end. Its status is not an answer: 0 also means that
// nothing was shown or that the server died, 129 that the popup became a pane.
func (r *running) reap() {
	_, _ = io.Copy(io.Discard, r.lines) // to its end
	err := r.cmd.Wait()
	if text := strings.TrimSpace(r.stderr.String()); err != nil && text != "" {
		r.err = fmt.Errorf("tmux %s: %s", r.name, text)
	}
}

func (r *running) Ended() <-chan struct{} { return r.ended }
func (r *running) Err() error             { return r.err }

func (r *running) Abandon() {
	r.kill.Do(func() { hangUp(r.cmd, r.stdout) })
	<-r.ended
}

// opening is a display-popup.
type opening struct {
	*running
	painter
}

func (o *opening) Viewer() string            { return o.client }
func (o *opening) Seen() <-chan error        { return nil }
func (o *opening) Shown(ctx context.Context) { o.paint(ctx, o.ended) }

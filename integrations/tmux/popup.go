package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"github.com/askpane/askpane/integrations/host"
)

// Below this a border costs more than it gives (HOSTS.md A2, Size).
const smallWidth, smallHeight = 60, 16

// popupArgs is the display-popup command line.
func popupArgs(v host.Viewer, cmd host.Command) []string {
	// -c always: the caller's session would decide otherwise. -E exactly once:
	// with none the popup stays open, with two a failed one does. A fixed
	// title: -T is a format.
	args := []string{"display-popup", "-c", v.ID, "-E", "-T", " askpane "}
	width, height := cmd.Width, cmd.Height
	if v.Width < smallWidth || v.Height < smallHeight {
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

// Open starts a display-popup. tmux returns 0 at once, having run nothing,
// where the client shows a popup or a menu already.
func (s *server) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	if len(cmd.Args) < 2 {
		return nil, errors.New("tmux display-popup: a single word would go through a shell")
	}
	o := &opening{server: s, viewer: v, ended: make(chan struct{})}
	args := popupArgs(v, cmd)
	s.mu.Lock()
	ready := s.ready
	s.ready = nil
	s.mu.Unlock()
	if ready != nil {
		if err := ready.send(args); err == nil {
			o.cmd, o.stderr = ready.cmd, &ready.stderr
			go o.wait()
			return o, nil
		}
		ready.drop() // it has ended meanwhile
	}
	for i := range args {
		args[i] = arg(args[i])
	}
	o.cmd, o.stderr = s.command(context.WithoutCancel(ctx), args), new(bytes.Buffer)
	o.cmd.Stderr = o.stderr
	if err := o.cmd.Start(); err != nil {
		return nil, fmt.Errorf("tmux display-popup: %w", err)
	}
	go o.wait()
	return o, nil
}

type opening struct {
	server *server
	viewer host.Viewer
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	ended  chan struct{}
	err    error
	kill   sync.Once
}

// wait reaps the tmux command. Its status is not an answer: 0 also means that
// nothing was shown or that the server died, 129 that the popup became a pane.
func (o *opening) wait() {
	err := o.cmd.Wait()
	if text := strings.TrimSpace(o.stderr.String()); err != nil && text != "" {
		o.err = fmt.Errorf("tmux display-popup: %s", text)
	}
	close(o.ended)
}

// Shown paints the popup: one opened while the client has a command prompt
// open runs and takes keys, but is not painted until the prompt ends (A2).
func (o *opening) Shown(ctx context.Context) {
	// Only the painting is at stake; the form is up either way.
	_, _ = o.server.run(ctx, "refresh-client", "-t", o.viewer.ID)
}

func (o *opening) Ended() <-chan struct{} { return o.ended }
func (o *opening) Err() error             { return o.err }
func (o *opening) Viewer() string         { return o.viewer.ID }

func (o *opening) Abandon() {
	o.kill.Do(func() { _ = o.cmd.Process.Kill() }) // it may have ended already
	<-o.ended
}

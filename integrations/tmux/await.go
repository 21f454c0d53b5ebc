package tmux

import (
	"context"
	"errors"
	"runtime"
	"strings"
)

// waiter is a tmux command that has printed something and waits for an event of
// the server (wait-for -E, tmux 3.8). It ends with this process where the system
// can see to that; elsewhere with the event.
type waiter struct {
	*command
	said  string // what the first commands printed
	ended chan struct{}
	err   error // that the event will not come any more; valid then
}

// readyMark is the line after what the first commands print.
const readyMark = "askpane-ready"

// await runs the first commands and waits for the event in one go, so that none
// is missed in between. It returns when the first commands have run.
func (s *server) await(ctx context.Context, event string, first ...string) (*waiter, error) {
	args := append(first[:len(first):len(first)], ";", "display-message", "-p", readyMark, ";", "wait-for", "-E", event)
	w := &waiter{ended: make(chan struct{})}
	ready := make(chan error)
	go func() {
		defer close(w.ended)
		runtime.LockOSThread() // dieWithUs is about the thread
		defer runtime.UnlockOSThread()
		c, err := s.start(args, func(c *command) error {
			c.cmd.SysProcAttr = dieWithUs
			return nil
		})
		if err != nil {
			ready <- err
			return
		}
		defer context.AfterFunc(ctx, c.kill)()
		w.command = c
		out, err := c.readTo(readyMark)
		w.said = strings.TrimSuffix(out, readyMark+"\n")
		ready <- err
		w.err = c.wait()
	}()
	if err := <-ready; err != nil {
		<-w.ended
		return nil, errors.Join(err, w.err)
	}
	return w, nil
}

// event waits for it.
func (w *waiter) event() error {
	<-w.ended
	return w.err
}

// drop ends a waiter that is not needed.
func (w *waiter) drop() {
	w.kill()
	<-w.ended
}

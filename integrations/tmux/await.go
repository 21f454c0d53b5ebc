package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
)

// waiter is a tmux command that has printed something and waits for an event of
// the server (wait-for -E, tmux 3.8). It ends with this process where the system
// can see to that; elsewhere with the event.
type waiter struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	out   bytes.Buffer
	ready chan struct{} // all is printed
	ended chan struct{}
	err   error // valid then
}

// readyMark is the line after what the first commands print.
const readyMark = "askpane-ready\n"

// await runs the first commands and waits for the event in one go, so that none
// is missed in between. It returns when the first commands have run.
func (s *server) await(ctx context.Context, event string, first ...string) (*waiter, error) {
	args := append(first[:len(first):len(first)], ";", "display-message", "-p", strings.TrimSpace(readyMark), ";", "wait-for", "-E", event)
	w := &waiter{cmd: s.command(ctx, args), ready: make(chan struct{}), ended: make(chan struct{})}
	w.cmd.Stdout = w
	dieWithUs(w.cmd)
	go func() {
		runtime.LockOSThread() // for dieWithUs
		defer runtime.UnlockOSThread()
		w.err = w.cmd.Run()
		close(w.ended)
	}()
	select {
	case <-w.ready:
		return w, nil
	case <-w.ended:
	}
	select {
	case <-w.ready: // the event came at once
		return w, nil
	default:
		return nil, errors.Join(fmt.Errorf("tmux %s ended", first[0]), w.err)
	}
}

// Write takes what the command prints.
func (w *waiter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	had := bytes.Contains(w.out.Bytes(), []byte(readyMark))
	w.out.Write(data)
	if !had && bytes.Contains(w.out.Bytes(), []byte(readyMark)) {
		close(w.ready)
	}
	return len(data), nil
}

// said is what the first commands printed.
func (w *waiter) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out, _, _ := strings.Cut(w.out.String(), readyMark)
	return out
}

// wait waits for the event; the error is that it will not come any more.
func (w *waiter) wait() error {
	<-w.ended
	return w.err
}

// drop ends a waiter that is not needed.
func (w *waiter) drop() {
	_ = w.cmd.Process.Kill() // it may have ended already
	<-w.ended
}

package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// call ends with the tool call that asks: when the process is told to go, or nobody is there
// any more to read what it prints.
type call struct {
	context.Context
	hangUp context.Context // its terminal has gone
	end    func()
}

// errReaderGone ends a call whose question nobody has withdrawn. It stays open, as if we had
// been killed too.
var errReaderGone = errors.New("the reader of standard output has gone")

// newCall begins a call. One started with nohup does not notice that its terminal goes.
func newCall() call {
	// A reader that has gone is an error of that write, and no reason to die with
	// a question open.
	signal.Ignore(syscall.SIGPIPE)
	hangUp, stopHangUp := context.Background(), func() {}
	if !signal.Ignored(syscall.SIGHUP) {
		hangUp, stopHangUp = signal.NotifyContext(hangUp, syscall.SIGHUP)
	}
	told, stop := signal.NotifyContext(hangUp, syscall.SIGINT, syscall.SIGTERM)
	ctx, leave := context.WithCancelCause(told)
	whenReaderGone(func() { leave(errReaderGone) })
	return call{ctx, hangUp, func() { leave(nil); stop(); stopHangUp() }}
}

// withdrawn reports whether its end withdraws the question. keep is the setting
// keepAfterCancel.
func (c call) withdrawn(keep bool) bool {
	return context.Cause(c) != errReaderGone && !(c.hangUp.Err() != nil && keep)
}

const (
	// watchReader passes before a call begins to watch its reader: by then the form is up,
	// and the watching is not in its way.
	watchReader = time.Second
	// lastSignal is left to an agent that has gone to send its signal: one that interrupts
	// its call may close the pipe first.
	lastSignal = 2 * time.Second
)

// whenReaderGone calls gone when whoever was to read our standard output has
// gone: an agent that was killed sends no signal. Only pipes and sockets tell; a
// file or a terminal never does.
func whenReaderGone(gone func()) {
	info, err := os.Stdout.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return
	}
	time.AfterFunc(watchReader, func() {
		fds := []unix.PollFd{{Fd: int32(os.Stdout.Fd())}} // asked for nothing, it tells of the end
		if info.Mode()&os.ModeNamedPipe != 0 {            // macOS tells those who ask, and of sockets also that the reader does not write
			fds[0].Events = unix.POLLHUP
		}
		n, err := 0, error(unix.EINTR)
		for err == unix.EINTR || err == nil && n == 0 {
			n, err = unix.Poll(fds, -1)
		}
		if err == nil && fds[0].Revents&unix.POLLNVAL == 0 { // else this system cannot tell
			time.AfterFunc(lastSignal, gone)
		}
	})
}

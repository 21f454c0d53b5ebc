package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// watchReader is how long after its start a call begins to watch its reader:
	// by then the form is up, and the watching is not in its way.
	watchReader = time.Second
	// lastSignal is how long an agent that has gone may take to send its signal:
	// one that interrupts its call may close the pipe first.
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
		for {
			n, err := unix.Poll(fds, -1)
			if err == unix.EINTR || err == nil && n == 0 {
				continue
			}
			if err != nil || fds[0].Revents&unix.POLLNVAL != 0 {
				return // this system cannot tell
			}
			break
		}
		time.AfterFunc(lastSignal, gone)
	})
}

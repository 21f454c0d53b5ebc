package main

import (
	"context"
	"os/signal"
	"syscall"
)

// callEnds is over when the call is told to go. hungUp reports whether that was
// because its terminal has gone: then nobody has withdrawn the question. A call
// started with nohup does not notice.
func callEnds() (ctx context.Context, hungUp func() bool, stop func()) {
	hangUp, stopHangUp := context.Background(), func() {}
	if !signal.Ignored(syscall.SIGHUP) {
		hangUp, stopHangUp = signal.NotifyContext(hangUp, syscall.SIGHUP)
	}
	ctx, stopOthers := signal.NotifyContext(hangUp, syscall.SIGINT, syscall.SIGTERM)
	return ctx, func() bool { return hangUp.Err() != nil }, func() { stopOthers(); stopHangUp() }
}

package programs

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
)

// The exit codes (docs/contracts.md, The envelope).
const (
	OK          = 0
	Internal    = 1
	BadUsage    = 2
	Cancelled   = 3
	TimedOut    = 4
	Unavailable = 5
	Rejected    = 6
	Pending     = 7 // collect: there is no answer yet; answer: the machine that asked has not got it yet
	Aborted     = 130
)

// Exit is an error that carries its exit code. Without Err nothing is printed.
type Exit struct {
	Code int
	Err  error
}

func (e Exit) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e Exit) Unwrap() error { return e.Err }

// With is err with an exit code.
func With(code int, err error) error { return Exit{code, err} }

// Usage is an error in how a command was called.
func Usage(format string, args ...any) error { return Exit{BadUsage, fmt.Errorf(format, args...)} }

// UntilTold is a context that ends when the process is told to end.
func UntilTold() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}

// ExitCode says what went wrong, if anything, and is the exit code for it.
func ExitCode(err error) int {
	if err == nil {
		return OK
	}
	e := Exit{Internal, err}
	if errors.As(err, &e); e.Err != nil {
		complain(e.Err, lastSentence)
	}
	return e.Code
}

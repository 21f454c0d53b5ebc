package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
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
	No          = 8 // ask --confirm: the answer is no
	Elsewhere   = 9 // the agent's own dialog ended the question
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

// Read reads, and gives up when ctx ends: a reader of standard input cannot be interrupted.
func Read[T any](ctx context.Context, read func() (T, error)) (none T, err error) {
	done := make(chan func() (T, error), 1)
	go func() {
		data, err := read()
		done <- func() (T, error) { return data, err }
	}()
	select {
	case result := <-done:
		return result()
	case <-ctx.Done():
		return none, ctx.Err()
	}
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

// Warn says something to the person on standard error. It never waits for a
// reader: where nobody reads, it is left out.
func Warn(err error) { complain(err, 0) }

// lastSentence bounds how long a command's last sentence waits for a reader.
const lastSentence = 2 * time.Second

var complaining sync.Mutex

// complain writes to standard error, as soon as that has room. What it quotes may
// come from anywhere: a file, a request, a command line that an agent has written.
func complain(err error, patience time.Duration) {
	line := "askpane: " + text.Visible(err.Error())
	if width, _, err := term.GetSize(syscall.Stderr); err == nil && width > 0 { // a terminal would break words
		line = strings.Join(cells.Wrap(line, width), "\n")
	}
	complaining.Lock()
	defer complaining.Unlock()
	for part := range slices.Chunk([]byte(line+"\n"), atOnce) {
		if !writable(patience) {
			return
		}
		if _, err := os.Stderr.Write(part); err != nil {
			return
		}
	}
}

// A pipe that has room takes atOnce bytes without making its writer wait (pipe(7)): a page.
const atOnce = 4096

// writable waits until standard error can be written to. It does not use os.Stderr.Fd, which
// would make a descriptor blocking that others have, too.
func writable(patience time.Duration) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(syscall.Stderr), Events: unix.POLLOUT}}, int(patience.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return n > 0 || err != nil
		}
	}
}

// Command askpane puts an agent's question in front of its person and carries
// the answer back.
//
// Standard output gets the result and nothing else; standard error gets one
// sentence for a person, with a hint of what to do. The form goes to a popup or
// to /dev/tty, never to either.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/run/relay"
)

// The exit codes (docs/contracts.md, The envelope).
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitCancelled   = 3
	exitTimeout     = 4
	exitUnavailable = 5
	exitRejected    = 6
	exitPending     = 7 // collect: there is no answer yet
	exitAborted     = 130
)

var exitCodes = map[form.Outcome]int{
	form.Answered:        exitOK,
	form.NeedsDiscussion: exitOK,
	form.Cancelled:       exitCancelled,
	form.Timeout:         exitTimeout,
	form.Unavailable:     exitUnavailable,
	form.Rejected:        exitRejected,
	form.Aborted:         exitAborted,
	bridge.Pending:       exitPending,
}

// exit is an error that carries its exit code. An empty message prints nothing.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

func usage(format string, args ...any) error { return exit{exitUsage, fmt.Errorf(format, args...)} }

// spareThreads is how many goroutines may run or sit in a system call at once.
// Some of ours wait in flock and waitid for as long as a question waits; each
// keeps its P until the runtime's monitor takes it away, which can last 10 ms.
// On two cores that was the larger part of the time to the first paint.
const spareThreads = 4

func main() {
	runtime.GOMAXPROCS(max(spareThreads, runtime.GOMAXPROCS(0)))
	collectLater()
	os.Exit(run(os.Args))
}

// startUp is how long a form may take to come up, even on a busy machine, and
// startHeap how large the heap may be in that time, in percent of Go's usual
// 4 MiB, before garbage is collected. A form of 120x40 allocates some 4 MiB: the
// first collection ran while it was drawn, and cost a tenth of the time to the
// first paint.
const (
	startUp   = time.Second
	startHeap = 400
)

// collectLater puts off the garbage of the start.
func collectLater() {
	usual := debug.SetGCPercent(startHeap)
	time.AfterFunc(startUp, func() { debug.SetGCPercent(usual) })
}

func run(args []string) int {
	// What a host runs, first and without the command-line library: it is on
	// the way to the first paint.
	if len(args) == 3 && args[1] == "popup" && !strings.HasPrefix(args[2], "-") {
		return exitCode(showPopup(args[2], plainHere()))
	}
	if len(args) > 2 && args[1] == relay.ChildCommand { // what askpane run puts before its command
		return relay.Child(args[2:])
	}
	if format, ok := quickStatus(args[1:]); ok {
		return exitCode(status(format))
	}
	var unknown error // the library goes on after it has told us
	app := &cli.App{
		Name:      "askpane",
		Usage:     "put an agent's question in front of its person, and bring the answer back",
		UsageText: "askpane ask < request.json\naskpane demo",
		Commands: []*cli.Command{
			askCommand(), demoCommand(), checkCommand(), answerCommand(), listCommand(), popupCommand(), collectCommand(),
			runCommand(), mcpCommand(), schemaCommand(), guidanceCommand(), nextCommand(), statusCommand(), doctorCommand(),
			settingsCommand(), inboxCommand(), historyCommand(), showCommand(), leftCommand(),
			installCommand(), uninstallCommand(), hookCommand(),
		},
		Version:         programs.Version(),
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError:    usageError("askpane"),
		CommandNotFound: func(_ *cli.Context, name string) { unknown = noCommand(name) },
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	if len(args) > 2 && args[1] == "collect" { // its id may stand before its options
		args = slices.Concat(args[:2], flagsFirst(args[2:]))
	}
	prepare(app.Name, app.Commands)
	return exitCode(cmp.Or(app.Run(args), unknown))
}

func noCommand(name string) error { return usage("there is no command %q; see askpane help", name) }

// exitCode says what went wrong, if anything, and is the exit code for it.
func exitCode(err error) int {
	var e exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		if e.err != nil {
			complain(e.err, lastWord)
		}
		return e.code
	default:
		complain(err, lastWord)
		return exitInternal
	}
}

// prepare has each command say what is wrong with its options under its full name.
func prepare(name string, commands []*cli.Command) {
	for _, c := range commands {
		full := name + " " + c.Name
		c.OnUsageError, c.HideHelpCommand = usageError(full), true
		prepare(full, c.Subcommands)
	}
}

func usageError(name string) cli.OnUsageErrorFunc {
	return func(_ *cli.Context, err error, _ bool) error { return usage("%v; see %s --help", err, name) }
}

// warn says something to the person at standard error. It never waits for a
// reader: where nobody reads, it is left out.
func warn(err error) { complain(err, 0) }

// lastWord is how long the sentence that a command ends with waits for a reader.
const lastWord = 2 * time.Second

var complaining sync.Mutex

// complain writes to standard error, as soon as that has room. What it quotes may
// come from anywhere: a file, a request, a command line that an agent has written.
func complain(err error, patience time.Duration) {
	line := fmt.Appendf(nil, "askpane: %s\n", text.Visible(err.Error()))
	complaining.Lock()
	defer complaining.Unlock()
	for len(line) > 0 && room(patience) {
		n := min(len(line), atOnce)
		if _, err := os.Stderr.Write(line[:n]); err != nil {
			return
		}
		line = line[n:]
	}
}

// atOnce is how many bytes a pipe that has room takes without making its writer
// wait (pipe(7)): a page.
const atOnce = 4096

// room waits until standard error can be written to. Not by os.Stderr.Fd, which
// would make a descriptor blocking that others have, too.
func room(patience time.Duration) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(syscall.Stderr), Events: unix.POLLOUT}}, int(patience.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return n > 0 || err != nil
		}
	}
}

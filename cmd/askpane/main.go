// Command askpane puts an agent's question in front of its person and carries
// the answer back.
//
// Standard output gets the result and nothing else; standard error gets one
// sentence for a person, with a hint of what to do. The form goes to a popup or
// to /dev/tty, never to either.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/run/relay"
)

const (
	exitOK       = command.OK
	exitInternal = command.Internal
	exitUsage    = command.BadUsage
	exitRejected = command.Rejected
	exitAborted  = command.Aborted
)

var exitCodes = map[form.Outcome]int{
	form.Answered:        command.OK,
	form.NeedsDiscussion: command.OK,
	form.Cancelled:       command.Cancelled,
	form.Timeout:         command.TimedOut,
	form.Unavailable:     command.Unavailable,
	form.Rejected:        command.Rejected,
	form.Aborted:         command.Aborted,
	bridge.Pending:       command.Pending,
}

type exit = command.Exit

var usage, exitWith, warn = command.Usage, command.With, command.Warn

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
		return command.ExitCode(showPopup(args[2], plainHere()))
	}
	if len(args) > 2 && args[1] == relay.ChildCommand { // what askpane run puts before its command
		return relay.Child(args[2:])
	}
	app := &cli.App{
		Name:      programs.Askpane.Name,
		Usage:     programs.Askpane.Usage,
		UsageText: "askpane ask < request.json\naskpane demo",
		Version:   programs.Version(),
		Commands: []*cli.Command{
			askCommand(), demoCommand(), checkCommand(), answerCommand(), listCommand(), popupCommand(), collectCommand(),
			runCommand(), schemaCommand(), guidanceCommand(), nextCommand(), statusCommand(), doctorCommand(),
			settingsCommand(), inboxCommand(), historyCommand(), showCommand(), leftCommand(),
			installCommand(), uninstallCommand(), hookCommand(),
		},
	}
	for _, p := range programs.WithCommand() {
		app.Commands = append(app.Commands, &cli.Command{
			Name: p.Command, Usage: p.Usage,
			SkipFlagParsing: true, // its options are the program's
			Action:          func(c *cli.Context) error { return p.Exec(c.Args().Slice()) },
		})
	}
	return command.Run(app, args)
}

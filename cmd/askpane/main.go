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

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/run/relay"
	"github.com/askpane/askpane/integrations/tmux"
)

var exitCodes = map[form.Outcome]int{
	form.Answered:        programs.OK,
	form.NeedsDiscussion: programs.OK,
	form.Cancelled:       programs.Cancelled,
	form.Timeout:         programs.TimedOut,
	form.Unavailable:     programs.Unavailable,
	form.Rejected:        programs.Rejected,
	form.Aborted:         programs.Aborted,
	form.Elsewhere:       programs.Elsewhere,
	bridge.Pending:       programs.Pending,
}

type exit = programs.Exit

var usage, exitWith, warn = programs.Usage, programs.With, programs.Warn

func main() { os.Exit(run(os.Args)) }

func run(args []string) int {
	if len(args) > 2 && args[1] == relay.ChildCommand { // what askpane run puts before its command
		return relay.Child(args[2:])
	}
	if len(args) == 1 {
		return programs.ExitCode(overview())
	}
	if args[1] == "ask" { // no other command's options are needed
		tmux.Begin()
		return command.Run(app([]*cli.Command{askCommand()}), args)
	}
	return command.Run(app(commands()), args)
}

func app(commands []*cli.Command) *cli.App {
	return &cli.App{
		Name:      programs.Askpane.Name,
		Usage:     programs.Askpane.Usage,
		UsageText: "askpane demo\naskpane ask \"Deploy to production?\" Yes No\naskpane ask < request.json\naskpane install claude --write",
		Version:   programs.Version(),
		Commands:  commands,
	}
}

func man(c *cli.Context) error {
	dir := c.Args().First()
	if err := command.WriteMan(dir, app(commands())); err != nil {
		return err
	}
	return say("the manual pages are in %s; man askpane and man askpane-ask show two", dir)
}

// version prints what --version does, or that as an object.
func version(c *cli.Context) error {
	if !c.Bool("json") {
		return say("%s version %s", c.App.Name, c.App.Version)
	}
	return printJSON(os.Stdout, map[string]string{"version": programs.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
}

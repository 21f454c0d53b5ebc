// Package command is what askpane's programs have in common at the command line:
// exit codes, errors that carry one, and the order of options.
package command

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"
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
	Pending     = 7 // collect: there is no answer yet
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

// Run runs the program that args call and returns its exit code.
func Run(app *cli.App, args []string) int {
	var unknown error // the library does not return it
	app.ExitErrHandler = func(*cli.Context, error) {}
	app.OnUsageError = usageError(app.Name)
	app.CommandNotFound = func(_ *cli.Context, name string) { unknown = noCommand(app, name) }
	if app.Action == nil {
		app.Action = func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(app, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		}
	}
	prepare(app.Name, app.Commands)
	return ExitCode(cmp.Or(app.Run(append(args[:1:1], flagsFirst(app.Flags, app.Commands, args[1:])...)), unknown))
}

func noCommand(app *cli.App, name string) error {
	return Usage("there is no command %q; see %s help", name, app.Name)
}

// ExitCode says what went wrong, if anything, and is the exit code for it.
func ExitCode(err error) int {
	var e Exit
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		if e.Err != nil {
			complain(e.Err, lastSentence)
		}
		return e.Code
	default:
		complain(err, lastSentence)
		return Internal
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
	return func(_ *cli.Context, err error, _ bool) error { return Usage("%v; see %s --help", err, name) }
}

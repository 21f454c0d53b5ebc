// Package command holds what askpane's programs have in common at the command line: the order
// of options, help, tables and errors of usage.
package command

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text/nearest"
	"github.com/askpane/askpane/cmd/internal/programs"
)

// Run runs the program that args call and returns its exit code.
func Run(app *cli.App, args []string) int {
	cli.HelpPrinter = printHelp
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Aliases: []string{"V", "v"}, Usage: "print the version"}
	var unknown error                    // the library does not return it
	app.HideHelpCommand = true           // flagsFirst makes it --help
	app.DisableSliceFlagSeparator = true // a file's name may have commas
	app.ExitErrHandler = func(*cli.Context, error) {}
	app.OnUsageError = usageError(app.Name, &app.Flags, app.Commands)
	app.CommandNotFound = func(_ *cli.Context, name string) { unknown = noCommand(app.Name, app.Commands, name) }
	if app.Action == nil {
		app.Action = func(c *cli.Context) error {
			if c.Args().Present() {
				return noCommand(app.Name, app.Commands, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		}
	}
	app.HelpName, _, _ = strings.Cut(app.Name, "-") // askpane becomes the others for their commands
	prepare(app.HelpName, app.Commands)
	if len(args) > 3 && args[1] == "complete" && app.Command("complete") == nil { // askpane, of what this program has
		Tab(app, args[3:], nil)
		return programs.OK
	}
	err := app.Run(append(args[:1:1], flagsFirst(app.Flags, app.Commands, args[1:])...))
	return programs.ExitCode(cmp.Or(err, unknown))
}

// noCommand says that name has no command of that name below it.
func noCommand(name string, commands []*cli.Command, given string) error {
	var names []string
	for _, c := range visible(commands) {
		names = append(names, c.Names()...)
	}
	return programs.Usage("there is no command %q%s; see %s --help", given, nearest.DidYouMean(nearest.Name(given, names)), name)
}

// prepare has each command check its arguments first, and say what is wrong with them and with
// its options under its full name.
func prepare(name string, commands []*cli.Command) {
	for _, c := range commands {
		full, action := name+" "+c.Name, c.Action
		c.OnUsageError, c.HideHelpCommand = usageError(full, &c.Flags, c.Subcommands), true
		prepare(full, c.Subcommands)
		c.Action = func(ctx *cli.Context) error {
			if err := wrong(ctx, full); err != nil {
				return err
			}
			if action == nil {
				return programs.Usage("%s takes a command; see %[1]s --help", full)
			}
			return action(ctx)
		}
	}
}

// usageError puts the library's sentences on options into our words.
func usageError(name string, flags *[]cli.Flag, below []*cli.Command) cli.OnUsageErrorFunc {
	return func(_ *cli.Context, err error, _ bool) error {
		said := strings.NewReplacer(" for flag -", " for --", " for -", " for --", "flag needs an argument: -", "there is no value for --").Replace(err.Error())
		if given, unknown := strings.CutPrefix(said, "flag provided but not defined: -"); unknown {
			switch near := nearest.Name(given, optionNames(*flags, below)); near {
			case "":
				said = "there is no option --" + given
			case given:
				said = "--" + given + " goes with a command: " + strings.Join(takers(given, below), ", ")
			default:
				said = "there is no option --" + given + nearest.DidYouMean("--"+near)
			}
		}
		return programs.Usage("%s; see %s --help", said, name)
	}
}

// optionNames lists those of a command and of all below it, but for those that help hides.
func optionNames(flags []cli.Flag, below []*cli.Command) (names []string) {
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	for _, c := range visible(below) {
		names = append(names, optionNames(c.Flags, c.Subcommands)...)
	}
	return names
}

// takers lists the commands that have an option, or whose commands do.
func takers(option string, commands []*cli.Command) (names []string) {
	for _, c := range visible(commands) {
		if slices.Contains(optionNames(c.Flags, c.Subcommands), option) {
			names = append(names, c.Name)
		}
	}
	return names
}

// wrong says what is wrong with a command's arguments, if anything. Its ArgsUsage has a word
// for each, in brackets where it can be left out, and with an ellipsis where there can be
// more. Its Description says what to do.
func wrong(c *cli.Context, name string) error {
	words, hint := strings.Fields(c.Command.ArgsUsage), ""
	if c.Command.Description != "" {
		hint = "; " + c.Command.Description
	}
	least := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "[") })
	if least < 0 {
		least = len(words)
	}
	switch n := c.NArg(); {
	case c.Command.SkipFlagParsing || n >= least && (n <= len(words) || strings.Contains(c.Command.ArgsUsage, "…")):
		return nil
	case n < least:
		return programs.Usage("usage: %s %s%s", name, c.Command.ArgsUsage, hint)
	case len(c.Command.Subcommands) > 0:
		return noCommand(name, c.Command.Subcommands, c.Args().First())
	}
	return programs.Usage("unexpected argument %q%s", c.Args().Get(len(words)), hint)
}

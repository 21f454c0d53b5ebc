package command

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/integrations"
)

// AgentFlag is --agent of every command that asks.
func AgentFlag() cli.Flag {
	return &cli.StringFlag{Name: "agent", EnvVars: []string{"ASKPANE_AGENT"}, Usage: "`NAME` of who asks, shown to the person"}
}

// HostFlag is --host of every command that asks.
func HostFlag() cli.Flag {
	return Known("host", "where to ask: "+strings.Join(integrations.Names(), ", "), integrations.Known)
}

// Known is an option whose value known accepts. Empty is as if it was not given.
func Known(name, use string, known func(value string) error) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: use, Action: func(_ *cli.Context, given string) error {
		if err := known(given); err != nil && given != "" {
			return Usage("%v", err)
		}
		return nil
	}}
}

// OneOf is an option that takes one of a few values.
func OneOf(name, value, use string, values ...string) cli.Flag {
	return &cli.StringFlag{Name: name, Value: value, Usage: use, Action: func(_ *cli.Context, given string) error {
		if slices.Contains(values, given) {
			return nil
		}
		last := len(values) - 1
		return Usage("unknown --%s %q; there are %s and %s", name, given, strings.Join(values[:last], ", "), values[last])
	}}
}

// maxSeconds is the longest time that a flag may give: a year.
const maxSeconds = 365 * 24 * 60 * 60

// SecondsFlag is an option that takes a duration in seconds.
func SecondsFlag(name, use string) cli.Flag {
	return &cli.Float64Flag{Name: name, Usage: use, Action: func(_ *cli.Context, t float64) error {
		if t < 0 || t > maxSeconds || t != t {
			return Usage("--%s is %g; it must be from 0 (never) to %d seconds", name, t, maxSeconds)
		}
		return nil
	}}
}

// Seconds is what a SecondsFlag was given; nil where it was not.
func Seconds(c *cli.Context, name string) *time.Duration {
	if !c.IsSet(name) {
		return nil
	}
	return new(time.Duration(c.Float64(name) * float64(time.Second)))
}

// flagsFirst puts options that stand after a command's arguments before them,
// where the library wants them. What it does not know stays where it is.
func flagsFirst(flags []cli.Flag, commands []*cli.Command, words []string) []string {
	var options, arguments []string
	for len(words) > 0 {
		word := words[0]
		n := length(flags, word)
		if n > len(words) { // nothing may stand behind it that would be taken for its value
			return append(options, word)
		}
		if n > 0 {
			options, words = append(options, words[:n]...), words[n:]
			continue
		}
		words = words[1:]
		if word == "--" {
			return slices.Concat(options, []string{word}, arguments, words)
		}
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(word) })
		if i < 0 || len(arguments) > 0 {
			arguments = append(arguments, word)
			continue
		}
		if c := commands[i]; !c.SkipFlagParsing {
			words = flagsFirst(c.Flags, c.Subcommands, words)
		}
		return slices.Concat(options, []string{word}, words)
	}
	return append(options, arguments...)
}

// length is how many words the option takes that begins with word; 0 where there
// is no such option.
func length(flags []cli.Flag, word string) int {
	name, isFlag := strings.CutPrefix(word, "-")
	name, _, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	switch {
	case !isFlag || i < 0 && !slices.Contains(cli.HelpFlag.Names(), name):
		return 0
	case i < 0 || hasValue:
		return 1
	}
	if _, isSwitch := flags[i].(*cli.BoolFlag); isSwitch {
		return 1
	}
	return 2
}

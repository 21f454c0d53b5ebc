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
	return &cli.StringFlag{Name: "host", Usage: "where to ask: " + strings.Join(integrations.Names(), ", ")}
}

// maxSeconds is the longest time that a flag may give: a year.
const maxSeconds = 365 * 24 * 60 * 60

// Seconds is a flag's duration in seconds; nil where it is not given.
func Seconds(c *cli.Context, name string) (*time.Duration, error) {
	t := c.Float64(name)
	if t < 0 || t > maxSeconds || t != t {
		return nil, Usage("--%s is %g; it must be from 0 (never) to %d seconds", name, t, maxSeconds)
	}
	if !c.IsSet(name) {
		return nil, nil
	}
	d := time.Duration(t * float64(time.Second))
	return &d, nil
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

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
// where the library wants them. An option of a command above stands with that.
// What it does not know stays where it is.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) == 0 {
		return args
	}
	levels := []level{{words: args[:1:1], flags: app.Flags}}
	commands := app.Commands
	var arguments []string
	for rest := args[1:]; len(rest) > 0; {
		word := rest[0]
		rest = rest[1:]
		if word == "--" {
			arguments = append(append([]string{"--"}, arguments...), rest...)
			break
		}
		if at, flag := flagOf(levels, word); at != nil {
			n := 1
			if takesNext(flag, word) {
				n = 2
			}
			if n > 1+len(rest) { // nothing may stand behind it that would be taken for its value
				return append(joined(levels), word)
			}
			at.words = append(append(at.words, word), rest[:n-1]...)
			rest = rest[n-1:]
			continue
		}
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(word) })
		if i < 0 || len(arguments) > 0 {
			arguments = append(arguments, word)
			continue
		}
		c := commands[i]
		levels, commands = append(levels, level{[]string{word}, c.Flags}), c.Subcommands
		if c.SkipFlagParsing {
			arguments = rest
			break
		}
	}
	return append(joined(levels), arguments...)
}

func joined(levels []level) (words []string) {
	for _, l := range levels {
		words = append(words, l.words...)
	}
	return words
}

// level is a command's name, or the program's, with its options behind it.
type level struct {
	words []string
	flags []cli.Flag
}

// flagOf is the option that word names, and the innermost command that has it.
func flagOf(levels []level, word string) (*level, cli.Flag) {
	name, isFlag := strings.CutPrefix(word, "-")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	if !isFlag || name == "" {
		return nil, nil
	}
	for i := len(levels) - 1; i >= 0; i-- {
		for _, f := range append(levels[i].flags[:len(levels[i].flags):len(levels[i].flags)], cli.HelpFlag) {
			if slices.Contains(f.Names(), name) {
				return &levels[i], f
			}
		}
	}
	return nil, nil
}

// takesNext reports whether the value of the option is the next word.
func takesNext(f cli.Flag, word string) bool {
	_, isSwitch := f.(*cli.BoolFlag)
	return !isSwitch && !strings.Contains(word, "=")
}

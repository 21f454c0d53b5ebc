package command

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
)

// AgentFlag makes the --agent of every command that asks.
func AgentFlag() cli.Flag {
	return &cli.StringFlag{Name: "agent", EnvVars: []string{"ASKPANE_AGENT"}, Usage: "`NAME` of who asks, shown to the person"}
}

// HostFlag makes the --host of every command that asks.
func HostFlag() cli.Flag {
	return Known("host", "where to ask, a `HOST`: ", integrations.Names(), integrations.Known)
}

// Choice takes one of a few values, which a shell completes.
type Choice struct {
	*cli.StringFlag
	Values []string
}

// Known makes an option whose value known accepts, one of values, which its use ends with.
// Empty counts as not given.
func Known(name, use string, values []string, known func(value string) error) cli.Flag {
	return Choice{&cli.StringFlag{Name: name, Usage: use + strings.Join(values, ", "), Action: func(_ *cli.Context, given string) error {
		if err := known(given); err != nil && given != "" {
			return programs.Usage("%v", err)
		}
		return nil
	}}, values}
}

// OneOf makes an option that takes one of a few values.
func OneOf(name, value, use string, values ...string) cli.Flag {
	return Choice{&cli.StringFlag{Name: name, Value: value, Usage: use, Action: func(_ *cli.Context, given string) error {
		if slices.Contains(values, given) {
			return nil
		}
		last := len(values) - 1
		return programs.Usage("unknown --%s %q; there are %s and %s", name, given, strings.Join(values[:last], ", "), values[last])
	}}, values}
}

// maxSeconds bounds the time that a flag may give: a year.
const maxSeconds = 365 * 24 * 60 * 60

// TimeFlag makes an option that takes a time: seconds, or as Go writes durations.
func TimeFlag(name, use string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: use, Action: func(_ *cli.Context, given string) error {
		switch t, err := seconds(given); {
		case err != nil:
			return programs.Usage("--%s is %q; it must be a number of seconds, or a time such as 90s, 5m or 1h30m", name, given)
		case t < 0 || t > maxSeconds || t != t:
			return programs.Usage("--%s is %s; it must be from 0 (never) to %d seconds", name, given, maxSeconds)
		}
		return nil
	}}
}

func seconds(given string) (float64, error) {
	t, err := strconv.ParseFloat(given, 64)
	if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(given)
		t = d.Seconds()
	}
	return t, err
}

// Time returns the value of a TimeFlag; nil where it was not given.
func Time(c *cli.Context, name string) *time.Duration {
	if !c.IsSet(name) {
		return nil
	}
	t, _ := seconds(c.String(name)) // the flag has looked at it
	return new(time.Duration(t * float64(time.Second)))
}

// flagsFirst puts options where the library wants them: those of a command before its
// arguments. One that nobody knows is left for the library to refuse.
func flagsFirst(flags []cli.Flag, commands []*cli.Command, words []string) []string {
	var options, arguments []string
	for len(words) > 0 {
		word, n := words[0], length(flags, words[0])
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
		first := len(arguments) == 0
		switch {
		case first && word == "help" && len(commands) > 0:
			return flagsFirst(flags, commands, append(words, "--help"))
		case first && i >= 0:
			if c := commands[i]; !c.SkipFlagParsing {
				words = flagsFirst(c.Flags, c.Subcommands, words)
			}
			return slices.Concat(options, []string{word}, words)
		case isOption(word):
			options = append(options, word)
		default:
			arguments = append(arguments, word)
		}
	}
	if len(arguments) > 0 && strings.HasPrefix(arguments[0], "-") { // such as a number below zero
		arguments = append([]string{"--"}, arguments...)
	}
	return append(options, arguments...)
}

// isOption reports whether a word looks like an option, and not like a number or
// the - that stands for standard input.
func isOption(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return len(word) > 1 && word[0] == '-' && err != nil
}

// length counts the words of the option that begins with word; 0 where there is no such
// option.
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

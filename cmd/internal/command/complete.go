package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Complete lists what the last of words can become, with what each is for: commands, options,
// their values, and what operand knows for a word of a command's ArgsUsage that follows another argument.
func Complete(commands []*cli.Command, words []string, operand func(command, word, after string) [][2]string) (all [][2]string) {
	at, args := &cli.Command{Subcommands: commands}, 0
	last := len(words) - 1
	for i := 0; i < last; i++ {
		n := length(at.Flags, words[i])
		c := at.Command(words[i])
		switch {
		case n > 0 && i+n > last:
			return beginning(words[last], values(at.Flags, words[i]))
		case n > 0:
			i += n - 1
		case c != nil && c.SkipFlagParsing:
			return nil
		case c != nil && args == 0:
			at = c
		default:
			args++
		}
	}
	if strings.HasPrefix(words[last], "-") {
		for _, r := range optionRows(append(slices.Clip(at.Flags), cli.HelpFlag)) {
			name, _, _ := strings.Cut(r[0], " ")
			all = append(all, [2]string{strings.TrimSuffix(name, ","), r[1]})
		}
		return beginning(words[last], all)
	}
	for _, p := range commandParts(at.Subcommands) {
		all = append(all, p.Rows...)
	}
	if takes := strings.Fields(at.ArgsUsage); args < len(takes) {
		all = append(all, operand(at.Name, strings.Trim(takes[args], "[]…"), words[max(0, last-1)])...)
	}
	return beginning(words[last], all)
}

// values lists those of an option that takes one of a few.
func values(flags []cli.Flag, option string) (all [][2]string) {
	for _, f := range flags {
		if c, ok := f.(Choice); ok && slices.Contains(c.Names(), strings.TrimLeft(option, "-")) {
			for _, v := range c.Values {
				all = append(all, [2]string{v})
			}
		}
	}
	return all
}

func beginning(word string, all [][2]string) [][2]string {
	return slices.DeleteFunc(all, func(r [2]string) bool { return !strings.HasPrefix(strings.ToLower(r[0]), strings.ToLower(word)) })
}

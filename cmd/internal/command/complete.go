package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text"
)

// Tab prints what the last of words can become, each with a tab and what it is for.
func Tab(app *cli.App, words []string, operand func(command, word, after string) [][2]string) {
	for _, r := range Complete(root(app), words, operand) {
		fmt.Printf("%s\t%s\n", r[0], text.OneLine(r[1], 80))
	}
}

// Complete lists what the last of words can become below a command, with what each is for: commands,
// options, their values, and what operand knows for a word of a command's ArgsUsage that follows another argument.
func Complete(at *cli.Command, words []string, operand func(command, word, after string) [][2]string) (all [][2]string) {
	args, last := 0, len(words)-1
	for i := 0; i < last; i++ {
		n := length(at.Flags, words[i])
		c := at.Command(words[i])
		switch {
		case n > 0 && i+n > last:
			return beginning(words[last], values(at.Flags, words[i], ""))
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
		return beginning(words[last], options(at.Flags, words[last]))
	}
	for _, p := range commandParts(at.Subcommands) {
		all = append(all, p.Rows...)
	}
	if takes := strings.Fields(at.ArgsUsage); args < len(takes) && operand != nil {
		all = append(all, operand(at.Name, strings.Trim(takes[args], "[]…"), words[max(0, last-1)])...)
	}
	return beginning(words[last], all)
}

// options lists all, or what can stand behind the = of a word.
func options(flags []cli.Flag, word string) (all [][2]string) {
	if option, _, given := strings.Cut(word, "="); given {
		return values(flags, option, option+"=")
	}
	for _, r := range optionRows(append(slices.Clip(flags), cli.HelpFlag)) {
		name, _, _ := strings.Cut(r[0], " ")
		all = append(all, [2]string{strings.TrimSuffix(name, ","), r[1]})
	}
	return all
}

// values lists those of an option that takes one of a few, each behind a text.
func values(flags []cli.Flag, option, behind string) (all [][2]string) {
	for _, f := range flags {
		if c, ok := f.(Choice); ok && slices.Contains(c.Names(), strings.TrimLeft(option, "-")) {
			for _, v := range c.Values {
				all = append(all, [2]string{behind + v})
			}
		}
	}
	return all
}

func beginning(word string, all [][2]string) [][2]string {
	return slices.DeleteFunc(all, func(r [2]string) bool { return !strings.HasPrefix(strings.ToLower(r[0]), strings.ToLower(word)) })
}

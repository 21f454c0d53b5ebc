package command

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text/cells"
)

// In puts commands into the group of that name, under which help lists them.
func In(group string, commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		c.Category = group
	}
	return commands
}

// Part holds what stands under one heading of a command's description: rows of what there is,
// and what it is for.
type Part struct {
	Title string
	Rows  [][2]string
}

// visible leaves out the commands that nobody is told of.
func visible(commands []*cli.Command) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(commands), func(c *cli.Command) bool { return c.Hidden })
}

// root returns an app as the command that all of its commands are below.
func root(app *cli.App) *cli.Command {
	return &cli.Command{Name: app.Name, HelpName: app.Name, Usage: app.Usage, UsageText: app.UsageText, Flags: app.Flags, Subcommands: app.Commands}
}

// describe returns what help and the manual pages say of a command besides its use: how it is
// called, and the parts. It knows the table of commands alone.
func describe(c *cli.Command) (call string, parts []Part) {
	call = c.HelpName
	if len(c.Flags) > 0 && !c.SkipFlagParsing {
		call += " [OPTION…]"
	}
	if c.ArgsUsage != "" {
		call += " " + c.ArgsUsage
	} else if len(c.Subcommands) > 0 {
		call += " COMMAND"
	}
	parts = append(commandParts(c.Subcommands), Part{"Options", optionRows(c.Flags)}, exampleOf(c.UsageText))
	return call, slices.DeleteFunc(parts, func(p Part) bool { return len(p.Rows) == 0 })
}

// commandParts lists commands by their groups, both in the order of the table.
func commandParts(commands []*cli.Command) (parts []Part) {
	for _, c := range visible(commands) {
		if title := cmp.Or(c.Category, "Commands"); len(parts) == 0 || parts[len(parts)-1].Title != title {
			parts = append(parts, Part{Title: title})
		}
		last := &parts[len(parts)-1]
		last.Rows = append(last.Rows, [2]string{c.Name, c.Usage})
	}
	return parts
}

func optionRows(flags []cli.Flag) (rows [][2]string) {
	for _, f := range flags {
		f, ok := f.(cli.DocGenerationFlag)
		if v, hides := f.(cli.VisibleFlag); !ok || hides && !v.IsVisible() {
			continue
		}
		value, use := flag.UnquoteUsage(&flag.Flag{Usage: f.GetUsage()}) // "value" where it has no word for it
		option := cli.FlagNamePrefixer(f.Names(), "")
		if f.TakesValue() {
			option += " " + strings.ToUpper(value)
			if v := f.GetValue(); v != "" && v != "0" {
				use += " (otherwise " + v + ")"
			}
		}
		rows = append(rows, [2]string{option, use})
	}
	return rows
}

func exampleOf(lines string) Part {
	p := Part{Title: "Examples"}
	for line := range strings.Lines(lines) {
		p.Rows = append(p.Rows, [2]string{strings.TrimSuffix(line, "\n")})
	}
	return p
}

// printHelp prints what --help shows.
func printHelp(out io.Writer, _ string, data any) {
	s := ScreenOf(os.Stdout)
	if s.Width = min(s.Width, proseColumns); s.Width == 0 {
		s.Width = proseColumns
	}
	c, isCommand := data.(*cli.Command)
	if !isCommand {
		c = root(data.(*cli.App))
	}
	call, parts := describe(c)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n  %s\n", strings.Join(cells.Wrap(c.HelpName+": "+c.Usage, s.Width), "\n"), s.Paint(Bold, "Usage"), call)
	for _, p := range parts {
		fmt.Fprintf(&b, "\n%s\n", s.Paint(Bold, p.Title))
		wide := 0
		for _, r := range p.Rows {
			wide = max(wide, min(cells.Width(r[0]), mostName))
		}
		for _, r := range p.Rows {
			b.WriteString(s.helpRow(r, wide))
		}
	}
	if !isCommand && len(c.Subcommands) > 0 {
		fmt.Fprintf(&b, "\n%s COMMAND --help says more, with examples.\n", c.HelpName)
	}
	_, _ = io.WriteString(out, b.String())
}

// proseColumns bounds the width of help, mostName that of the first of its two columns; what is
// wider has a row of its own.
const (
	proseColumns = 100
	mostName     = 24
)

// helpRow writes a name, and what it is for behind the widest of them.
func (s Screen) helpRow(r [2]string, wide int) string {
	name := "  " + r[0]
	room := wide + 4 - cells.Width(name)
	switch {
	case r[1] == "":
		return name + "\n"
	case room < 2:
		return name + "\n" + s.Hang(strings.Repeat(" ", wide+4), wide+4, Plain, r[1])
	}
	return s.Hang(name+strings.Repeat(" ", room), wide+4, Plain, r[1])
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/settings/menu"
)

func settingsCommand() *cli.Command {
	return &cli.Command{
		Name:  "settings",
		Usage: "change what a person can set: a menu, or one of the commands below",
		Flags: []cli.Flag{globalFlag()},
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "every setting, its value, and where that comes from",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print an array of objects"}},
				Action: listSettings,
			},
			{Name: "get", Usage: "print a setting's value", ArgsUsage: "NAME", Action: getSetting},
			writing("set", "write a setting to the project's file", "NAME VALUE", setSetting),
			writing("unset", "take a setting out of the project's file", "NAME", unsetSetting),
			writing("path", "print which file set would write", "", settingsPath),
			writing("edit", "open that file in $VISUAL or $EDITOR, and say what is wrong with it afterwards", "", editSettings),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("there is no command %q; see askpane settings --help", c.Args().First())
			}
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			err := menu.Run(ctx, menu.Config{Dir: here(), Global: c.Bool("global"), Hosts: integrations.Names()})
			if errors.Is(err, menu.ErrNoTerminal) {
				return usage("%v; askpane settings list prints the settings, and askpane settings set changes one", err)
			}
			return err
		},
	}
}

func globalFlag() cli.Flag {
	return &cli.BoolFlag{Name: "global", Usage: "the file for all projects instead of the project's"}
}

// here is the directory that the project's settings are looked for from; it is
// empty if it is gone.
func here() string {
	dir, _ := os.Getwd()
	return dir
}

// loadSettings says what could not be used.
func loadSettings() settings.Loaded {
	l := settings.Load(here())
	for _, p := range l.Problems {
		warn(p)
	}
	return l
}

// listed is one object of settings list --json.
type listed struct {
	Name    string `json:"name"`
	Value   any    `json:"value"`
	Source  string `json:"source"` // a rank's name
	Where   string `json:"where"`  // the file or the variable; empty for a default
	Default string `json:"default"`
	Env     string `json:"env"`
	Section string `json:"section"`
	Help    string `json:"help"`
	Expects string `json:"expects"`
}

func listSettings(c *cli.Context) error {
	if c.Args().Present() {
		return usage("unexpected argument %q", c.Args().First())
	}
	l := loadSettings()
	if !c.Bool("json") {
		_, err := io.WriteString(os.Stdout, settingsTable(l))
		return err
	}
	all := []listed{}
	for _, f := range settings.Fields() {
		from := l.Source(f.Name)
		all = append(all, listed{f.Name, f.Get(l.Settings), from.Rank.String(), from.Where, f.Default, f.Env, f.Section, f.Help, f.Expected()})
	}
	return printJSON(os.Stdout, all)
}

// settingsTable is what list prints: the settings by section, and the files.
func settingsTable(l settings.Loaded) string {
	var rows [][]string
	for _, f := range settings.Fields() {
		source := l.Source(f.Name).Rank.String()
		if source == settings.Environment.String() {
			source = f.Env
		}
		rows = append(rows, []string{f.Name, cmp.Or(text.OneLine(f.Text(l.Settings), 30), "(none)"), source, f.Help})
	}
	var b strings.Builder
	section, between, lines := "", "", cells.Columns(rows)
	for i, f := range settings.Fields() {
		if f.Section != section {
			fmt.Fprintf(&b, "%s%s\n", between, f.Section)
			section, between = f.Section, "\n"
		}
		fmt.Fprintln(&b, "  "+lines[i])
	}
	b.WriteString("\nRead from, the later wins\n")
	for _, f := range l.Files {
		path := cmp.Or(text.OneLine(f.Path, 0), "(not in a repository)")
		if !f.Found && f.Path != "" {
			path += " (not there)"
		}
		fmt.Fprintf(&b, "  %-11s %s\n", f.Rank, path)
	}
	fmt.Fprintf(&b, "  %-11s ASKPANE_…, as ASKPANE_GUARD_MS for guardMs\n", settings.Environment)
	return b.String()
}

func getSetting(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage("askpane settings get takes one setting's name; askpane settings list shows them")
	}
	f, err := settings.Lookup(c.Args().First())
	if err != nil {
		return usage("%v", err)
	}
	_, err = fmt.Println(text.Visible(f.Text(loadSettings().Settings)))
	return err
}

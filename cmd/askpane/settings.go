package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/settings/menu"
)

func settingsCommand() *cli.Command {
	const names = "askpane settings list shows them"
	files := []cli.Flag{
		flag("project", "the file of the project in this directory instead of your own"),
		&cli.BoolFlag{Name: "global", Hidden: true}, // your own, as is usual
	}
	return &cli.Command{
		Name: "settings", Usage: "change what a person can set: a menu, or one of the commands below", Flags: files, Action: settingsMenu,
		UsageText: "askpane settings\naskpane settings set theme light",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "every setting, its value, and where that comes from", Action: listSettings,
				UsageText: "askpane settings list",
				Flags:     []cli.Flag{flag("global", "only those set in your own file"), flag("project", "only those set in the file of the project in this directory"), flag("json", "print an array of objects")},
			},
			{Name: "get", Usage: "print a setting's value", ArgsUsage: "NAME", Description: names, UsageText: "askpane settings get theme", Action: getSetting},
			{Name: "set", Usage: "write a setting to your own file", ArgsUsage: "NAME VALUE", Description: names, UsageText: "askpane settings set quietHours 22:00-7:00", Flags: files, Action: writing(setSetting)},
			{Name: "unset", Usage: "take a setting out of your own file", ArgsUsage: "NAME", Description: names, UsageText: "askpane settings unset theme", Flags: files, Action: writing(unsetSetting)},
			{Name: "path", Usage: "print which file set would write", UsageText: "askpane settings path", Flags: files, Action: writing(settingsPath)},
			{Name: "edit", Usage: "open that file in $VISUAL or $EDITOR, and say what is wrong with it afterwards", UsageText: "askpane settings edit", Flags: files, Action: writing(editSettings)},
		},
	}
}

func settingsMenu(c *cli.Context) error {
	ctx, stop := programs.UntilTold()
	defer stop()
	err := menu.Run(ctx, menu.Config{Dir: here(), Project: c.Bool("project"), Hosts: integrations.Names()})
	if errors.Is(err, menu.ErrNoTerminal) {
		return usage("%v; askpane settings list prints the settings, and askpane settings set changes one", err)
	}
	return err
}

// here returns the directory that the project's settings are looked for from; it is empty if
// that is gone.
func here() string {
	dir, _ := os.Getwd()
	return dir
}

// loadSettings also says what could not be used.
func loadSettings() settings.Loaded {
	l := settings.Load(here())
	for _, p := range l.Problems {
		warn(p)
	}
	return l
}

// listed stands in the array of settings list --json.
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
	l := loadSettings()
	some := switched(c, "global") || switched(c, "project") // what these files have set, and no other has set since
	fields := slices.DeleteFunc(slices.Clone(settings.Fields()), func(f settings.Field) bool {
		return some && !switched(c, l.Sources[f.Name].Rank.String())
	})
	if !c.Bool("json") {
		_, err := fmt.Print(settingsTable(command.ScreenOf(os.Stdout), l, fields))
		return err
	}
	all := []listed{}
	for _, f := range fields {
		from := l.Sources[f.Name]
		all = append(all, listed{f.Name, f.Get(l.Settings), from.Rank.String(), from.Where, f.Default, f.Env, f.Section, f.Help, f.Expected()})
	}
	return printJSON(os.Stdout, all)
}

// settingsTable lists the settings by section, and the files.
func settingsTable(s command.Screen, l settings.Loaded, fields []settings.Field) string {
	var rows [][]string
	var helps []string
	section, widest := "", 30 // of a value, in columns
	if s.Width > 0 {          // what it is for needs 20, beside names and sources of 39
		widest = min(widest, max(11, s.Width-59))
	}
	for _, f := range fields {
		if f.Section != section {
			section = f.Section
			rows, helps = append(rows, []string{""}, []string{section}), append(helps, "", "")
		}
		source := l.Sources[f.Name].Rank.String()
		if source == settings.Environment.String() {
			source = f.Env
		}
		rows = append(rows, []string{"  " + f.Name, cmp.Or(text.OneLine(f.Text(l.Settings), widest), "(none)"), source, ""})
		helps = append(helps, f.Help)
	}
	b := ""
	for row := range strings.Lines(command.Screen{}.Table(rows, cellStyle)) {
		row = strings.TrimSuffix(row, "\n")
		b += s.Hang(row, cells.Width(row), command.Plain, helps[0])
		helps = helps[1:]
	}
	b = strings.TrimPrefix(b, "\n") + "\nRead from, the later wins\n"
	for _, f := range l.Files {
		path := cmp.Or(text.OneLine(f.Path, 0), "(not in a repository)")
		if !f.Found && f.Path != "" {
			path += " (not there)"
		}
		b += fmt.Sprintf("  %-11s %s\n", f.Rank, path)
	}
	return b + fmt.Sprintf("  %-11s ASKPANE_…, as ASKPANE_GUARD_MS for guardMs\n", settings.Environment)
}

func getSetting(c *cli.Context) error {
	f, err := settings.Lookup(c.Args().First())
	if err != nil {
		return usage("%v", err)
	}
	_, err = fmt.Println(text.Visible(f.Text(loadSettings().Settings)))
	return err
}

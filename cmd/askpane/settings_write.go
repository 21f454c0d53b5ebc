package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/settings"
)

// writing runs an action on the file that settings are written to: the person's own, or with
// --project the project's.
func writing(action func(args cli.Args, file settings.File) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		file, err := settings.Writable(here(), !switched(c, "project"))
		if errors.Is(err, settings.ErrNoProject) {
			return usage("%w; leave --project out", err)
		}
		if err != nil {
			return err
		}
		return action(c.Args(), file)
	}
}

// switched reports whether a switch was given, also before the command that it is for.
func switched(c *cli.Context, name string) bool {
	return slices.ContainsFunc(c.Lineage(), func(level *cli.Context) bool { return level.Bool(name) })
}

func setSetting(args cli.Args, file settings.File) error {
	name, value := args.Get(0), args.Get(1)
	field, _, err := file.Check(name, value)
	if err == nil && name == "host" {
		err = integrations.Known(value)
	}
	if err != nil {
		return usage("%v", err)
	}
	if err := file.Set(name, value); err != nil {
		return err
	}
	l := loadSettings()
	if from := l.Sources[name]; from.Rank > file.Rank {
		warn(fmt.Errorf("%s stays %s here, as %s says so", name, text.OneLine(field.Text(l.Settings), 60), from))
	}
	return say("%s is set in %s", name, file.Path)
}

func unsetSetting(args cli.Args, file settings.File) error {
	field, err := settings.Lookup(args.First())
	if err != nil {
		return usage("%v", err)
	}
	had, err := file.Unset(field.Name)
	if err != nil {
		return err
	}
	l := settings.Load(here())
	now := fmt.Sprintf("it is %s now, from %s", cmp.Or(text.OneLine(field.Text(l.Settings), 60), "(none)"), l.Sources[field.Name])
	if !had {
		return say("%s was not set in %s; %s", field.Name, file.Path, now)
	}
	return say("%s is not set in %s any more; %s", field.Name, file.Path, now)
}

// say prints a sentence; paths in it come from outside.
func say(format string, args ...any) error {
	_, err := fmt.Println(text.OneLine(fmt.Sprintf(format, args...), 0))
	return err
}

func settingsPath(_ cli.Args, file settings.File) error {
	_, err := fmt.Println(file.Path) // as it is, for programs
	return err
}

func editSettings(_ cli.Args, file settings.File) error {
	editor, err := popup.Editor(file.Path)
	if err != nil {
		return fmt.Errorf("editor: %w", err)
	}
	if err := file.Make(); err != nil {
		return err
	}
	if err := editor.Run(); err != nil {
		return fmt.Errorf("%s: %w", editor.Args[len(editor.Args)-2], err)
	}
	for _, p := range settings.Load(here()).Problems {
		if p.Where == file.Path {
			warn(p)
			err = exit{Code: programs.Internal}
		}
	}
	return err
}

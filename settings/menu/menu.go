// Package menu lists the settings on a terminal, where they are searched and changed
// in place.
//
// It touches that terminal and one settings file at a time. The rule that must
// hold here: which file is written is on the screen before a key writes it.
package menu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rivo/tview"
	"golang.org/x/term"

	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/list"
	"github.com/askpane/askpane/settings"
)

// Config tells the menu what it needs to know.
type Config struct {
	Dir     string   // whose project's settings are meant; may be empty
	Project bool     // begin with the project's file
	Hosts   []string // what the setting host may be
}

// ErrNoTerminal means that there is nowhere to draw the menu.
var ErrNoTerminal = errors.New("the menu needs a terminal")

// Run shows the menu until the person leaves it or ctx ends.
func Run(ctx context.Context, c Config) error {
	if t := os.Getenv("TERM"); t == "" || t == "dumb" || !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return ErrNoTerminal // not /dev/tty alone: whoever calls us without one does not want a menu on it
	}
	if _, err := settings.Writable(c.Dir, true); err != nil {
		return err
	}
	screen, err := display.Open()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	v := newView(c)
	return v.run(ctx, display.NewApp(screen, v))
}

// view shows the menu on a screen, and belongs to its loop.
type view struct {
	list.Screen[*view] // of the settings that the search leaves, by their names
	Config
	quit func()

	loaded settings.Loaded
	file   settings.File     // the one that is written
	fields []settings.Field  // those on the list
	entry  *tview.InputField // the value that is being typed, where it is over the list
}

func newView(c Config) *view {
	v := &view{Config: c, loaded: settings.Load(c.Dir)}
	v.Screen = list.New(v, keys, v.find, v.change)
	v.SetBorderPadding(0, 0, 1, 1)
	v.write(true)
	if c.Project {
		v.write(false)
	}
	return v
}

func (v *view) run(ctx context.Context, app *display.App) error {
	v.quit = app.Stop
	known := v.loaded
	return app.Run(ctx, func(ctx context.Context) {
		settings.Each(ctx, v.Dir, &known, func(now *settings.Loaded) { app.Post(func() { v.loaded = *now }) })
	})
}

// find lists the settings that have the search in them.
func (v *view) find(search string) (names []string) {
	v.fields = slices.DeleteFunc(slices.Clone(settings.Fields()), func(f settings.Field) bool {
		return !strings.Contains(strings.ToLower(f.Label+" "+f.Name+" "+f.Section+" "+f.Help), search)
	})
	for _, f := range v.fields {
		names = append(names, f.Name)
	}
	return names
}

// field returns the setting in focus; there is one where any is listed.
func (v *view) field() settings.Field { return v.fields[v.Row] }

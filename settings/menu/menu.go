// Package menu is the settings on a terminal: sections, and in each a list of
// settings that are changed in place.
//
// It touches that terminal and one settings file at a time. The rule that must
// hold here: which file is written is on the screen before a key writes it.
package menu

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rivo/tview"
	"golang.org/x/term"

	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/settings"
)

// Config is what the menu needs to know.
type Config struct {
	Dir    string   // whose project's settings are meant; may be empty
	Global bool     // begin with the global file
	Hosts  []string // what the setting host may be
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

// view is the menu on a screen, and belongs to its loop.
type view struct {
	display.List // of sections, or of the settings in one
	Config
	quit func()

	loaded settings.Loaded
	theme  display.Theme
	file   settings.File // the one that is written

	sections []section
	section  int
	inside   bool // a section's settings are shown, not the sections

	entry  *tview.InputField // the value that is being typed; nil if none is
	notice string            // about the last key
}

type section struct {
	name   string
	fields []settings.Field
}

func newView(c Config) *view {
	v := &view{List: display.NewList(), Config: c, loaded: settings.Load(c.Dir)}
	for _, f := range settings.Fields() {
		last := len(v.sections) - 1
		if last < 0 || v.sections[last].name != f.Section {
			v.sections = append(v.sections, section{f.Section, []settings.Field{f}})
			continue
		}
		v.sections[last].fields = append(v.sections[last].fields, f)
	}
	v.write(true)
	if !c.Global {
		v.write(false)
		v.notice = ""
	}
	return v
}

func (v *view) run(ctx context.Context, app *display.App) error {
	v.quit = app.Stop
	return app.Run(ctx, func(ctx context.Context) {
		settings.Follow(v.Dir).Each(ctx, func(now settings.Loaded) { app.Post(func() { v.loaded = now }) })
	})
}

// choose takes over what the list is of, and the theme.
func (v *view) choose() {
	v.theme = display.ThemeOf(v.loaded.Theme)
	if v.Len = len(v.sections); v.inside {
		v.Len = len(v.sections[v.section].fields)
	}
}

// field is the setting in focus.
func (v *view) field() settings.Field { return v.sections[v.section].fields[v.Row] }

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
	"strings"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"golang.org/x/term"

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
	assumeUTF8()
	screen, err := tcell.NewScreen()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	app, v := newApp(c, screen)
	return v.run(ctx, app, screen)
}

func newApp(c Config, screen tcell.Screen) (*tview.Application, *view) {
	app := tview.NewApplication().SetScreen(screen).EnableMouse(true).EnablePaste(true)
	v := newView(c)
	v.quit = app.Stop
	app.SetRoot(v, true)
	// tview would stop the application on Ctrl+C without asking the view.
	app.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey {
		if e.Key() == tcell.KeyCtrlC {
			app.Stop()
			return nil
		}
		return e
	})
	return app, v
}

func (v *view) run(ctx context.Context, app *tview.Application, screen tcell.Screen) error {
	live := settings.Follow(v.Dir)
	unsubscribe := live.Subscribe(nil, func(settings.Settings) {
		l, _ := live.Now()
		v.fresh.Store(&l)
		// Not app.QueueUpdateDraw, which would wait for ever for an
		// application that has just stopped. An event of the size it has
		// makes it draw.
		app.QueueEvent(tcell.NewEventResize(screen.Size()))
	})
	// Not app.Stop, which would come too early for an application that is just
	// about to run.
	stop := context.AfterFunc(ctx, func() { app.QueueEvent(tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)) })
	err := app.Run()
	stop()
	unsubscribe()
	if err != nil {
		return fmt.Errorf("draw on the terminal: %w", err)
	}
	return nil
}

// assumeUTF8 makes tcell draw UTF-8 unless the locale names another character
// set, as package popup does.
func assumeUTF8() {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			if strings.Contains(v, ".") {
				return
			}
			break
		}
	}
	os.Setenv("LC_ALL", "C.UTF-8")
}

// view is the menu's state and how it is drawn. It belongs to tview's event
// loop, but for fresh.
type view struct {
	*tview.Box
	Config
	fresh atomic.Pointer[settings.Loaded] // what the watch has read
	quit  func()

	loaded settings.Loaded
	global bool // which file is written

	sections []string
	section  int
	inside   bool // a section's settings are shown, not the sections
	row      int  // the one in focus
	scroll   int  // the first row on view
	top      int  // screen row of the first row on view, as last drawn
	rows     int  // how many are on view

	entry  *tview.InputField // the value that is being typed; nil if none is
	wrong  string            // why it cannot be taken
	notice string            // about the last key
}

func newView(c Config) *view {
	v := &view{Box: tview.NewBox(), Config: c, global: c.Global, quit: func() {}}
	v.SetBackgroundColor(tcell.ColorDefault)
	for _, f := range settings.Fields() {
		if n := len(v.sections); n == 0 || v.sections[n-1] != f.Section {
			v.sections = append(v.sections, f.Section)
		}
	}
	v.reload()
	if _, err := settings.Writable(c.Dir, false); err != nil {
		v.global = true
	}
	return v
}

// reload reads the files again.
func (v *view) reload() { v.loaded = settings.Load(v.Dir) }

// catchUp takes what the watch has read.
func (v *view) catchUp() {
	if l := v.fresh.Swap(nil); l != nil {
		v.loaded = *l
	}
}

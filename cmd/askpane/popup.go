package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/popups"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/inbox"
	"github.com/askpane/askpane/settings"
)

func popupCommand(c *cli.Context) error {
	sp, id, err := pick(c)
	if errors.Is(err, spool.ErrNotFound) {
		return exitWith(programs.Rejected, err)
	}
	if err != nil {
		return err
	}
	defer sp.Close()
	return popups.Show(sp, id, inLines(c), form.ByPopup)
}

// next shows the question that popup.Next chooses, or says why there is none.
func next(c *cli.Context) error {
	shown, elsewhere := false, 0
	sp, err := lookSpool()
	if err == nil {
		defer sp.Close()
		shown, elsewhere, err = popup.Next(sp, warn, func(id string) error { return popups.Show(sp, id, inLines(c), form.ByPopup) })
	}
	switch err = unlessNone(err); {
	case shown:
	case elsewhere > 1:
		fmt.Fprintf(os.Stderr, "All %d waiting questions are open on other terminals; askpane inbox takes them over.\n", elsewhere)
	case elsewhere == 1:
		fmt.Fprintln(os.Stderr, "The one waiting question is open on another terminal; askpane inbox takes it over.")
	case err == nil: // else the error says what there is
		fmt.Fprintln(os.Stderr, emptyList())
	}
	return err
}

func showInbox(*cli.Context) error {
	if !onScreen() {
		return usage("the inbox needs a terminal that can draw; askpane list prints what waits, and askpane next --plain asks line by line")
	}
	ctx, stop := programs.UntilTold()
	defer stop()
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		sp, err = asker.OpenSpool() // it waits for what will come there
	}
	if err != nil {
		return err
	}
	defer sp.Close()
	go popups.HaveDesk()
	go bridge.Prune(ctx, sp, func(error) {}) // the screen is taken; askpane history says what is wrong
	return inbox.Run(ctx, inbox.Config{
		Spool:  sp,
		Now:    settings.Load("").Settings,
		Answer: func(id string) error { return popups.Show(sp, id, false, form.ByInbox) },
		Pane:   integrations.Pane,
		Shows:  showsForms,
		Quirks: integrations.Quirks(),
		Mute:   settings.Mute, Muted: settings.SayMuted,
	})
}

// showsForms reports whether a process is an askpane of any version that may show a form.
func showsForms(pid int) bool {
	self, _ := os.Executable()
	name := filepath.Base(process.Program(pid))
	return name == programs.Popup.Name || name == filepath.Base(self)
}

// inLines reports whether a form is to be asked line by line.
func inLines(c *cli.Context) bool { return c.Bool("plain") || popups.Plain() }

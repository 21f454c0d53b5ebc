package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/tty"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/inbox"
	"github.com/askpane/askpane/popup/plain"
	"github.com/askpane/askpane/settings"
)

func popupCommand(c *cli.Context) error {
	sp, id, err := pick(c)
	if errors.Is(err, spool.ErrNotFound) {
		return exitWith(command.Rejected, err)
	}
	if err != nil {
		return err
	}
	sp.Close()
	return showPopup(id, inLines(c), form.ByPopup)
}

// next shows the question that popup.Next chooses, or says why there is none.
func next(c *cli.Context) error {
	shown, elsewhere := false, 0
	sp, err := lookSpool()
	if err == nil {
		defer sp.Close()
		shown, elsewhere, err = popup.Next(sp, warn, func(id string) error { return showPopup(id, inLines(c), form.ByPopup) })
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
	ctx, stop := command.UntilTold()
	defer stop()
	sp, err := lookSpool()
	if errors.Is(err, spool.ErrNotFound) {
		sp, err = asker.OpenSpool() // it waits for what will come there
	}
	if err != nil {
		return err
	}
	defer sp.Close()
	go haveDesk()
	go bridge.Prune(sp, func(error) {}) // the screen is taken; askpane history says what is wrong
	return inbox.Run(ctx, inbox.Config{
		Spool:  sp,
		Theme:  settings.Load("").Theme,
		Answer: func(id string) error { return showPopup(id, false, form.ByInbox) },
		Pane:   paneOf,
		Page:   openPage, Program: process.Program,
		Quirks: integrations.Quirks(),
		Mute:   settings.Mute, Muted: settings.SayMuted,
	})
}

// inLines reports whether a form is to be asked line by line.
func inLines(c *cli.Context) bool { return c.Bool("plain") || plainHere() }

// plainHere reports whether the terminal is to be asked on line by line: the
// host says so, or it has no screen to draw on.
func plainHere() bool {
	term := os.Getenv("TERM")
	return os.Getenv(bridge.PlainEnv) != "" || term == "" || term == "dumb"
}

// showPopup shows the form of id on this terminal until it is closed. by is what its
// answer says of where it was given; from the inbox it can be left for the list.
func showPopup(id string, lines bool, by string) error {
	// Which of these a closing popup gets depends on the host, and some send two:
	// the draft is saved and the question stays.
	ctx, stop := command.UntilTold()
	defer stop()
	sp, err := asker.OpenSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	entry, err := sp.Open(id)
	if err == nil {
		defer entry.Close()
		typed, untold := time.Parse(time.RFC3339Nano, os.Getenv(bridge.TypedEnv))
		if opened := os.Getenv(bridge.HostEnv) != "" && os.Getenv(bridge.BorrowedEnv) == ""; untold != nil && opened { // by itself, in a host that cannot tell
			typed = tty.Typed(time.Now())
		}
		run := popup.Run
		if lines {
			run = plain.Run
		}
		err = run(ctx, entry, popup.Config{
			Spool: sp, By: by, Boxed: boxed(), Quirks: integrations.Quirks(),
			Viewer: os.Getenv(bridge.ViewerEnv), ViewerName: os.Getenv(bridge.NameEnv), Host: os.Getenv(bridge.HostEnv), Borrowed: os.Getenv(bridge.BorrowedEnv) != "",
			Typed: typed, Pane: paneFor, Resize: integrations.Resize(os.Getenv(bridge.HostEnv)), Page: openPage, Preview: programs.Preview.Cmd,
		})
		if req, e := entry.Request(); e == nil && req.Origin.Away != nil {
			haveDesk() // the answer is not there yet
		}
	}
	if errors.Is(err, syscall.ENXIO) { // of /dev/tty
		err = hint.New("askpane answer answers without one", "%w", err)
	}
	if errors.Is(err, popup.ErrShown) || errors.Is(err, popup.ErrSeated) || errors.Is(err, spool.ErrAnswered) || errors.Is(err, spool.ErrNotFound) {
		return exitWith(command.Rejected, err)
	}
	return err
}

// boxed reports whether a form on this terminal draws a box of its own. Hosts that make
// popups of any size draw one themselves.
func boxed() bool {
	return integrations.Resize(os.Getenv(bridge.HostEnv)) == nil && !integrations.Quirks().Framed
}

// openPage has the page of a question opened in the person's browser.
func openPage(ctx context.Context, id string) (o popup.Opened, err error) {
	cmd, err := programs.Desk.Cmd("page", "--json", id)
	if err != nil {
		return o, err
	}
	out, err := quietly(cmd)
	if err == nil {
		err = json.Unmarshal(out, &o)
	}
	return o, err
}

// quietly runs a command of which nothing comes onto this terminal. The error is what it
// says.
func quietly(cmd *exec.Cmd) (out []byte, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err = cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = errors.New(strings.TrimPrefix(text.OneLine(string(exit.Stderr), 300), "askpane: "))
	}
	return out, err
}

// paneOf is where o asked from.
func paneOf(o spool.Origin) host.Pane { return integrations.Pane(o.Host, o.Ref) }

// paneFor is the pane that a question was asked from, here or on another machine.
func paneFor(r spool.Request) host.Pane {
	if r.Origin.Away != nil {
		return awayPane(r)
	}
	return paneOf(r.Origin)
}

// awayPane is a pane on another machine, which the hub reaches.
type awayPane spool.Request

func (r awayPane) Screen(context.Context) (string, error) {
	cmd, err := programs.Desk.Cmd("peek", r.ID)
	if err != nil {
		return "", err
	}
	out, err := quietly(cmd)
	return string(out), err
}

func (r awayPane) GoTo(context.Context, string) error {
	return fmt.Errorf("it is on %s", text.OneLine(r.Origin.Away.Machine, 40))
}

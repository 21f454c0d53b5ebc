// Package popups shows a form on this terminal, wired from what it needs: the hosts, the
// desk, the program for previews. What a popup does not need is not linked with it.
package popups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/popupenv"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/tty"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/plain"
	"github.com/askpane/askpane/settings"
)

// Main is askpane-popup with these arguments.
func Main(args []string) error {
	if err := programs.Popup.Started(); err != nil {
		return err
	}
	if len(args) != 1 {
		return programs.Usage("askpane-popup takes the id of a question; askpane popup finds one")
	}
	if args[0] == "--version" {
		_, err := fmt.Println(programs.Popup.Name, programs.Version())
		return err
	}
	dir, err := spool.Dir()
	if err != nil {
		return err
	}
	sp, err := spool.Open(dir)
	if err != nil {
		return err
	}
	defer sp.Close()
	return Show(sp, args[0], Plain(), form.ByPopup)
}

// Plain reports whether the terminal is to be asked on line by line: the
// host says so, or it has no screen to draw on, or none that is known here.
func Plain() bool {
	term := os.Getenv("TERM")
	_, unknown := tcell.LookupTerminfo(term)
	return os.Getenv(popupenv.Plain) != "" || term == "" || term == "dumb" || unknown != nil
}

// Show shows the form of id on this terminal until it is closed. by is what its
// answer says of where it was given; from the inbox it can be left for the list.
func Show(sp *spool.Spool, id string, lines bool, by string) error {
	// Which of these a closing popup gets depends on the host, and some send two:
	// the draft is saved and the question stays.
	ctx, stop := programs.UntilTold()
	defer stop()
	entry, err := sp.Open(id)
	if err == nil {
		defer entry.Close()
		borrowed := os.Getenv(popupenv.Borrowed) != ""
		if borrowed {
			defer alone(ctx, sp)()
			if _, over, _ := entry.Answer(); over || ctx.Err() != nil {
				return nil // meanwhile, and another form is drawn there: no word may be written over it
			}
		}
		typed, untold := time.Parse(time.RFC3339Nano, os.Getenv(popupenv.Typed))
		if opened := os.Getenv(popupenv.Host) != "" && !borrowed; untold != nil && opened { // by itself, in a host that cannot tell
			typed = tty.Typed(time.Now())
		}
		_, serves := address.Serves()
		var told settings.Snapshot
		if os.Getenv(popupenv.Host) == "" || entry.Settings(&told) != nil {
			told = settings.Snapshot{} // a person opens it, perhaps much later
		}
		show := popup.Run
		if lines {
			show = plain.Run
		}
		err = show(ctx, entry, popup.Config{
			Spool: sp, By: by, Boxed: Boxed(), Quirks: integrations.Quirks(),
			Viewer: os.Getenv(popupenv.Viewer), ViewerName: os.Getenv(popupenv.Name), Host: os.Getenv(popupenv.Host), Borrowed: borrowed,
			Typed: typed, Begins: told.Adopt(), Pane: paneFor, Resize: integrations.Resize(os.Getenv(popupenv.Host)), Page: openPage, Serves: serves, Preview: programs.Preview.Cmd,
		})
		if req, e := entry.Request(); e == nil && req.Origin.Away != nil {
			HaveDesk() // the answer is not there yet
		}
	}
	if errors.Is(err, syscall.ENXIO) { // of /dev/tty
		err = hint.New("askpane answer answers without one", "%w", err)
	}
	refused := []error{popup.ErrShown, popup.ErrSeated, spool.ErrAnswered, spool.ErrNotFound}
	if slices.ContainsFunc(refused, func(why error) bool { return errors.Is(err, why) }) {
		return programs.With(programs.Rejected, err)
	}
	return err
}

// alone waits until no other form is on the asker's own terminal, on which several of its group
// may ask at once: what is typed would go to any of them. It is ours until leave, or ctx has ended.
func alone(ctx context.Context, sp *spool.Spool) (leave func()) {
	for {
		leave, taken := sp.TakeTurn(-syscall.Getpgrp())
		if taken == nil || ctx.Err() != nil {
			return leave
		}
		select {
		case <-taken:
		case <-ctx.Done():
		}
	}
}

// Boxed reports whether a form on this terminal draws a box of its own. Hosts that make
// popups of any size draw one themselves.
func Boxed() bool {
	return integrations.Resize(os.Getenv(popupenv.Host)) == nil && !integrations.Quirks().Framed
}

// openPage has the page of a question opened in the person's browser.
func openPage(ctx context.Context, id string) (o popup.Opened, err error) {
	out, err := programs.Desk.Output("page", "--json", id)
	if err == nil {
		err = json.Unmarshal(out, &o)
	}
	return o, err
}

// paneFor finds the pane that a question was asked from, here or on another machine.
func paneFor(r spool.Request) host.Pane {
	if r.Origin.Away != nil {
		return awayPane(r)
	}
	return integrations.Pane(r.Origin.Host, r.Origin.Ref)
}

// awayPane is a pane on another machine, which the hub reaches.
type awayPane spool.Request

func (r awayPane) Screen(context.Context) (string, error) {
	out, err := programs.Desk.Output("peek", r.ID)
	return string(out), err
}

func (r awayPane) GoTo(context.Context, string) error {
	return fmt.Errorf("it is on %s", text.OneLine(r.Origin.Away.Machine, 40))
}

// HaveDesk has the desk up on a machine that has joined a hub: by it the questions of
// other machines come, and answers to them go.
func HaveDesk() {
	s := settings.Load("")
	if _, up := address.Up(); !up && s.Linked() && !run.Boxed {
		_, _ = programs.Desk.Output("start") // askpane doctor says what is wrong
	}
}

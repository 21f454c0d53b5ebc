// Package popup is what the person sees: it shows one entry's form on the
// terminal it runs in and writes the answer.
//
// It touches that terminal and the entry. The rule that must hold here:
// whatever ends the popup, what was typed is in the draft first, and only the
// person's own choice writes an answer.
package popup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
)

// Config is what a popup needs to know.
type Config struct {
	Entry *spool.Entry
	// Viewer is the host's name for the terminal that shows the popup.
	Viewer string
	// Guard is how long no key may have come before keys count.
	Guard time.Duration
	// Theme is the setting of that name; DangerCheck is dangerCheckEnabled.
	Theme       string
	DangerCheck bool
	// Borrowed: the terminal belongs to whoever asks, so the form goes with them.
	Borrowed bool
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
}

// ErrShown means that another popup shows the entry.
var ErrShown = errors.New("another popup shows this question")

// draftDelay is how far the draft on disk may be behind; farewell is how long
// a form that ended elsewhere says so before it closes (CONTRACTS.md 5).
const (
	draftDelay = 150 * time.Millisecond
	farewell   = 5 * time.Second
)

// Run shows the form until the person ends it, somebody else does, or ctx ends.
// An entry that has its answer already is not shown again.
func Run(ctx context.Context, c Config) error {
	ok, err := c.Entry.TakePopup()
	if err != nil {
		return err
	}
	if !ok {
		return ErrShown
	}
	if r, answered, err := c.Entry.Answer(); err != nil || answered {
		return errors.Join(err, alreadyBy(r))
	}
	req, err := c.Entry.Request()
	if err != nil {
		return err
	}
	var draft *machine.Draft
	saved := machine.Draft{}
	notice := ""
	if found, err := c.Entry.Draft(&saved); found {
		draft = &saved
	} else if err != nil {
		notice = fmt.Sprintf("The form starts afresh: %v", errors.Join(err, c.Entry.PutDraftAside()))
	}
	screen, tty, err := newScreen()
	if err != nil {
		return err
	}
	s := newShow(c, req, machine.New(&req.Form, draft, c.DangerCheck), screen)
	s.beforeStop, tty.painted, s.view.notice = tty.Hold, s.painted, notice
	return s.run(ctx)
}

func alreadyBy(r form.Result) error {
	return fmt.Errorf("%w: %s by %s at %s", spool.ErrAnswered, r.Outcome, r.By, r.At.Format(time.DateTime))
}

// newScreen is the terminal that this process runs in.
func newScreen() (tcell.Screen, *batchTty, error) {
	assumeUTF8()
	tty, err := newBatchTty()
	if err != nil {
		return nil, nil, fmt.Errorf("open the terminal: %w", err)
	}
	screen, err := tcell.NewTerminfoScreenFromTty(tty)
	if err != nil {
		return nil, nil, fmt.Errorf("use the terminal (TERM=%s): %w", os.Getenv("TERM"), err)
	}
	return screen, tty, nil
}

// assumeUTF8 makes tcell draw UTF-8 unless the locale names another character
// set. A tmux server or a container started with LANG=C is no less of a UTF-8
// terminal; tcell would draw a ? for every other sign there.
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

// Package popup shows one entry's form on the terminal it runs in and writes the
// answer.
//
// It touches that terminal and the entry. The rule that must hold here:
// whatever ends the popup, what was typed is in the draft first, and only the
// person's own choice writes an answer.
package popup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/settings"
)

// Config tells a popup what it needs to know.
type Config struct {
	// Spool has other questions that wait for the same viewer; nil where
	// no other form may follow.
	Spool *spool.Spool
	// Viewer names the terminal that shows the popup as the host does, ViewerName as a
	// person does. Host names the host, for a question that was asked in none of this
	// machine.
	Viewer, ViewerName, Host string
	// Typed tells when the person last typed something before the popup was opened, or may
	// have at the latest; zero where nobody can tell.
	Typed time.Time
	// Borrowed: the terminal belongs to whoever asks, so the form goes with them.
	Borrowed bool
	// By says in the answer where it was given. From the inbox the form can be
	// left for the list, to be answered later. Empty is form.ByPopup.
	By string
	// Boxed: the form draws a box of its own, since the host has drawn none.
	Boxed       bool
	host.Quirks // of this terminal
	// Pane returns where o asks from, nil where it cannot be looked at. It only says
	// so; nothing is asked of the host until the person wants to look. May be nil.
	Pane func(r spool.Request) host.Pane
	// Resize has the host make the popup as large as size says; nil where it cannot.
	Resize func(ctx context.Context, size host.Size) error
	// Page opens the page of the question id in the person's browser; nil where it cannot.
	Page func(ctx context.Context, id string) (Opened, error)
	// Begins has the settings of the first form; nil where they are read.
	Begins *settings.Form
	// Serves: a desk serves pages already, which o may open then.
	Serves bool
	// Preview runs the program that renders previews (cmd/askpane-preview). Nil, or an
	// error: they are plain text.
	Preview preview.Program
}

// ErrShown means that another popup shows the entry, ErrSeated that another popup
// shows forms on this viewer.
var (
	ErrShown  = errors.New("another popup shows this question; askpane inbox takes it over")
	ErrSeated = errors.New("another popup is open on this terminal")
)

// Run shows the form until the person ends it, somebody else does, or ctx ends,
// and after it the others that wait for the same viewer. An entry that has its
// answer already is not shown again.
func Run(ctx context.Context, entry *spool.Entry, c Config) error {
	req, err := Take(entry)
	if err != nil {
		return err
	}
	var queue *spool.Queue // nil where the person has opened this one form by hand
	notice := ""
	if c.Spool != nil && c.Viewer != "" && !c.Borrowed {
		seat := c.Spool.Queue(cmp.Or(req.Origin.Host, c.Host), c.Viewer)
		leave, ok, err := seat.TakeSeat()
		switch {
		case err != nil: // a full disk, say; the question is shown all the same
			notice = err.Error()
		case !ok:
			return ErrSeated
		default:
			queue = seat
			defer leave()
		}
	}
	screen, err := display.Open()
	if err != nil {
		return err
	}
	s := newSession(c, screen, queue, entry, req)
	s.Notice = cmp.Or(s.Notice, notice)
	return s.run(ctx)
}

// Take takes the entry for this popup, which shows it from now on. The error wraps
// spool.ErrAnswered where it has its answer.
func Take(entry *spool.Entry) (req spool.Request, err error) {
	if req, err = entry.Request(); err != nil { // one of a later format is left alone
		return req, err
	}
	if ok, err := entry.TakePopup(); err != nil {
		return req, err
	} else if !ok {
		return req, ErrShown
	}
	if r, answered, err := entry.Answer(); err != nil {
		return req, err
	} else if answered {
		return req, fmt.Errorf("%w: %s", spool.ErrAnswered, scene.Over(req.Origin.Agent, r, false, entry.Away().Verdict))
	}
	return req, nil
}

// A popup that was left may take so long to close.
const closingLimit = time.Second

// Next calls show with the first question that nobody looks at, the oldest first,
// and last with those whose agent is gone: their answers are kept, but nobody waits
// for them. One that somebody opens, or answers, at the same moment is passed over.
// It returns what show returned; shown is false where there was none to show, and
// elsewhere is how many are open on other terminals. What cannot be read is passed
// over, and warn is called with why.
func Next(sp *spool.Spool, warn func(error), show func(id string) error) (shown bool, elsewhere int, err error) {
	ids, _, unread := sp.Scan()
	for _, gone := range []bool{false, true} {
		for _, id := range ids { // the first that can be shown ends it, however many wait
			entry, err := sp.Open(id)
			if err != nil {
				if !gone && !errors.Is(err, spool.ErrNotFound) {
					warn(err)
				}
				continue
			}
			s := entry.Status()
			if s.Closing { // its person has gone to the pane, to open it again by this
				select {
				case <-entry.PopupGone():
				case <-time.After(closingLimit):
				}
				s = entry.Status()
			}
			entry.Close()
			if s.Over() || s.AgentGone != gone {
				continue
			}
			if !s.Shown {
				err = show(id)
			}
			switch {
			case s.Shown, errors.Is(err, ErrShown), errors.Is(err, ErrSeated):
				elsewhere++
			case errors.Is(err, spool.ErrAnswered), errors.Is(err, spool.ErrNotFound): // somebody was quicker
			case errors.Is(err, spool.ErrNewer):
				warn(err)
			default:
				return true, elsewhere, err
			}
		}
	}
	return false, elsewhere, unread
}

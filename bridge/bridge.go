// Package bridge is the agent side: it takes a request, sees to it that a
// person gets to answer, and returns the tool's result.
//
// It touches the spool and calls what it is given to open popups and raise
// alerts. The rule that must hold here: every question ends in exactly one
// envelope that says how, and an answer on disk is never thrown away.
package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// Question is what one tool call asks.
type Question struct {
	Dialect string // empty: the request's shape decides
	Raw     []byte
	Origin  spool.Origin  // who asks; Start is when, Host and Pane are filled in
	Timeout time.Duration // 0 is none
}

// Envelope is what the caller gets (CONTRACTS.md, "The envelope").
type Envelope struct {
	ID      string          `json:"id"`
	Outcome form.Outcome    `json:"outcome"`
	Text    string          `json:"text"`
	Details json.RawMessage `json:"details"`
	IsError bool            `json:"isError"`
}

// Bridge asks questions with the means it is given.
type Bridge struct {
	Spool *spool.Spool
	// Place finds where popups can be opened; its error is why nowhere.
	Place func(context.Context) (Place, error)
	// Warn tells the person at the agent's side of something that went wrong
	// beside the question. It may be called from several goroutines.
	Warn func(error)
	// Context is what of the settings shows in results, as they are then.
	Context func() dialect.Context
	// HostWait limits how long a question waits for a viewer; 0 is for ever.
	HostWait time.Duration
}

// Place is a host seen from the bridge.
type Place struct {
	Name string
	Pane string // the asking pane, in words
	Ref  string // and for the host
	// Borrowed: popups open on the asker's own terminal and must be gone when
	// the question is over.
	Borrowed bool
	// Open starts the popup of the entry id where the person is now. The error
	// wraps ErrNoViewer where nobody is there, and is a NotNow where a popup
	// would disturb them.
	Open func(ctx context.Context, id string) (Opening, error)
	// Alert draws the person's attention until clear. Neither can fail.
	Alert func(id string, req spool.Request) (clear func())
}

// Opening is a popup on its way; integrations/host has the same words.
type Opening interface {
	Viewer() string
	Shown(ctx context.Context)
	Changed(ctx context.Context)
	Ended() <-chan struct{}
	Err() error
	Abandon()
}

// Unseen is implemented by openings that can be up while nobody is attached.
type Unseen interface {
	// Seen tells, when that changes, why nobody can see the popup, or nil when
	// somebody can.
	Seen() <-chan error
}

// NotNow means that no popup should be opened at this moment: the person is
// typing, or opens forms by hand. The question waits, with its alerts.
type NotNow struct {
	After time.Duration   // when to ask again, at least lookAgain; 0 is not by the clock
	Wake  <-chan struct{} // ask again when it is closed; may be nil
}

func (NotNow) Error() string { return "no popup is opened at this moment" }

// ErrNoViewer means that nobody is there to see a popup.
var ErrNoViewer = errors.New("no viewer")

// Ask asks q and hands the envelope to deliver. Only when deliver has taken it
// does the entry move to the history; until then the answer waits in the spool.
// The error is an internal failure or deliver's.
func (b *Bridge) Ask(ctx context.Context, q Question, deliver func(Envelope) error) error {
	d, f, err := dialect.Decode(q.Dialect, q.Raw)
	if err != nil {
		return deliver(envelope("", form.Rejected, d.Reject(err)))
	}
	place, err := b.Place(ctx)
	if err != nil {
		r := form.Result{Outcome: form.Unavailable, Reason: err.Error()}
		return deliver(envelope("", r.Outcome, d.EncodeIn(b.Context(), &f, r)))
	}
	req := b.request(q, f, place)
	entry, err := b.Spool.Create(req)
	if err != nil {
		return err
	}
	defer entry.Close()
	// Asked after the entry is there, so that of two at once the older one stays.
	if d.OneAtATime && b.Spool.AskedBefore(req, entry.ID) {
		if err := entry.Withdraw(); err != nil {
			b.Warn(err)
		}
		return deliver(envelope("", form.Rejected, d.Reject(dialect.ErrInFlight)))
	}
	r, clear, err := b.wait(ctx, entry, req, place)
	defer clear()
	if err != nil {
		return err
	}
	if err := deliver(envelope(entry.ID, r.Outcome, d.EncodeIn(b.Context(), &f, r))); err != nil {
		if r.Outcome == form.Aborted { // nobody's answer, and nobody to hand it to
			return errors.Join(err, entry.Deliver())
		}
		return fmt.Errorf("the answer to %s could not be handed over and stays in the spool: %w", entry.ID, err)
	}
	// The caller has its result. What fails from here on is no failure of its
	// question; and an entry without an answer on the disk (it was full, say) is
	// left where a popup that is still up can write its own.
	if _, settled, _ := entry.Answer(); !settled {
		return nil
	}
	if err := entry.Deliver(); err != nil {
		b.Warn(err)
	}
	return nil
}

func (b *Bridge) request(q Question, f form.Form, place Place) spool.Request {
	req := spool.Request{Form: f, Raw: q.Raw, Origin: q.Origin}
	req.Origin.Host, req.Origin.Pane, req.Origin.Ref = place.Name, place.Pane, place.Ref
	// The caller's limit and the request's own: whichever comes first.
	limit := q.Timeout
	if t := f.Timeout; t > 0 && (limit == 0 || t < limit) {
		limit = t
	}
	if limit > 0 {
		deadline := q.Origin.Start.Add(limit)
		req.Deadline = &deadline
	}
	return req
}

func envelope(id string, o form.Outcome, r dialect.Reply) Envelope {
	return Envelope{ID: id, Outcome: o, Text: r.Text, Details: r.Details, IsError: r.IsError}
}

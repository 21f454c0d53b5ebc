package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
)

// Collect hands over the answer to the question id, which an earlier call
// asked. With wait it waits for one, as the question's bridge where that is gone; else
// it delivers an envelope with the outcome Pending if there is none yet. The question
// stays open when ctx ends (ErrKept).
//
// The error wraps spool.ErrNotFound, ErrDelivered or ErrAway where there is nothing to
// collect.
func (b *Bridge) Collect(ctx context.Context, id string, wait bool, deliver func(Envelope) error) error {
	return b.collectAs(ctx, id, wait, dialect.AskHuman, deliver) // which takes no turn of its session
}

// Stay waits for the answer to the question id in place of the call that has left
// it (Question.Leave), asked of the given tool, and leaves the answer in the spool.
func (b *Bridge) Stay(ctx context.Context, id, tool string) error {
	return b.collectAs(ctx, id, true, tool, func(Envelope) error { return ErrUncollected })
}

func (b *Bridge) collectAs(ctx context.Context, id string, wait bool, tool string, deliver func(Envelope) error) error {
	for q := (Question{Dialect: tool, Keep: always, Origin: spool.Origin{Start: time.Now()}}); ; {
		entry, err := b.Spool.Find(id)
		if err != nil {
			return err
		}
		over, err := b.collect(ctx, entry, wait, q, deliver)
		entry.Close()
		if over || err != nil {
			return err
		}
	}
}

// collect makes one try for collectAs. It is not over where somebody else had the
// entry and has let go of it.
func (b *Bridge) collect(ctx context.Context, entry *spool.Entry, wait bool, q Question, deliver func(Envelope) error) (over bool, err error) {
	if req, err := entry.Request(); err == nil && req.Origin.Away != nil {
		return true, fmt.Errorf("%w: %s was asked on %s, and is collected there", ErrAway, entry.ID, text.OneLine(req.Origin.Away.Machine, 40))
	}
	if entry.Status().Delivered {
		return true, b.handedOver(entry, deliver)
	}
	_, answered, err := entry.Answer()
	if err != nil {
		return false, err
	}
	if !answered && !wait {
		return true, deliver(Uncollected(entry.ID))
	}
	ours, err := entry.TakeOver()
	if err != nil {
		return false, err
	}
	if ours {
		return true, b.resume(ctx, entry, q, false, deliver)
	}
	select {
	case <-entry.Free():
		return false, nil
	case <-ctx.Done():
		return false, fmt.Errorf("%w: %s", ErrKept, entry.ID)
	}
}

func always() bool { return true }

// handedOver reports how the question ended. One that was dismissed was handed to nobody,
// and whoever has its id is told that it was cancelled.
func (b *Bridge) handedOver(entry *spool.Entry, deliver func(Envelope) error) error {
	r, ok, err := entry.Answer()
	if err != nil || !ok {
		return ErrDelivered
	}
	if r.Dismissed {
		req, d, err := requestOf(entry)
		if err != nil {
			return err
		}
		return deliver(b.envelope(entry.ID, d, &req.Form, r))
	}
	return fmt.Errorf("%w: %s was %s %s at %s", ErrDelivered, entry.ID, r.Outcome.Words(), r.Surface(), r.At.Format(time.RFC3339))
}

// Mirror has the question of another machine asked here, with popups and alerts, until
// its entry has an answer, whoever has written it. The caller holds the entry (spool.Mirror)
// and delivers it. Its own machine has the last word, and alone ends it for its deadline or
// because nobody came. The error wraps ErrKept where ctx has ended.
func (b *Bridge) Mirror(ctx context.Context, e *spool.Entry) (form.Result, error) {
	req, err := e.Request()
	if err != nil {
		return form.Result{}, err
	}
	h, err := b.Find(ctx)
	if err != nil {
		return form.Result{}, err
	}
	req.Deadline = nil
	c := &call{Bridge: b, question: Question{Keep: always}, req: req, entry: e}
	r, finish, err := c.wait(ctx, h)
	finish()
	return r, err
}

// Uncollected returns the envelope for a question that has no answer yet.
func Uncollected(id string) Envelope {
	return Envelope{ID: id, Reply: dialect.Reply{Outcome: Pending, Details: fmt.Appendf(nil, `{"id":%q,"status":%q}`, id, Pending),
		Text: fmt.Sprintf("No answer yet: the question %s waits for the person. `askpane collect --wait %s` waits for the answer.", id, id)}}
}

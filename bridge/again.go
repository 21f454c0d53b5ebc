package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

const (
	// openFor limits since when a form was asked that the same question takes over.
	openFor = 24 * time.Hour
	// handingOver limits the wait for another call that is just being handed the
	// answer, or is about to leave it.
	handingOver = time.Second
)

// earlier finds what an earlier call with the same digest has left, and takes it
// over; of several the one that fits best, and the oldest. Nil if there is none. It
// leaves a form alone that a living bridge waits for. Whatever is wrong here costs the
// recovery and not the question, which is then asked anew.
func (b *Bridge) earlier(digest string, o spool.Origin) (ours *spool.Entry) {
	var fitting [unfit + 1][]*spool.Entry
	for _, id := range b.Spool.Again(digest) {
		entry, err := b.Spool.Open(id)
		if err != nil {
			continue // delivered meanwhile
		}
		how, err := b.fits(entry, digest, o)
		if err != nil {
			b.Warn(err)
		}
		fitting[how] = append(fitting[how], entry)
	}
	for how, entries := range fitting {
		for _, entry := range entries {
			if ours == nil && how != unfit && b.takeOver(entry, digest, o) {
				ours = entry
			} else {
				entry.Close()
			}
		}
	}
	return ours
}

// takeOver takes the entry over. Its answer may have been given since it was read, and
// the call that waited then may be getting it: that takes no longer than a write, and
// what it leaves is ours.
func (b *Bridge) takeOver(entry *spool.Entry, digest string, o spool.Origin) bool {
	ok, err := entry.TakeOver()
	if !ok && err == nil && entry.Status().Answered {
		select {
		case <-entry.Free():
		case <-time.After(handingOver):
		}
		ok, err = entry.TakeOver()
	}
	how := unfit
	if ok && err == nil {
		how, err = b.fits(entry, digest, o)
	}
	if err != nil {
		b.Warn(err)
	}
	return how != unfit
}

// These rank how an entry fits the same question asked again: the best first.
const (
	answeredOurs = iota // there is an answer, to the same session
	answered
	openOurs // it waits for one, with or without a popup
	open
	unfit
)

// fits ranks how the entry fits a call that begins now.
func (b *Bridge) fits(entry *spool.Entry, digest string, o spool.Origin) (int, error) {
	req, err := entry.Request()
	if err != nil || req.Origin.Away != nil {
		return unfit, err
	}
	r, over, err := entry.Answer()
	if err != nil || entry.Status().Delivered {
		return unfit, err
	}
	if spool.Digest(req.Form, req.Origin) != digest { // it only has the text in it
		return unfit, nil
	}
	ours := req.Origin.PID == o.PID
	if req.Origin.Session != "" || o.Session != "" {
		ours = req.Origin.Session == o.Session
	}
	how := answered
	if !over {
		how = open
		if req.Deadline != nil && !o.Start.Before(*req.Deadline) || o.Start.Sub(req.Origin.Start) > openFor {
			return unfit, nil
		}
	} else if fits, err := b.answerFits(req, r, o.Start); !fits {
		return unfit, err
	}
	if ours {
		how--
	}
	return how, nil
}

// answerFits reports whether an answer may go to a call that begins now. A deadline
// that passed answers only the call that set it, and consent to what cannot be
// undone only the call that it was given to.
func (b *Bridge) answerFits(req spool.Request, r form.Result, now time.Time) (bool, error) {
	if r.By == form.ByBridge || !b.Young(r.At, now) || req.Guarded() {
		return false, nil
	}
	if err := req.Form.Check(r); err != nil {
		return false, fmt.Errorf("the answer to %s: %w", req.ID, err)
	}
	return true, nil
}

// Young reports whether an answer of that time may go to another call now.
func (b *Bridge) Young(at, now time.Time) bool {
	s, _ := b.Settings()
	limit := time.Duration(s.RecoverMinutes) * time.Minute
	return limit > 0 && now.Sub(at) < limit
}

// resume goes on with an entry that is ours: it hands over the answer, or waits for it
// as the call that asked did.
func (b *Bridge) resume(ctx context.Context, entry *spool.Entry, q Question, recovered bool, deliver func(Envelope) error) error {
	req, d, err := requestOf(entry)
	if err != nil {
		return err
	}
	c := call{Bridge: b, question: q, deliver: deliver, dialect: d, req: req, entry: entry, recovered: recovered}
	r, answered, err := entry.Answer()
	if err != nil {
		return err
	}
	if answered {
		if err := c.check(r); err != nil {
			return err
		}
		return c.handOver(r, r.At)
	}
	if recovered && req.Form.Subject() != nil {
		c.holds()
	}
	if left := c.announce(); left != nil {
		return left
	}
	h, err := b.Find(ctx)
	if err != nil && ctx.Err() != nil && q.keeps() {
		return fmt.Errorf("%w: %s", ErrKept, entry.ID)
	}
	if err != nil {
		return c.unavailable(ctx, err)
	}
	endTurn, _ := c.takeTurn() // it goes on even where another has been asked meanwhile
	if req.Deadline == nil && q.Timeout > 0 {
		c.req.Deadline = new(q.Origin.Start.Add(q.Timeout))
	}
	return c.answer(ctx, h, endTurn)
}

// requestOf reads what was asked in the entry, and its dialect.
func requestOf(entry *spool.Entry) (spool.Request, *dialect.Dialect, error) {
	req, err := entry.Request()
	if err != nil {
		return req, nil, err
	}
	d, err := dialect.ByName(req.Form.Dialect)
	if err != nil {
		err = fmt.Errorf("question %s: %w", entry.ID, err)
	}
	return req, d, err
}

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

// openFor is how long after it was asked a form that is still open is taken over
// by the same question asked again.
const openFor = 24 * time.Hour

// again finds what an earlier call with the same digest has left: first an
// answer that nobody got, else a form that is still open; of several, one of the
// same session, and the oldest. The entry that it returns is ours to wait for; nil
// if there is none. A form that a living bridge waits for is not touched, and whatever is
// wrong here costs the recovery and not the question, which is then asked anew.
func (b *Bridge) again(digest string, o spool.Origin) *spool.Entry {
	ids, err := b.Spool.Again(digest)
	if err != nil {
		b.Warn(err)
		return nil
	}
	for _, answered := range []bool{true, false} {
		for _, sameSession := range []bool{true, false} {
			for _, id := range ids {
				entry, err := b.Spool.Open(id)
				if err != nil {
					continue // delivered meanwhile
				}
				if ok, err := b.recoverable(entry, answered, sameSession, digest, o); ok {
					return entry
				} else if err != nil {
					b.Warn(err)
				}
				entry.Close()
			}
		}
	}
	return nil
}

// recoverable takes entry over if it is as wanted: answered by a person, or
// waiting for that, with or without a popup; from the same session or from another.
func (b *Bridge) recoverable(entry *spool.Entry, wanted bool, sameSession bool, digest string, o spool.Origin) (bool, error) {
	req, err := entry.Request()
	if err != nil || req.Origin.SameSession(o) != sameSession {
		return false, err
	}
	if fits, err := b.fits(entry, req, wanted, o.Start); !fits || err != nil {
		return false, err
	}
	if d, err := spool.Digest(req.Form, req.Origin); d != digest { // the index is not what it says
		return false, err
	}
	if ok, err := entry.TakeOver(); !ok || err != nil {
		return false, err
	}
	if _, answered, err := entry.Answer(); !answered || err != nil {
		return err == nil, err
	}
	return b.lateAnswer(entry, req, o.Start)
}

// lateAnswer claims an answer that may have been given since we looked, and that
// the bridge that waited then may be handing over.
func (b *Bridge) lateAnswer(entry *spool.Entry, req spool.Request, now time.Time) (bool, error) {
	if fits, err := b.fits(entry, req, true, now); !fits || err != nil {
		return false, err
	}
	ok, err := entry.Claim()
	if !ok && err == nil {
		// It takes no longer than a write, and what that does not take is ours.
		select {
		case <-entry.HandedOver():
		case <-time.After(handingOver):
		}
		ok, err = entry.Claim()
	}
	return ok, err
}

// handingOver is how long a retry waits for another call that is just being
// handed the answer, or is about to leave it.
const handingOver = time.Second

// fits reports whether the entry, answered as is wanted, may go to a call
// that begins now.
func (b *Bridge) fits(entry *spool.Entry, req spool.Request, wanted bool, now time.Time) (bool, error) {
	r, answered, err := entry.Answer()
	if err != nil || answered != wanted || entry.Status().Delivered {
		return false, err
	}
	if !answered {
		expired := req.Deadline != nil && !now.Before(*req.Deadline)
		return !expired && now.Sub(req.Origin.Start) <= openFor, nil
	}
	// A deadline that passed answers only the call that set it, and consent to what
	// cannot be undone only the call that it was given to.
	s, _ := b.Settings.Now()
	limit := time.Duration(s.RecoverMinutes) * time.Minute
	if r.By == form.ByBridge || limit == 0 || now.Sub(r.At) >= limit || req.Form.Guarded() {
		return false, nil
	}
	if err := req.Form.Check(r); err != nil {
		return false, fmt.Errorf("the answer to %s: %w", entry.ID, err)
	}
	return true, nil
}

// takeOver goes on with an entry whose bridge.lock is ours: it hands over the
// answer, or waits for it as the call that asked did.
func (b *Bridge) takeOver(ctx context.Context, entry *spool.Entry, q Question, recovered bool, deliver func(Envelope) error) error {
	req, err := entry.Request()
	if err != nil {
		return err
	}
	d, err := dialect.ByName(req.Form.Dialect)
	if err != nil {
		return fmt.Errorf("question %s: %w", entry.ID, err)
	}
	b.warnSpare(entry) // whoever asked first may have been killed before it could
	left := q.asked(entry.ID)
	r, answered, err := entry.Answer()
	if err == nil && answered {
		if err = req.Form.Check(r); err == nil {
			_, err = entry.Claim()
		}
	}
	if err != nil {
		return err
	}
	if !answered {
		if left != nil {
			return left
		}
		if q.Origin.PID != 0 {
			q.takeTurn(d, entry) // it goes on even where another has been asked meanwhile
		}
		h, err := b.Find(ctx)
		switch {
		case err != nil && ctx.Err() != nil && q.Keep != nil && q.Keep():
			return fmt.Errorf("%w: %s", ErrKept, entry.ID)
		case err != nil:
			return b.nowhere(ctx, d, &req.Form, q.Origin.Agent, err, deliver)
		}
		if req.Deadline == nil && q.Timeout > 0 {
			deadline := q.Origin.Start.Add(q.Timeout)
			req.Deadline = &deadline
		}
		var finish func()
		r, finish, err = b.wait(ctx, entry, req, h, q.Keep)
		defer finish()
		if err != nil {
			return err
		}
	}
	e := b.envelope(entry.ID, d, &req.Form, r)
	e.Recovered = recovered
	e.Annotate(q.Origin.Start)
	return b.handOver(entry, e, deliver)
}

// Collect hands over the answer to the question id, which an earlier call
// asked. With wait it waits for one, and where that question has no bridge any
// more it is the bridge; else it delivers an envelope with the outcome Pending
// if there is none yet. The question stays open when ctx ends (ErrKept).
//
// The error wraps spool.ErrNotFound or ErrDelivered where there is nothing to
// collect.
func (b *Bridge) Collect(ctx context.Context, id string, wait bool, deliver func(Envelope) error) error {
	return b.collectAs(ctx, id, wait, Question{Keep: always, Origin: spool.Origin{Start: time.Now()}}, deliver)
}

// Stay waits for the answer to the question id in place of the call that has left
// it (Question.Leave), asked of the given tool, and leaves the answer in the spool.
func (b *Bridge) Stay(ctx context.Context, id, tool string) error {
	entry, err := b.Spool.Open(id)
	if err != nil {
		return err
	}
	req, err := entry.Request()
	entry.Close()
	if err != nil {
		return err
	}
	q := Question{Dialect: tool, Keep: always, Origin: spool.Origin{Start: time.Now(), PID: req.Origin.PID}}
	return b.collectAs(ctx, id, true, q, func(Envelope) error { return ErrUncollected })
}

func (b *Bridge) collectAs(ctx context.Context, id string, wait bool, q Question, deliver func(Envelope) error) error {
	for {
		entry, err := b.Spool.Open(id)
		if errors.Is(err, spool.ErrNotFound) {
			return b.over(id, err, deliver)
		}
		if err != nil {
			return err
		}
		if entry.Status().Delivered { // and could not be moved to the history
			defer entry.Close()
			return b.handedOver(entry, ErrDelivered, deliver)
		}
		over, err := b.collect(ctx, entry, wait, q, deliver)
		entry.Close()
		if over || err != nil {
			return err
		}
	}
}

// collect is one round of collectAs. It is not over where somebody else had the
// entry and has let go of it.
func (b *Bridge) collect(ctx context.Context, entry *spool.Entry, wait bool, q Question, deliver func(Envelope) error) (over bool, err error) {
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
	var free <-chan struct{}
	switch {
	case !ours && entry.Status().Removed:
		return false, nil
	case !ours:
		free = entry.AgentGone()
	default:
		// Whoever had it until now may be handing over an answer that came since.
		if _, answered, err = entry.Answer(); err != nil {
			return false, err
		}
		if answered {
			if ours, err = entry.Claim(); err != nil {
				return false, err
			}
		}
		if ours {
			return true, b.takeOver(ctx, entry, q, false, deliver)
		}
		if err := entry.StopWaiting(); err != nil {
			return false, err
		}
		free = entry.HandedOver()
	}
	select {
	case <-free:
		return false, nil
	case <-ctx.Done():
		return false, fmt.Errorf("%w: %s", ErrKept, entry.ID)
	}
}

func always() bool { return true }

// over is Collect for a question that is not in the spool.
func (b *Bridge) over(id string, notFound error, deliver func(Envelope) error) error {
	entry, err := b.Spool.Find(id)
	if errors.Is(err, spool.ErrNotFound) {
		return notFound
	}
	if err != nil {
		return err
	}
	defer entry.Close()
	return b.handedOver(entry, notFound, deliver)
}

// handedOver says how the question ended; unknown is for one that does not say. One
// that was dismissed has been handed to nobody, and whoever has its id is told that
// it was cancelled.
func (b *Bridge) handedOver(entry *spool.Entry, unknown error, deliver func(Envelope) error) error {
	r, ok, err := entry.Answer()
	if err != nil || !ok {
		return unknown
	}
	if r.Dismissed {
		req, err := entry.Request()
		if err != nil {
			return err
		}
		d, err := dialect.ByName(req.Form.Dialect)
		if err != nil {
			return fmt.Errorf("question %s: %w", entry.ID, err)
		}
		return deliver(b.envelope(entry.ID, d, &req.Form, r))
	}
	return fmt.Errorf("%w: %s was %s by %s at %s", ErrDelivered, entry.ID, r.Outcome, r.By, r.At.Format(time.RFC3339))
}

// Uncollected is the envelope for a question that has no answer yet.
func Uncollected(id string) Envelope {
	details, err := json.Marshal(map[string]string{"status": string(Pending), "id": id})
	if err != nil {
		panic(err) // two strings
	}
	return Envelope{ID: id, Outcome: Pending, Details: details,
		Text: fmt.Sprintf("No answer yet: the question %s waits for the person. `askpane collect --wait %s` waits for the answer.", id, id)}
}

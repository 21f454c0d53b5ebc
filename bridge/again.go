package bridge

import (
	"context"
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
	if err != nil || sameSessionOf(req.Origin, o) != sameSession {
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

// sameSessionOf reports whether both come from one session of an agent's.
func sameSessionOf(a, b spool.Origin) bool {
	if a.Session != "" || b.Session != "" {
		return a.Session == b.Session
	}
	return a.PID == b.PID
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
	req, d, err := asked(entry)
	if err != nil {
		return err
	}
	b.warnSpare(entry) // whoever asked first may have been killed before it could
	hand := func(r form.Result) error {
		e := b.envelope(entry.ID, d, &req.Form, r)
		e.Recovered = recovered
		e.Annotate(q.Origin.Start)
		return b.handOver(entry, e, deliver)
	}
	r, answered, err := entry.Answer()
	if err != nil {
		return err
	}
	if !answered {
		return b.waitOn(ctx, entry, req, d, q, hand, deliver)
	}
	if err := req.Form.Check(r); err != nil {
		return err
	}
	if _, err := entry.Claim(); err != nil {
		return err
	}
	return hand(r)
}

// waitOn waits for the answer of an entry that has none yet, and hands it over.
// deliver gets an envelope that is no answer.
func (b *Bridge) waitOn(ctx context.Context, entry *spool.Entry, req spool.Request, d *dialect.Dialect, q Question, hand func(form.Result) error, deliver func(Envelope) error) error {
	if left := q.asked(entry.ID); left != nil {
		return left
	}
	h, err := b.Find(ctx)
	if err != nil && ctx.Err() != nil && q.keeps() {
		return fmt.Errorf("%w: %s", ErrKept, entry.ID)
	}
	if err != nil {
		return b.nowhere(ctx, d, &req.Form, q.Origin.Agent, err, deliver)
	}
	endTurn := func() {}
	if q.Origin.PID != 0 {
		endTurn, _ = b.takeTurn(d, q) // it goes on even where another has been asked meanwhile
	}
	if req.Deadline == nil && q.Timeout > 0 {
		deadline := q.Origin.Start.Add(q.Timeout)
		req.Deadline = &deadline
	}
	r, finish, err := b.wait(ctx, entry, req, h, q)
	endTurn() // whoever gets the result may ask again at once
	defer finish()
	if err != nil {
		return err
	}
	return hand(r)
}

// asked is what was asked in the entry, and the dialect of that.
func asked(entry *spool.Entry) (spool.Request, *dialect.Dialect, error) {
	req, err := entry.Request()
	if err != nil {
		return req, nil, err
	}
	d, err := dialect.ByName(req.Form.Dialect)
	if err != nil {
		return req, nil, fmt.Errorf("question %s: %w", entry.ID, err)
	}
	return req, d, nil
}

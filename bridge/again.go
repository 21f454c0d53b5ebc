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

package chat

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/desk/question"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/settings"
)

// asked is one question that is followed, and, once it is posted, its message. What is
// not guarded belongs to its own goroutine.
type asked struct {
	*service
	*question.Session
	// Guarded by service.mu, but for this goroutine's reading.
	turn   turn
	rules  Rules
	unseen time.Time // since when nobody is there who could see its form; zero where somebody is
	alone  bool      // its agent is gone
	held   bool      // the next try waits for so long

	controls map[string]control // of the message as it is now, by id
	entries  map[string]control // those that somebody was given, by id of the button
	// Who is faster than the message still means what it shows, where they alone have led on
	// from there: hand is who has changed last what a button sends, led to what, and trail is
	// all that they have seen on the way.
	hand, led string
	trail     []string

	message
	shown   *Message // as it is there; nil where that is not known
	sending bool
	plain   bool          // the service refused it, and it is only announced
	left    bool          // to the other surfaces
	pause   time.Duration // before the next try
	again   *time.Timer   // it is looked at once more
}

// turn is how far a question is on its way into the chat.
type turn int

const (
	waits   turn = iota
	posting      // it is its turn
	shows
	gone // it takes no room there any more
)

// begin begins to follow a question. s.mu is held.
func (s *service) begin(id string) (*asked, error) {
	e, err := s.Spool.Find(id)
	if err != nil {
		return nil, err
	}
	req, err := e.Request()
	if gone := e.Status().AgentGone; err == nil && gone && s.kept[id].Ref == "" { // until it is asked again
		err = spool.ErrNotFound
	} else if err == nil && s.full(gone) {
		err = errFull
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	name := s.Channel.Name()
	a := &asked{service: s, Session: question.Open(s.ctx, e, req, question.Surface{By: name, Name: name}), message: s.kept[id], entries: map[string]control{}, again: time.NewTimer(0)}
	for over := true; over; { // what somebody else has open is not open here
		before := a.M.Mode()
		a.M.Handle(machine.Event{Action: machine.Back})
		over = a.M.Mode() != before
	}
	if a.look(s.Rules(req.Origin, a.Now)); a.Ref != "" {
		a.turn = shows
		a.draw() // what was pressed while no desk was up may come at once
	}
	return a, nil
}

// run is the loop of a question.
func (a *asked) run() {
	defer a.Entry.Close()
	defer a.Close()
	defer func() {
		a.move(gone)
		a.mu.Lock()
		full := a.full(a.alone)
		delete(a.asked, a.Entry.ID)
		a.mu.Unlock()
		if full || a.First == nil { // there may be others, or it was asked again
			a.scan()
		}
	}()
	defer a.again.Stop()
	paid := func() {}
	defer func() { paid() }()
	for owes := false; !a.done(); {
		if a.First != nil && !owes {
			owes, paid = true, sync.OnceFunc(func() { a.Owing.Add(-1) })
			a.Owing.Add(1)
			defer time.AfterFunc(owed, paid).Stop()
		}
		select {
		case <-a.ctx.Done():
			return
		case do := <-a.Happens:
			do()
		case <-a.again.C:
		}
		a.follow()
	}
	a.keep(a.Entry.ID, message{})
}

// move takes its turn further.
func (a *asked) move(to turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turn != to {
		a.turn = to
		a.grant()
	}
}

// done reports whether nothing more is to be shown of it: it is over, and of one that
// mirrors another machine's, that has taken the answer; or nobody waits for it, and it is
// not posted.
func (a *asked) done() bool {
	if a.Asker.AgentGone && a.Ref == "" && !a.sending {
		return true
	}
	over := a.First != nil && (a.Req.Origin.Away == nil || a.Asker.Delivered || a.Asker.Removed)
	return over && !a.sending && (a.Ref == "" || a.left || a.shown != nil && a.shown.State != Waiting && reflect.DeepEqual(*a.shown, a.draw()))
}

// follow brings the message to what is so now, or posts it.
func (a *asked) follow() {
	if a.First == nil && a.Asker.Removed {
		a.First = &form.Result{Outcome: form.Aborted, At: time.Now()}
	}
	now := a.stands()
	switch {
	case a.left, a.First != nil && a.Ref == "" && !a.sending:
		a.move(gone)
	case now != waits:
		a.send()
		switch over := a.First != nil && a.shown != nil && a.shown.State != Waiting; {
		case over || a.Asker.AgentGone && a.Ref != "": // nobody waits for it
			a.move(gone)
		case now == gone:
			a.move(shows)
		}
	}
}

// stands is how far it is on its way now.
func (a *asked) stands() turn {
	rules := a.Rules(a.Req.Origin, a.Now)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.look(rules)
	if a.turn == posting && !a.sending && !a.wanted() { // it is not to be posted any more
		a.turn = waits
	}
	a.grant()
	return a.turn
}

// look is what grant has to know of the question. a.mu is held.
func (a *asked) look(rules Rules) {
	a.rules, a.alone = rules, a.Asker.AgentGone
	switch {
	case !a.Asker.Unattended:
		a.unseen = time.Time{}
	case a.unseen.IsZero():
		a.unseen = time.Now()
	}
}

// wanted reports whether it is time to post the question; if that comes with the time
// alone, it is looked at again then. a.mu is held.
func (a *asked) wanted() bool {
	switch {
	case a.alone || a.held || a.rules.When == settings.ChatNever:
		return false
	case a.rules.When == settings.ChatAlways:
		return true
	}
	wait := time.Until(a.Req.Origin.Start.Add(a.rules.After))
	if !a.unseen.IsZero() {
		wait = min(wait, time.Until(a.unseen.Add(moment)))
	}
	if wait > 0 {
		a.again.Reset(wait)
	}
	return wait <= 0
}

const (
	// Between two tries to reach the service.
	firstPause = time.Second
	mostPause  = time.Minute
	// ending is how long a desk that ends waits for the service.
	ending = 3 * time.Second
)

// send posts the message, or edits it to what it is now, one at a time.
func (a *asked) send() {
	m := a.draw()
	if a.sending || a.held || a.shown != nil && reflect.DeepEqual(m, *a.shown) {
		return
	}
	a.sending = true
	ref := a.Ref
	a.rest.Go(func() {
		// A desk that ends waits for it: nobody knows a message that was posted meanwhile.
		ctx, cancel := context.WithCancel(context.WithoutCancel(a.ctx))
		defer cancel()
		defer context.AfterFunc(a.ctx, func() { time.AfterFunc(ending, cancel) })()
		var err error
		if ref == "" {
			ref, err = a.Channel.Post(ctx, m)
		} else {
			err = a.Channel.Edit(ctx, ref, m)
		}
		if err == nil {
			a.keep(a.Entry.ID, message{Ref: ref, Again: a.Again})
		}
		a.Post(func() { a.sent(ref, m, err) })
	})
}

func (a *asked) hold(yes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = yes
}

// sent is what has come of it.
func (a *asked) sent(ref string, m Message, err error) {
	a.sending = false
	if err == nil {
		if a.shown = &m; a.Ref == "" && a.pause > 0 { // it may be that of an earlier try
			a.shown = nil
		}
		a.Ref, a.pause = ref, 0
		a.move(shows)
		return
	}
	a.shown = nil
	switch over := a.First != nil; {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, ErrGone) && !over && !a.Again: // by hand, perhaps by mistake
		a.message = message{Again: true}
	case errors.Is(err, ErrUnfit) && !a.plain:
		a.plain = true
	case errors.Is(err, ErrGone), errors.Is(err, ErrUnfit):
		a.left = true
	default:
		a.hold(true) // others may have more luck
		a.pause = min(max(firstPause, 2*a.pause), mostPause)
		time.AfterFunc(a.pause, func() { a.Post(func() { a.hold(false) }) })
	}
	if !errors.Is(err, ErrGone) && a.ctx.Err() == nil {
		a.warn(trouble(err), fmt.Errorf("%s: the message of question %s: %w", a.Channel.Name(), a.Entry.ID, err))
	}
}

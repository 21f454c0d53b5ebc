package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// asking carries on one question, whoever waits for it: a call, no call after its
// receipt, and then the next.
type asking struct {
	*server               // whose mu guards what follows
	digest  string        // of the question; empty where it was found by its id
	cancel  func()        // lets go of the question
	ended   chan struct{} // closed when that is done

	id   string
	call *call // who waits for it; nil is nobody
	over bool  // nobody can wait for it any more
}

// handover tells how an asking ended. Its receiver reports once what became of it: nil
// where the result is with the client.
type handover struct {
	bridge.Envelope
	err     error
	digest  string // of the question
	written chan error
}

func (h handover) done(err error) {
	if h.written != nil {
		h.written <- err
	}
}

// beat passes a heartbeat on to the call that waits, if one does.
func (a *asking) beat(ctx context.Context, waited time.Duration) error {
	a.mu.Lock()
	c := a.call
	a.mu.Unlock()
	switch {
	case c == nil:
		return nil
	case !c.wantsProgress():
		return errors.New("the client has not said that it wants to hear of progress")
	}
	c.sendProgress(ctx, "the question still waits for an answer, for "+text.Elapsed(waited)+" now")
	return nil
}

// start asks in a goroutine of the server's, with c waiting.
func (a *asking) start(c *call, ask func(context.Context) error) {
	ctx, cancel := context.WithCancel(a.ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel, a.ended, a.call = cancel, make(chan struct{}), c
	a.askings[a] = true
	a.work.Go(func() {
		defer cancel()
		err := ask(ctx)
		close(a.ended)
		if !a.finish(handover{err: err}) && err != nil && ctx.Err() == nil {
			a.Warn(err)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.askings, a)
	})
}

func (a *asking) named(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.id = id
}

// finish hands over to the call that waits, if there is one. No other can wait then.
func (a *asking) finish(h handover) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.call
	a.call, a.over = nil, true
	if c == nil {
		return false
	}
	c.got <- h
	return true
}

// deliver hands the envelope to the call that waits, and returns when the
// client has it. Without such a call the answer stays in the spool.
func (a *asking) deliver(e bridge.Envelope) error {
	h := handover{Envelope: e, digest: a.digest, written: make(chan error, 1)}
	given := a.finish(h)
	if e.ID == "" || e.Outcome == form.Aborted { // there is nothing to collect
		return nil
	}
	if !given || <-h.written != nil {
		return bridge.ErrUncollected // the client is gone or has cancelled: that is what the spool is for
	}
	return nil
}

// join makes c the call of an asking that is wanted and goes on without a call.
// With steal it takes the place of another, which gets a receipt.
func (s *server) join(ctx context.Context, c *call, steal bool, wanted func(*asking) bool) *asking {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.askings {
		switch {
		case !wanted(a):
		case a.over: // whoever takes the question over waits until it has been let go of
			s.mu.Unlock()
			select {
			case <-a.ended:
			case <-ctx.Done():
			}
			s.mu.Lock()
		case a.call == nil || steal && a.id != "":
			if a.call != nil {
				a.call.got <- handover{Envelope: receipt(a.id)}
			}
			a.call = c
			return a
		}
	}
	return nil
}

// leave ends the waiting of c with a receipt for id, which is empty where it is too
// soon for a receipt, or too late, since c is given something else.
func (a *asking) leave(c *call) (id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.call == c && a.id != "" {
		a.call, id = nil, a.id
	}
	return id
}

// abandon ends the asking because c, which waits for it, has gone, unless c was given
// something.
func (a *asking) abandon(c *call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.call == c {
		a.call, a.over = nil, true
		a.cancel()
	}
}

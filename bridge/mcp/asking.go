package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
)

// asking is one question that goes on, whoever waits for it: a call, no call
// after its receipt, and then the next.
type asking struct {
	cancel context.CancelFunc
	asked  chan struct{} // closed when id is known
	ended  chan struct{} // closed when it has let go of its question

	mu     *sync.Mutex // the server's
	digest string      // of the question; empty where it was found by its id
	id     string
	call   *waiter // who waits for it; nil is nobody
	over   bool    // nobody can wait for it any more
	// abandoned: its call has gone, and it is about to leave the question.
	abandoned bool
}

// waiter is a call that waits for an asking.
type waiter struct {
	got   chan handover // has at most one
	taken bool          // it has been sent one, or is about to be
	moved chan struct{} // closed when a later call waits in its place
	// beat has at most one: the question has waited so long and still does. It
	// is nil where the client has not said how to tell it.
	beat chan time.Duration
}

// newWaiter is a waiter for the call of req.
func newWaiter(req *sdk.CallToolRequest) *waiter {
	w := &waiter{got: make(chan handover, 1), moved: make(chan struct{})}
	if req.Params.GetProgressToken() != nil {
		w.beat = make(chan time.Duration, 1)
	}
	return w
}

// handover is how an asking ended. Who receives it with an entry's id calls
// done once: with nil when the result is with the client.
type handover struct {
	bridge.Envelope
	err  error
	done func(error)
}

func (s *server) newAsking() *asking {
	return &asking{asked: make(chan struct{}), ended: make(chan struct{}), mu: &s.mu}
}

var errNoProgress = errors.New("the client has not said that it wants to hear of progress")

// beat passes a heartbeat on to the call that waits. After a receipt none does,
// and there is nobody to tell.
func (a *asking) beat(_ context.Context, waited time.Duration) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.call == nil {
		return nil
	}
	if a.call.beat == nil {
		return errNoProgress
	}
	select {
	case a.call.beat <- waited:
	default: // the one before is still on its way
	}
	return nil
}

// begin starts to ask in a goroutine of the server's, with w waiting.
func (s *server) begin(a *asking, digest string, w *waiter, ask func(ctx context.Context, asked func(string), deliver func(bridge.Envelope) error) error) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	a.digest, a.cancel, a.call = digest, cancel, w
	s.askings[a] = true
	s.work.Go(func() {
		defer cancel()
		err := ask(ctx, a.named, a.deliver)
		close(a.ended)
		if w := a.take(); w != nil { // it ended without an envelope
			w.got <- handover{err: err, done: func(error) {}}
		} else if err != nil && ctx.Err() == nil {
			s.Warn(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.askings, a)
	})
}

func (a *asking) named(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id == "" {
		a.id = id
		close(a.asked)
	}
}

// name is the id, empty as long as there is none.
func (a *asking) name() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id
}

// take marks the call that waits as the one that gets what comes.
func (a *asking) take() *waiter {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.call
	a.call, a.over = nil, true
	if w != nil {
		w.taken = true
	}
	return w
}

// deliver hands the envelope to the call that waits, and returns when the
// client has it. Without such a call the answer stays in the spool.
func (a *asking) deliver(e bridge.Envelope) error {
	w := a.take()
	collectable := e.ID != "" && e.Outcome != form.Aborted
	if w == nil && collectable {
		return bridge.ErrUncollected
	}
	if w == nil {
		return nil
	}
	written := make(chan error, 1)
	w.got <- handover{Envelope: e, done: func(err error) {
		select {
		case written <- err:
		default: // only what it was told first counts
		}
	}}
	if collectable && <-written != nil {
		return bridge.ErrUncollected // the client is gone or has cancelled: that is what the spool is for
	}
	return nil
}

// resume finds an asking that goes on without a call and makes w its call. With
// steal it takes the place of another. wanted is called with the server locked.
func (s *server) resume(w *waiter, steal bool, wanted func(*asking) bool) *asking {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.askings {
		if !wanted(a) || a.over || a.call != nil && !steal {
			continue
		}
		if a.call != nil {
			close(a.call.moved)
		}
		a.call = w
		return a
	}
	return nil
}

// leave ends the waiting of w. taken: it is too late for that, and what comes
// through w.got is for it to deal with.
func (a *asking) leave(w *waiter) (taken bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.call == w {
		a.call = nil
	}
	return w.taken
}

// abandon ends the asking because its call has gone, unless it is too late
// for that.
func (a *asking) abandon(w *waiter) (taken bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.call == w {
		a.call, a.over, a.abandoned = nil, true, true
		a.cancel()
	}
	return w.taken
}

// letGo waits until a call that was cancelled an instant ago has let go of the
// question with that digest, which another is about to take over.
func (s *server) letGo(ctx context.Context, digest string) {
	s.mu.Lock()
	var leaving []*asking
	for a := range s.askings {
		if a.abandoned && a.digest == digest {
			leaving = append(leaving, a)
		}
	}
	s.mu.Unlock()
	for _, a := range leaving {
		select {
		case <-a.ended:
		case <-ctx.Done():
		}
	}
}

package bridge

import (
	"context"
	"errors"
	"testing"

	"github.com/askpane/askpane/bridge/spool"
)

// A question that its call has left keeps the turn of its session as long as somebody stays with
// it; whoever collects it takes none.
func TestStayTakesTheTurn(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	s := newStage(t, func(_ int, p *popup, _ *spool.Entry) { p.wait("the end", end) })
	q := question(0)
	q.Dialect, q.Leave = "ask_user", true
	q.Raw = []byte(`{"questions": [{"id": "a", "type": "text", "header": "H", "prompt": "P?"}]}`)
	var id string
	q.Asked = func(asked string) { id = asked }
	if err := s.undelivered(t.Context(), q); !errors.Is(err, ErrKept) {
		t.Fatalf("Ask: %v", err)
	}
	for _, c := range []struct {
		name  string
		wait  func(context.Context) error
		taken bool
	}{
		{"stay", func(ctx context.Context) error { return s.bridge.Stay(ctx, id, "ask_user") }, true},
		{"stay with ask_human", func(ctx context.Context) error { return s.bridge.Stay(ctx, id, "ask_human") }, false},
		{"collect", func(ctx context.Context) error {
			return s.bridge.Collect(ctx, id, true, func(Envelope) error { return nil })
		}, false},
	} {
		before := s.raises()
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- c.wait(ctx) }()
		s.await(c.name+": its alerts are raised", func() bool { return s.raises() > before })
		endTurn, taken := s.spool.TakeTurn(q.Origin.PID)
		if endTurn(); (taken != nil) != c.taken {
			t.Errorf("%s: the turn is taken: %t", c.name, !c.taken)
		}
		cancel()
		if err := <-over; !errors.Is(err, ErrKept) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	close(end)
}

// raises counts how often alerts were raised.
func (s *stage) raises() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raised
}

package adapter

import (
	"context"
	"sync/atomic"
	"time"
)

// fresh is how long what was fetched is believed: a request may come slowly, and its
// person may have gone to another viewer meanwhile.
const fresh = 300 * time.Millisecond

// Prefetched is what finding a host has learned of its viewers, for the first popup:
// asking again takes up to 20 ms of the time until a form is up.
type Prefetched[T any] struct{ kept atomic.Pointer[fetched[T]] }

type fetched[T any] struct {
	what T
	when time.Time
}

// Put keeps what was fetched just now.
func (p *Prefetched[T]) Put(what T) { p.kept.Store(&fetched[T]{what, time.Now()}) }

// Get is what was kept, once and as long as it is fresh; otherwise what fetch gets.
func (p *Prefetched[T]) Get(ctx context.Context, fetch func(context.Context) (T, error)) (T, error) {
	if kept := p.kept.Swap(nil); kept != nil && time.Since(kept.when) < fresh {
		return kept.what, nil
	}
	return fetch(ctx)
}

package adapter

import (
	"context"
	"sync"
	"time"
)

// fresh is how long what was fetched is believed: a request may come slowly, and its
// person may have gone to another viewer meanwhile.
const fresh = 300 * time.Millisecond

// Prefetched is what finding a host has learned of its viewers, for the first popup:
// asking again takes up to 20 ms of the time until a form is up.
type Prefetched[T any] struct {
	mu   sync.Mutex
	got  *T
	when time.Time
}

// Put keeps what was fetched just now.
func (p *Prefetched[T]) Put(got T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got, p.when = &got, time.Now()
}

// Get is what was kept, once and as long as it is fresh; otherwise what fetch gets.
func (p *Prefetched[T]) Get(ctx context.Context, fetch func(context.Context) (T, error)) (T, error) {
	p.mu.Lock()
	got, when := p.got, p.when
	p.got = nil
	p.mu.Unlock()
	if got != nil && time.Since(when) < fresh {
		return *got, nil
	}
	return fetch(ctx)
}

package host

import (
	"context"
	"sync"
	"time"
)

// fresh is how long a glance is believed: a request may come slowly, and its
// person may have gone to another viewer meanwhile.
const fresh = 300 * time.Millisecond

// Glance keeps what Find saw of the viewers for the first popup: asking a host
// takes up to 20 ms, which would be paid twice.
type Glance[T any] struct {
	mu   sync.Mutex
	saw  *T
	when time.Time
}

// Keep keeps what was seen just now.
func (g *Glance[T]) Keep(saw T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.saw, g.when = &saw, time.Now()
}

// Or is what was kept, once and as long as it is new; otherwise what look sees.
func (g *Glance[T]) Or(ctx context.Context, look func(context.Context) (T, error)) (T, error) {
	g.mu.Lock()
	saw, when := g.saw, g.when
	g.saw = nil
	g.mu.Unlock()
	if saw != nil && time.Since(when) < fresh {
		return *saw, nil
	}
	return look(ctx)
}

package adapter

import (
	"context"
	"sync"
	"time"
)

const (
	// answerLimit is how long hosts may take to say that they are there, all of
	// them together. What they run is killed after that (Command): the whole is
	// below two seconds.
	answerLimit = 1400 * time.Millisecond
	// hedgeAfter is how long those in front have for themselves: with fewer
	// processes at once the first form is up sooner.
	hedgeAfter = 300 * time.Millisecond
)

// Hedged makes of finds, which are in order of preference, functions that each
// run once and return what was found. Who calls them one after the other does
// not run the later ones where an earlier one will do; but where that takes
// long, all are run at once, so that none that hangs takes another's time.
// stop ends those that still run.
func Hedged[T any](ctx context.Context, finds ...func(context.Context) (T, error)) (once []func() (T, error), stop func()) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	for _, find := range finds {
		once = append(once, sync.OnceValues(func() (T, error) { return find(ctx) }))
	}
	hedge := time.AfterFunc(hedgeAfter, func() {
		for _, find := range once {
			go find()
		}
	})
	return once, func() {
		hedge.Stop()
		cancel()
	}
}

package host

import (
	"context"
	"sync"
	"time"
)

const (
	// answerLimit is how long hosts may take to say that they are there, all of
	// them together. What they run is killed after that (Program): the whole is
	// below two seconds.
	answerLimit = 1400 * time.Millisecond
	// unhurried is how long those in front have for themselves: with fewer
	// processes at once the first form is up sooner.
	unhurried = 300 * time.Millisecond
)

// Beside makes of looks, which are in order of preference, functions that each
// look once and return what was found. Who calls them one after the other does
// not run the later ones where an earlier one will do; but where that takes
// long, all are run at once, so that none that hangs takes another's time.
// stop ends those that still look.
func Beside[T any](ctx context.Context, looks ...func(context.Context) (T, error)) (once []func() (T, error), stop func()) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	for _, look := range looks {
		once = append(once, sync.OnceValues(func() (T, error) { return look(ctx) }))
	}
	late := time.AfterFunc(unhurried, func() {
		for _, look := range once {
			go look()
		}
	})
	return once, func() {
		late.Stop()
		cancel()
	}
}

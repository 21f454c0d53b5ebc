package adapter

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestPrefetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Prefetched[string]
		sees := func(want string) {
			t.Helper()
			saw, err := p.Get(t.Context(), func(context.Context) (string, error) { return "now", nil })
			if err != nil || saw != want {
				t.Errorf("it is %q, %v; want %q", saw, err, want)
			}
		}
		sees("now")
		p.Put("before")
		sees("before")
		sees("now") // once
		p.Put("before")
		time.Sleep(fresh) // of the bubble's clock
		sees("now")
	})
}

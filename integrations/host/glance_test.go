package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestGlance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Glance[string]
		sees := func(want string) {
			t.Helper()
			saw, err := g.Or(t.Context(), func(context.Context) (string, error) { return "now", nil })
			if err != nil || saw != want {
				t.Errorf("it is %q, %v; want %q", saw, err, want)
			}
		}
		sees("now")
		g.Keep("before")
		sees("before")
		sees("now") // once
		g.Keep("before")
		time.Sleep(fresh) // of the bubble's clock
		sees("now")
	})
}

package link

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

// Of the machines that have the token of one chat, one has the chat: where a person sits,
// and of those the one with the lowest name. When that is away, the next one has it.
func TestOneMachineHasTheChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var mu sync.Mutex
	has, desks := map[string]bool{}, map[string]*desk{}
	off := "" // where the chat is not set up any more
	for _, c := range []struct {
		name, token string
		person      bool
	}{{"anvil", "other", true}, {"build", "same", false}, {"laptop", "same", true}, {"desktop", "same", true}, {"tower", "same", true}, {"zero", "", true}} {
		d := w.machine(c.name, c.person)
		d.with(func(config *Config) {
			config.Chat = func() string {
				mu.Lock()
				defer mu.Unlock()
				if c.name == off {
					return ""
				}
				return c.token
			}
			config.Yield = func(yield bool) {
				mu.Lock()
				defer mu.Unlock()
				has[c.name] = !yield
			}
		})
		desks[c.name] = d
	}
	of := func(names ...string) {
		t.Helper()
		w.until("the chat has "+strings.Join(names, " and "), func() bool {
			mu.Lock()
			defer mu.Unlock()
			for name := range desks {
				if has[name] != slices.Contains(names, name) {
					return false
				}
			}
			return true
		})
	}
	of("anvil", "desktop", "zero") // zero has none, and nothing to yield
	desks["desktop"].stop()
	mu.Lock()
	has["desktop"] = false
	mu.Unlock()
	of("anvil", "laptop", "zero")
	desks["desktop"].start()
	of("anvil", "desktop", "zero")
	turn := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		off = name
	}
	turn("desktop")
	of("anvil", "desktop", "laptop", "zero") // as zero
	turn("")
	of("anvil", "desktop", "zero")
	w.hubDies()
	w.until("desktop knows", func() bool { return !desks["desktop"].status().Connected })
	of("anvil", "desktop", "zero")
	build := desks["build"] // which begins without a hub has it
	build.stop()
	build.start()
	of("anvil", "build", "desktop", "zero")
}

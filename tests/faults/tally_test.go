package faults

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// tally is what happened in all schedules, so that one sees that it did.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	draft  time.Duration // the longest that a draft was behind
	lack   map[string]bool
}

func (t *tally) add(w *script) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts, t.lack = map[string]int{}, map[string]bool{}
	}
	for what, n := range w.counts {
		t.counts[what] += n
	}
	for _, what := range w.lacks {
		t.lack[what] = true
	}
	t.draft = max(t.draft, w.draft)
}

func (t *tally) lacks() []string { return slices.Sorted(maps.Keys(t.lack)) }

func (t *tally) String() string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		all = append(all, fmt.Sprintf("%s %d", what, t.counts[what]))
	}
	return fmt.Sprintf("  %s\n  the draft was behind by %v at most", strings.Join(all, ", "), t.draft.Round(time.Millisecond))
}

package bridge

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// The clock jumps to and fro by days while calls die and come back: whatever it
// says, each answer is handed over once, to a retry or to collect. A question's
// own clock is handed in as its Origin.Start; the seed makes the schedule.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	const seed, steps = 1, 200
	dice := rand.New(rand.NewPCG(seed, 0))
	s := newStage(t, answers)
	clock := time.Now()
	delivered := map[string]int{}
	waiting := map[string]time.Time{} // what a call that died has left, and when it was asked
	answered := map[string]bool{}
	for n := range steps {
		switch dice.IntN(5) {
		case 0: // a call dies, before or after the person has answered
			e := s.orphan(func(r *spool.Request) { r.Origin.Start = clock })
			waiting[e.ID] = clock
			if dice.IntN(2) == 0 {
				r := chosen
				r.By, r.At = form.ByPopup, clock
				must(t, e.Settle(r))
				answered[e.ID] = true
			}
		case 1:
			clock = clock.Add(time.Duration(dice.Int64N(int64(6*24*time.Hour))) - 3*24*time.Hour)
		case 2, 3: // the agent asks again
			q := question(0)
			q.Origin.Start = clock
			e := s.ask(t.Context(), q)
			s.is(e, form.Answered, e.Text, false)
			delivered[e.ID]++
			asked, known := waiting[e.ID]
			if e.Recovered != known {
				t.Errorf("step %d: recovered %v, but it was left: %v", n, e.Recovered, known)
			}
			if known && clock.Sub(asked) > 24*time.Hour {
				t.Errorf("step %d: recovered after %v", n, clock.Sub(asked))
			}
			delete(waiting, e.ID)
		case 4:
			for _, id := range slices.Sorted(maps.Keys(waiting)) { // oldest first
				if answered[id] {
					e, err := s.collect(id, false)
					if err != nil || e.ID != id {
						t.Errorf("step %d: collect: %+v, %v", n, e, err)
					}
					delivered[id]++
					delete(waiting, id)
					break
				}
			}
		}
	}
	for id := range waiting {
		if !answered[id] {
			continue
		}
		if _, err := s.collect(id, false); err != nil {
			t.Errorf("lost: %s: %v", id, err)
		}
		delivered[id]++
	}
	for id, times := range delivered {
		if times != 1 {
			t.Errorf("%s was delivered %d times", id, times)
		}
		if _, err := s.collect(id, false); !errors.Is(err, ErrDelivered) {
			t.Errorf("collected again: %s: %v", id, err)
		}
	}
	if len(delivered) < steps/5 {
		t.Errorf("only %d answers", len(delivered))
	}
}

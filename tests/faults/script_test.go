package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// script is a schedule as it is written: its dice, what was done, and what was wrong.
type script struct {
	number uint64
	rng    *rand.Rand
	began  time.Time
	told   []string // the steps
	said   string   // what the calls said, when the world is gone
	wrong  []string
	counts map[string]int
	lacks  []string
	draft  time.Duration

	started []*proc
	screens []*screen
}

// schedule is one that can be played.
type schedule interface{ play() }

// step is something that may happen in a schedule. It is passed over where do
// says that it makes no sense now.
type step[W any] struct {
	name   string
	weight int
	do     func(W) bool
}

func newScript(number uint64) *script {
	return &script{number: number, rng: rand.New(rand.NewPCG(number, 1)), began: time.Now(), counts: map[string]int{}}
}

// in are schedules on one machine.
func in(steps []step[*world], stage func(*world) error) func(*script) schedule {
	return func(s *script) schedule { return &world{script: s, steps: steps, stage: stage} }
}

func (w *script) tell(format string, args ...any) {
	w.told = append(w.told, fmt.Sprintf("%6.3f  ", time.Since(w.began).Seconds())+fmt.Sprintf(format, args...))
}

// fail takes note of a promise that was broken.
func (w *script) fail(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
	w.tell("WRONG: "+format, args...)
}

func (w *script) chance(percent int) bool { return w.rng.IntN(100) < percent }

// oneOf is one of all, by the schedule's own dice.
func oneOf[T any](w *script, all ...T) T { return all[w.rng.IntN(len(all))] }

// some is a random one of all that fit; the zero value where none does.
func some[T any](w *script, all []T, fits func(T) bool) (none T) {
	fit := slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !fits(one) })
	if len(fit) == 0 {
		return none
	}
	return oneOf(w, fit...)
}

// moment lets up to so many milliseconds pass: what dies then is at another
// place each time. Nothing is expected to have happened by then.
func (w *script) moment(most int) {
	<-time.After(time.Duration(w.rng.IntN(most*1000+1)) * time.Microsecond)
}

// takeSteps takes n steps, until something is wrong.
func takeSteps[W any](w *script, n int, steps []step[W], world W) {
	total := 0
	for _, s := range steps {
		total += s.weight
	}
	for ; n > 0 && len(w.wrong) == 0; n-- {
		at := w.rng.IntN(total)
		for _, s := range steps {
			if at -= s.weight; at < 0 {
				if s.do(world) {
					w.counts[s.name]++
				}
				break
			}
		}
	}
}

// report is what one needs to understand a schedule that failed.
func (w *script) report(test string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "schedule %d: go test ./tests/faults -run %s -first %d -schedules 1 -tell\n", w.number, test, w.number)
	for _, line := range w.told {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	return b.String() + w.said
}

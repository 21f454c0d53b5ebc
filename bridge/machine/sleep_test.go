package machine

import (
	"strings"
	"testing"
	"time"
	"unsafe"
)

// slept is now after a sleep of the machine, of which its monotonic clock has counted nothing.
func slept(now time.Time, long time.Duration) time.Time {
	later := now.Add(long)
	const counted = 1 // the word of a Time that has it
	(*[2]uint64)(unsafe.Pointer(&later))[counted] = (*[2]uint64)(unsafe.Pointer(&now))[counted]
	return later
}

// A deadline is by the clock that the form and every list show: one that came while the machine
// slept ends the question soon after.
func TestDeadlineWhileTheMachineSleeps(t *testing.T) {
	t.Parallel()
	now := time.Now()
	awake := slept(now, 8*time.Hour)
	if awake.Sub(now) != 0 || awake.Round(0).Sub(now.Round(0)) != 8*time.Hour {
		t.Fatalf("a Time is made of other words by now: %v, %v", awake.Sub(now), awake.Round(0).Sub(now.Round(0)))
	}
	deadline := now.Add(time.Hour)
	m := New(now, Config{Asked: now, Deadline: &deadline})
	m.Step(now, Facts{}, Tick{})
	m.Step(now, Facts{}, Opened{"v"})
	m.Step(now, Facts{Shown: true, Viewer: "v"}, Changed{})
	m.Step(now.Add(Painting), Facts{Shown: true, Viewer: "v"}, Tick{})
	if next := m.Next().Sub(now); next > MostSlept+Painting {
		t.Errorf("it looks again after %v", next)
	}
	if effects := m.Step(awake, Facts{Shown: true, Viewer: "v"}, Tick{}); !strings.Contains(said(effects), "End{settled timeout") {
		t.Errorf("8 h later, at %v: %s", m.State(), said(effects))
	}
}

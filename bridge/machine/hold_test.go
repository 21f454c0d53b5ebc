package machine

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHold looks once a second at a person who comes and goes: o looks at the asking pane, - is
// elsewhere, and of ? the host cannot tell. at is the second in which the form opens, or is
// handed back.
func TestHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hold Hold
		sees string
		at   int // -1: never
		back bool
	}{
		"always":                   {Hold{}, "oooo", 0, false},
		"elsewhere from the start": {Hold{Away: true}, "--------", 5, false},
		"never while they look":    {Hold{Away: true}, "oooooooooooooooo", -1, false},
		"gone for 5 s":             {Hold{Away: true}, "ooo------", 7, false},
		"back in between":          {Hold{Away: true}, "o---o----o-----", 14, false},
		"the host cannot tell":     {Hold{Away: true}, "?", 0, false},
		"and then it cannot":       {Hold{Away: true}, "oo?", 2, false},
		"serial, they look":        {Hold{Away: true, Serial: true}, "o", 0, true},
		"serial, they come":        {Hold{Away: true, Serial: true}, "--o", 2, true},
		"serial, elsewhere":        {Hold{Away: true, Serial: true}, "------", 5, false},
		"serial, always":           {Hold{Serial: true}, "o", 0, false},
		"serial, nobody can tell":  {Hold{Away: true, Serial: true}, "?", 0, false},
	} {
		began := time.Now()
		c.hold.Looked = began
		at, handed := -1, false
		for second, sees := range c.sees {
			wait, back := c.hold.At(began.Add(time.Duration(second)*time.Second), sees == 'o', sees != '?')
			if back || wait == 0 {
				at, handed = second, back
				break
			}
			if wait > Retry {
				t.Errorf("%s: looks again after %v", name, wait)
			}
		}
		if at != c.at || handed != c.back {
			t.Errorf("%s: second %d, handed back %v; want %d, %v", name, at, handed, c.at, c.back)
		}
	}
}

// What is held raises no alert, and opens when it is asked for again; what is handed back is over.
func TestHeldRaisesNothing(t *testing.T) {
	t.Parallel()
	now := time.Now()
	m := New(now, Config{Asked: now})
	m.Step(now, Facts{}, Tick{})
	if effects := m.Step(now, Facts{}, Refused{Why: Looking, After: Retry}); len(effects) != 0 || m.State() != Deferred {
		t.Fatalf("%s: %s", m.State(), said(effects))
	}
	if next := m.Next(); !next.Equal(now.Add(Retry)) {
		t.Errorf("looks again after %v", next.Sub(now))
	}
	now = m.Next()
	if effects := m.Step(now, Facts{}, Tick{}); len(effects) != 1 || effects[0] != (Open{}) {
		t.Fatal(said(effects))
	}
	effects := m.Step(now, Facts{}, Refused{Why: Looking})
	if !strings.HasSuffix(said(effects), "End{settled elsewhere}") {
		t.Error(said(effects))
	}
}

// What is held stands in nobody's way: it leaves the line that it was in.
func TestHeldLeavesTheLine(t *testing.T) {
	t.Parallel()
	now := time.Now()
	m := New(now, Config{Asked: now})
	m.Step(now, Facts{}, Tick{})
	m.Step(now, Facts{}, Refused{Why: Occupied, Viewer: "v"})
	m.Step(now, Facts{}, Position{})
	if now = m.Next(); m.State() != InLine || now.IsZero() {
		t.Fatalf("%s until %v", m.State(), now)
	}
	m.Step(now, Facts{}, Tick{})
	if effects := m.Step(now, Facts{}, Refused{Why: Looking, After: Retry}); !slices.Contains(effects, Effect(Leave{})) {
		t.Errorf("%s: %v", m.State(), effects)
	}
}

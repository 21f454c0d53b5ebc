package machine

import (
	"strings"
	"testing"
	"time"
)

// What a guard of 400 ms makes of keys. A step is when, in milliseconds since the form
// came, and what is pressed: "." is a letter that answers nothing, "click" is no key, and
// anything else may answer. Marked is what counts.
func TestGuard(t *testing.T) {
	t.Parallel()
	const never = -1 << 30
	type step struct {
		at  int
		key string
	}
	for _, c := range []struct {
		name  string
		pause int // ms
		typed int // ms, when something was typed elsewhere
		steps []step
		want  string
	}{
		{"nobody typed: Enter may be first", 400, never, []step{{400, "Enter"}}, "Enter!"},
		{"and a digit", 400, never, []step{{401, "2"}, {402, "2"}}, "2! 2!"},
		{"typed long before", 400, -1500, []step{{400, "Enter"}}, "Enter!"},
		{"a key at once is the sign of typing", 400, never, []step{{100, "."}, {501, "."}, {2000, "."}}, ". . ."},
		{"typed before", 400, -1400, []step{{1499, "."}, {2998, "."}}, ". ."},
		{"as far as hosts can tell, they tell of it in the future", 400, 900, []step{{1499, "."}}, "."},
		{"typed before, and not since: Enter may be first", 400, -100, []step{{1500, "Enter"}}, "Enter!"},
		{"after quiet, a key that answers nothing is first", 400, never, []step{{100, "Enter"}, {1600, "."}, {1601, "Enter"}}, "Enter .! Enter!"},
		{"or a click", 400, never, []step{{100, "."}, {1600, "click"}, {1601, "1"}}, ". click! 1!"},
		{"a click is no sign of typing", 400, never, []step{{100, "click"}, {500, "Enter"}}, "click Enter!"},
		{"one that answers is not", 400, never, []step{{100, "."}, {1600, "Enter"}, {1700, "1"}, {1800, "Enter"}, {1900, "y"}}, ". Enter 1 Enter y"},
		{"unless it comes twice", 400, never, []step{{100, "."}, {1600, "Enter"}, {9000, "Enter"}, {9001, "1"}}, ". Enter Enter! 1!"},
		{"a longer pause stays", 2000, never, []step{{100, "."}, {2099, "."}, {4099, "."}}, ". . .!"},
		{"no guard", 0, -100, []step{{0, "Enter"}}, "Enter!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			came := time.Unix(1e9, 0)
			after := func(ms int) time.Time { return came.Add(time.Duration(ms) * time.Millisecond) }
			g := Guard{Pause: time.Duration(c.pause) * time.Millisecond}
			g.Start(came, after(c.typed))
			var got []string
			for _, s := range c.steps {
				answers := s.key != "." && s.key != "click"
				if s.key == "click" {
					s.key = ""
				}
				tickUntil(&g, after(s.at))
				takes := g.Takes(after(s.at), s.key, answers)
				if s.key == "" {
					s.key = "click"
				}
				if takes {
					s.key += "!"
				}
				got = append(got, s.key)
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("counted: %s, want %s", got, c.want)
			}
		})
	}
}

// tickUntil does what a clock does.
func tickUntil(g *Guard, now time.Time) {
	for left := g.Tick(g.last); left > 0 && !g.last.Add(left).After(now); {
		left = g.Tick(g.last.Add(left))
	}
}

// A key that is read before the clock has said that the pause is over is held back, however
// late: on a busy machine there may have been others before it.
func TestGuardOnABusyMachine(t *testing.T) {
	t.Parallel()
	g, came := Guard{Pause: 400 * time.Millisecond}, time.Unix(1e9, 0)
	g.Start(came, time.Time{})
	g.Tick(came)
	if g.Takes(came.Add(5*time.Second), "Enter", true) {
		t.Error("it counts")
	}
}

// It is said when keys are held back, and when they count again; a person who did not type
// sees nothing of it. A setting of 0 ends it also while it lasts.
func TestGuardSays(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.Unix(1e9, int64(ms)*1e6) }
	g := Guard{Pause: 400 * time.Millisecond}
	says := func(when string, holds, twice bool) {
		t.Helper()
		if g.Holds() != holds || g.Twice() != twice {
			t.Errorf("%s: holds %v, twice %v", when, g.Holds(), g.Twice())
		}
	}
	g.Start(at(0), time.Time{})
	says("at first", false, false)
	if left := g.Tick(at(100)); left != 300*time.Millisecond {
		t.Errorf("it lasts %v more", left)
	}
	g.Takes(at(100), "x", false)
	says("after a key", true, false)
	if left := g.Tick(at(600)); left != time.Second {
		t.Errorf("it lasts %v more", left)
	}
	g.Tick(at(1600))
	says("after quiet", false, true)
	g.Takes(at(1700), "Down", false)
	says("after a key that counted", false, false)

	g.Start(at(0), at(0))
	g.Takes(at(100), "x", false)
	g.Pause = 0
	if !g.Takes(at(101), "Enter", true) {
		t.Error("it holds Enter back without a pause")
	}
	says("without a pause", false, false)
}

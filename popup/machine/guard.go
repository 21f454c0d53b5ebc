package machine

import "time"

// Guard holds keys back when a form comes on view: what a person types then was meant
// for something else.
type Guard struct {
	Pause time.Duration // that nothing may be typed for (setting guardMs); at 0 every key counts
	Held  bool          // a key did not count

	last   time.Time // key, or when the form came
	typing bool      // keys come as the form does, and none has counted yet
	open   bool      // the pause is over
	again  string    // a key that counts if it comes once more
}

// Quiet replaces a shorter Pause where keys come as the form does: between two words, people stop for
// longer than Pause.
const Quiet = 1500 * time.Millisecond

// Start has the form come on view. typed is when the person last typed elsewhere; zero
// where nobody knows.
func (g *Guard) Start(now, typed time.Time) {
	*g = Guard{Pause: g.Pause, last: now, typing: now.Sub(typed) < Quiet}
}

// Tick takes note of the time, and returns how long it is until the pause is over. Nothing
// else ends that: a key that is read late is held back, too.
func (g *Guard) Tick(now time.Time) (left time.Duration) {
	pause := g.Pause
	if g.typing && pause > 0 {
		pause = max(pause, Quiet)
	}
	left = max(0, g.last.Add(pause).Sub(now))
	if g.open = g.open || left == 0; g.open {
		return 0
	}
	return left
}

// Takes reports whether a key counts. answers says that it may answer by itself: where
// keys came as the form did, the first that counts is no such key, unless it comes twice.
// What is no key, as a click, has no name.
func (g *Guard) Takes(now time.Time, key string, answers bool) bool {
	switch {
	case !g.open && g.Pause > 0:
		g.last, g.typing = now, g.typing || key != ""
	case g.Twice() && answers && key != g.again:
		g.again = key
	default:
		g.open, g.typing = true, false
		return true
	}
	g.Held = true
	return false
}

// Twice reports whether a key that answers counts only when it comes twice.
func (g *Guard) Twice() bool { return g.open && g.typing && g.Held && g.Pause > 0 }

// Holds reports whether keys are held back.
func (g *Guard) Holds() bool { return g.Held && !g.open }

package popup

import "time"

// guard holds keys back until none has come for a while: what a person types when a
// popup opens under their hands was meant for something else.
type guard struct {
	pause      time.Duration
	last       time.Time // key, or the guard's beginning
	open, held bool      // keys count; one did not
}

// begin is when something new is on view.
func (g *guard) begin(pause time.Duration) {
	*g = guard{pause: pause, last: time.Now()}
}

// restart is when what is on view can be read again.
func (g *guard) restart() { g.last, g.open, g.held = time.Now(), g.pause <= 0, true }

// passes reports whether keys count.
func (g *guard) passes() bool {
	g.open = g.open || time.Since(g.last) >= g.pause
	return g.open
}

// swallows takes note of a key, and reports whether it is held back.
func (g *guard) swallows() bool {
	if g.passes() {
		return false
	}
	g.last, g.held = time.Now(), true
	return true
}

// shows reports whether a key has been held back, and the next would be.
func (g *guard) shows() bool { return !g.open && g.held }

// left is how long it is until keys count, if none comes.
func (g *guard) left() time.Duration { return time.Until(g.last.Add(g.pause)) }

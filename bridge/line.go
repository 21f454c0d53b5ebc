package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/spool"
)

// Occupied means that it is not the question's turn on the viewer: a form is
// open there, or older questions wait for it. The question waits in line.
type Occupied struct{ Viewer string }

func (o Occupied) Error() string { return fmt.Sprintf("a form is open on %s", o.Viewer) }

// soon is after how long a question looks again for the one before it in line,
// where that one has been put back and has not noticed yet.
const soon = 50 * time.Millisecond

// place in line: which line, our ticket, and when to look again who is before us.
type inLine struct {
	line   *spool.Queue
	viewer string
	joined bool            // we have our ticket
	ahead  <-chan struct{} // the one before us has left
	moved  <-chan time.Time
	pause  time.Duration // until moved
}

// lineOn is the line of a viewer.
func (w *waiting) lineOn(viewer string) *spool.Queue {
	if w.turn.line == nil || w.turn.viewer != viewer {
		w.leaveLine()
		w.turn.line, w.turn.viewer = w.Spool.Queue(w.place.Name, viewer), viewer
	}
	return w.turn.line
}

// lineUp waits for the question's turn on viewer.
func (w *waiting) lineUp(viewer string) {
	w.again, w.wake = nil, nil
	line := w.lineOn(viewer)
	if !w.turn.joined {
		if err := line.Join(w.entry.ID); err != nil { // then by the clock, and out of turn
			w.warnOnce(err)
			w.again = time.After(lookSlowly)
			return
		}
		w.turn.joined, w.turn.pause = true, 0
	}
	w.advance()
}

// advance sees how far the line has come. Only the first in it looks at the
// viewer: it waits for the form there to end, and now and then whether the
// person has gone to another viewer, or what else is open on this one has ended.
func (w *waiting) advance() {
	w.turn.ahead, w.turn.moved = nil, nil
	before, gone, settled := w.turn.line.Before(w.entry.ID)
	switch {
	case before != "" && settled:
		w.turn.ahead, w.turn.pause = gone, 0
	case before != "":
		w.turn.pause = min(lookAgain, max(soon, 2*w.turn.pause))
		w.turn.moved = time.After(w.turn.pause)
	case seated(w.turn.line):
		w.wake, w.again = w.turn.line.SeatFree(), time.After(lookSlowly)
	case w.vain > patient:
		w.again = time.After(lookSlowly)
	case w.vain > 0:
		w.again = time.After(lookAgain)
	default:
		w.again = time.After(time.Until(w.notBefore))
	}
}

// leaveLine gives the place up, if there is one.
func (w *waiting) leaveLine() {
	w.turn.ahead, w.turn.moved = nil, nil
	if w.turn.joined {
		w.turn.joined = false
		if err := w.turn.line.Leave(w.entry.ID); err != nil {
			w.warnOnce(err)
		}
	}
}

// sittingGoesOn reports whether the popup that has let go of our form still is
// on its viewer, with another form.
func (w *waiting) sittingGoesOn() bool {
	viewer := w.entry.Status().Viewer
	return viewer != "" && seated(w.lineOn(viewer))
}

// seated reports whether a popup shows forms on the viewer.
func seated(q *spool.Queue) bool {
	_, taken := q.Seat()
	return taken
}

// died reports whether the popup that showed forms on the viewer last has died
// there, and not left.
func died(q *spool.Queue) bool {
	pid, taken := q.Seat()
	return pid != 0 && !taken
}

// paint lets the host see to it that what the popup draws is on view.
func (w *waiting) paint(ctx context.Context, o Opening) {
	w.painter = o
	w.rest.Go(func() { o.Shown(ctx) })
}

// letPaint ends what the host does for a popup that is another's.
func (w *waiting) letPaint() {
	if w.painter != nil && w.painter != w.opening {
		w.painter.Abandon()
	}
	w.painter = nil
}

package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// What a bridge takes note of while its question's popup comes, stays and goes.

// look sees whether the popup has come up, or has changed.
func (w *waiting) look(ctx context.Context) {
	if !w.up.IsZero() {
		if w.painter != nil { // a draft was saved: the person has done something
			w.painter.Changed(ctx)
		}
		return
	}
	if !w.entry.Status().Painted {
		if w.aside && !w.entry.Status().Aside { // opened by hand: it comes up now, or is ours to open again
			w.aside, w.again = false, time.After(lookAgain)
		}
		return
	}
	w.aside = false
	w.up, w.life, w.again, w.wake, w.vain = time.Now(), nil, nil, nil, 0
	w.gone = w.entry.PopupGone()
	w.leaveLine()
	w.painted = time.After(painting)
	if w.painter = w.opening; w.painter == nil && w.place.Adopt != nil {
		if viewer := w.entry.Status().Viewer; viewer != "" {
			w.painter = w.place.Adopt(viewer)
		}
	}
	if w.painter != nil {
		w.paint(ctx, w.painter)
	}
}

// seen is where the host's side tells whether anybody can see the popup.
func (w *waiting) seen() <-chan error {
	popup := w.painter
	if popup == nil {
		popup = w.opening
	}
	if u, ok := popup.(Unseen); ok {
		return u.Seen()
	}
	return nil
}

// unseen takes note of why nobody can see the popup, or that somebody can.
func (w *waiting) unseen(err error) {
	w.lonely, w.tooLong, w.alone = time.Time{}, nil, nil
	if err == nil {
		return
	}
	w.lonely, w.alone = time.Now(), fmt.Errorf("%w: %w", ErrNoViewer, err)
	w.warnOnce(fmt.Errorf("the question waits: %w", w.alone))
	if w.HostWait > 0 {
		w.tooLong = time.After(w.HostWait)
	}
}

// busy gives up on a popup that never came up: the viewer has one open, or a
// menu, or one of ours was quicker.
func (w *waiting) busy() {
	w.life = nil
	w.attend()
	w.drop()
	w.vain++
	w.lineUp(w.tried)
}

// ended is closed when the host's side of the opening has ended.
func (w *waiting) ended() <-chan struct{} {
	if w.opening == nil {
		return nil
	}
	return w.opening.Ended()
}

// hostEnded takes note that the host's side has ended. Before the popup is up
// this says nothing yet (life goes on); afterwards only the popup's own end
// counts, since a tmux popup can live on as a pane.
//
// A host that says that another popup is in the way is believed at once.
//
// On a borrowed terminal there is no such thing as a busy viewer: a form that
// ends there before it is up could not be shown.
func (w *waiting) hostEnded() (r form.Result, over bool) {
	err := w.opening.Err()
	var inTheWay interface{ Busy() bool }
	if w.up.IsZero() && errors.As(err, &inTheWay) && inTheWay.Busy() {
		w.busy()
		return r, false
	}
	if err != nil && w.up.IsZero() {
		w.warnOnce(err)
	}
	w.opening = nil
	if !w.up.IsZero() || !w.place.Borrowed {
		return r, false
	}
	if w.vain++; w.vain >= startsInVain {
		return form.Result{Outcome: form.Unavailable, Reason: fmt.Sprintf("the form could not be shown on the terminal: %v", err)}, true
	}
	w.again = time.After(lookAgain)
	return r, false
}

// popupGone: the popup went away without an answer. The question goes back up,
// unless the person put it aside.
func (w *waiting) popupGone() {
	lived := time.Since(w.up)
	w.up, w.gone = time.Time{}, nil
	w.lonely, w.alone, w.tooLong = time.Time{}, nil, nil // it was seen, and the next Open counts anew
	w.letPaint()
	w.drop()
	viewer := w.entry.Status().Viewer
	seen := viewer != "" && !w.place.Borrowed
	if seen && slices.Contains(w.lineOn(viewer).Waiting(), w.entry.ID) { // put back in line: the popup goes on with another form
		w.delay, w.notBefore = 0, time.Time{}
		w.lineUp(viewer)
		return
	}
	if w.entry.Status().Aside { // the person opens it again themselves; the entry's watch tells of it
		w.aside, w.again, w.wake = true, nil, nil
		return
	}
	if lived >= shortLived {
		w.delay = 0
	} else {
		w.delay = min(slowest, max(lookAgain, 2*w.delay))
	}
	w.notBefore = time.Now().Add(w.delay)
	if seen { // it keeps its place in line meanwhile
		w.lineUp(viewer)
		return
	}
	w.again = time.After(w.delay)
}

func (w *waiting) drop() {
	if w.opening != nil {
		w.opening.Abandon()
		w.opening = nil
	}
}

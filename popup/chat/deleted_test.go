package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// A message that was deleted by hand is posted again, once.
func TestDeleted(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(two)
	x := r.control("m1", "X")
	r.deletes("m1")
	r.quietly(r.does(Event{Ref: "m1", ID: x}))
	r.sees("m2", "Second?")
	if r.keys[0] == r.keys[1] {
		t.Error("it cannot be told from the one that was deleted")
	}
	y := r.control("m2", "Y")
	r.deletes("m2")
	r.quietly(r.does(Event{Ref: "m2", ID: y})) // and it still waits
	r.until("edit of it", func() bool { return r.missed > 1 })
	must.Do(r, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByInbox, At: time.Now(), Reason: "no"}))
	r.asks(colours)
	r.sees("m3", "Which colour?")
	if !needs.Within(patient, func() bool { // the chat may not have read it yet
		return strings.Contains(r.does(Event{Ref: "m2", ID: e.ID + ".0.pick.1"}).Notice, "Cancelled in the inbox")
	}) {
		t.Error("who presses what is over is not told so")
	}
	r.stop()
	if len(r.refs) != 3 {
		t.Errorf("%d messages were posted", len(r.refs))
	}
}

// It is so too where the service tells of it, or may have told while it could not be reached:
// nobody has to press anything.
func TestDeletedUnseen(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	r.asks(two)
	r.sees("m1", "First?")
	r.deletes("m1")
	r.do(Event{Ref: "m1", Gone: true, Reply: func(Reply) error { return nil }})
	r.sees("m2", "First?")
	r.asks(cache)
	r.sees("m3", "Which approach")
	r.deletes("m3")
	r.isBack()
	r.sees("m4", "Which approach")
}

// What is deleted before the answer to its post is there is looked at again.
func TestDeletedWhileItIsSent(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	s, err := open(t.Context(), Config{Channel: r, Dir: r.dir})
	must.Do(t, err)
	m := Message{Key: "k"}
	a := &session{post: &post{service: s, id: "q", delivery: newDelivery(message{})}}
	s.sessions["q"] = a
	for _, deleted := range []bool{true, false} {
		a.send(m)
		r.until("message", func() bool { return len(r.refs) == 1 })
		if deleted {
			s.deleted("m1")
		}
		(<-s.happens)()
		if a.Ref != "m1" || a.shows() == deleted {
			t.Errorf("deleted %v: %q is shown: %v", deleted, a.Ref, a.shows())
		}
	}
}

// A message that was deleted is not looked for again where nobody waits for its question.
func TestDeletedAndLeft(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(two)
	r.sees("m1", "First?")
	r.deletes("m1")
	must.Do(r, e.LetGo())
	r.until("edit of it", func() bool { return r.missed > 0 })
	other := r.asks(colours)
	r.quietly(r.presses("m2", "Red"))
	r.answered(other, "Red")
	r.sees("m2", "answered\n")
	r.stop()
	if r.missed != 1 {
		t.Errorf("%d edits of it", r.missed)
	}
}

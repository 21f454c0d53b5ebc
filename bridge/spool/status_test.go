package spool

import (
	"errors"
	"os"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	made := create(t, s)
	e := open(t, s, made.ID)
	is := func(what, state string, want Status) {
		t.Helper()
		got := e.Status()
		if got.Put.IsZero() != (want.Viewer == "") {
			t.Errorf("%s: it was put off, or came up, at %s", what, got.Put)
		}
		if got.Put = want.Put; got != want || got.State() != state {
			t.Errorf("%s: it is %s, %+v", what, got.State(), got)
		}
	}
	is("it waits", "pending", Status{})
	must.Do(t, made.SetUnattended(true))
	is("nobody is there", "pending", Status{Unattended: true})
	must.Do(t, made.SetUnattended(false))
	must.Do(t, made.SetUnattended(false))
	popup := open(t, s, made.ID)
	if ok, err := popup.TakePopup(); !ok || err != nil {
		t.Fatalf("TakePopup = %v, %v", ok, err)
	}
	is("a popup has it, and has not painted", "shown", Status{Shown: true})
	const viewer, name = "@7", "/dev/pts/7"
	must.Do(t, popup.Painted(viewer, name))
	is("a popup shows it", "shown", Status{Shown: true, Painted: true, Viewer: viewer, Name: name, PID: os.Getpid()})
	must.Do(t, popup.PutAside(viewer, name))
	is("it is being put aside", "shown", Status{Shown: true, Painted: true, Closing: true, Viewer: viewer, Name: name, PID: os.Getpid()})
	must.Do(t, popup.Close())
	is("it was put aside", "pending", Status{Aside: true, Viewer: viewer, Name: name})
	must.Do(t, made.StopWaiting())
	is("the agent is gone", "agent gone", Status{AgentGone: true, Aside: true, Viewer: viewer, Name: name})
	must.Do(t, e.Settle(answered()))
	is("it is answered", "answered", Status{Answered: true, AgentGone: true, Aside: true, Viewer: viewer, Name: name})
	must.Do(t, e.Deliver())
	is("it was handed over", "delivered", Status{Answered: true, Delivered: true, Removed: true, AgentGone: true, Aside: true, Viewer: viewer, Name: name})
}

// Whoever reads that an answer was handed over reads what the agent made of it in the same
// instant.
func TestTakenIsReadWhole(t *testing.T) {
	t.Parallel()
	s := openQuick(t)
	for range 200 {
		e := create(t, s)
		reader := open(t, s, e.ID)
		must.Do(t, errors.Join(e.Settle(answered()), e.Took(Outrun)))
		read := make(chan Record)
		go func() {
			for {
				if r, err := reader.Record(); err != nil || r.Status.Delivered {
					read <- r
					return
				}
			}
		}()
		must.Do(t, e.Deliver())
		if r := <-read; r.Late == nil || r.Result.Outcome != form.Elsewhere {
			t.Fatalf("the history says %+v", r.Result)
		}
	}
}

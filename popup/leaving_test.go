package popup

import (
	"slices"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/person"
)

const asksAgain = "Cancel this question? Esc again cancels; any other key keeps it"

// leaving is a popup in which something was typed and Esc pressed.
func leaving(t *testing.T) *running {
	t.Helper()
	r := newPopup(t)
	r.screen.SetSize(100, 24)
	r.begin()
	r.sees("Which database")
	r.press("4", "mine", tcell.KeyEscape)
	r.sees("not your answer yet: mine")
	r.press(tcell.KeyEscape)
	r.sees(asksAgain)
	return r
}

func (r *running) cancelled(want bool) {
	r.Helper()
	if a, ok, err := r.entry.Answer(); err != nil || ok != want || ok && a.Outcome != form.Cancelled {
		r.Errorf("answer %+v, %v, %v; want cancelled: %v", a, ok, err, want)
	}
}

// A second Esc cancels.
func TestEscTwiceCancels(t *testing.T) {
	t.Parallel()
	r := leaving(t)
	r.press(tcell.KeyEscape)
	r.end()
	r.cancelled(true)
}

// Any other key keeps the form and does nothing else, and so does time.
func TestKeysTakeEscBack(t *testing.T) {
	t.Parallel()
	r := leaving(t)
	r.press("1")
	kept := func() bool {
		return !strings.Contains(r.text(), "Cancel this question?") && strings.Contains(r.text(), "mine")
	}
	r.until("the question is kept", kept)
	r.press(tcell.KeyEscape)
	r.sees(asksAgain)
	r.press(tcell.KeyCtrlN)
	r.until("it is kept again", kept)
	r.press(tcell.KeyEscape)
	r.sees(asksAgain)
	r.session.Post(r.session.Lapse)
	r.until("it is kept after a while", kept)
	r.cancelled(false)
}

// So does a click, also one in the entry that is open.
func TestClicksTakeEscBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, `{"questions":[{"id":"a","type":"text","prompt":"Why?"}]}`, nil, 80, 24)
	s.m.Confirms = true
	for _, at := range []string{"mine", "Why?"} {
		s.press("mine", "Esc")
		if !s.m.Leaving() {
			t.Fatalf("Esc cancels at once, or nothing:\n%s", s.text())
		}
		if s.mouse(tview.MouseLeftClick, at); s.m.Leaving() {
			t.Errorf("a click on %q leaves the question open to a cancel", at)
		}
	}
}

// A popup that is killed while it asks loses nothing.
func TestKilledWhileLeaving(t *testing.T) {
	t.Parallel()
	r := leaving(t)
	r.cancel()
	r.end()
	r.cancelled(false)
	if d := r.draft(); len(d.Entries) != 1 || d.Entries[0] != "mine" {
		t.Errorf("the draft is %+v", d)
	}
}

// With the setting off one Esc ends the form, as it does where nothing was said.
func TestEscWithoutConfirming(t *testing.T) {
	r := newPopup(t)
	r.begin()
	person.Set(t, `{"guardMs": 0, "confirmCancel": false}`)
	r.until("the setting counts", func() bool {
		off := make(chan bool, 1)
		r.session.app.Post(func() { off <- !r.session.Now.ConfirmCancel })
		return <-off
	})
	r.press("4", "mine", tcell.KeyEscape, tcell.KeyEscape)
	r.end()
	r.cancelled(true)
}

// In a form that was opened from the inbox Esc goes back to the list.
func TestEscBackToTheList(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 100, 24)
	s.view.back = true
	s.draw()
	s.shows("Esc back to the list")
	s.press("4", "x", "Esc").at(machine.List, 0, 3)
	s.press("Esc")
	if s.m.Mode() != machine.List || !slices.Contains(s.asked, "the list") {
		t.Errorf("Esc asks for %v and leads to %s", s.asked, s.m.Mode())
	}
}

package popup

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
)

// page is another surface of the form that a popup shows.
func (r *running) page() (m *machine.Machine, save func()) {
	d := r.draft()
	m = machine.New(&r.first.Req.Form, &d, true).As("browser")
	return m, func() {
		merged, _, err := sitting.Write(r.entry, m.Draft())
		if err != nil {
			r.Error(err)
		}
		m.Meet(merged)
	}
}

var openOther = machine.Event{Action: machine.Pick, N: 4}

func typed(text string) machine.Event { return machine.Event{Action: machine.Type, Text: text} }

// What is typed elsewhere is on the screen, and what is typed here goes on from there.
func TestPopupShowsWhatIsTypedElsewhere(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press("4")
	r.sees("Type your answer")
	page, save := r.page()
	page.Handle(openOther)
	for _, text := range []string{"away", "far away"} {
		page.Handle(typed(text))
		save()
		r.sees("│ " + text)
	}
	r.press("!", tcell.KeyEnter)
	r.end()
	if a, ok, err := r.entry.Answer(); !ok || err != nil || *a.Answers[0].Text != "far away!" {
		t.Errorf("the answer: %+v, %v, %v", a, ok, err)
	}
}

// What is under the fingers stays; what was typed elsewhere is offered, and can be taken.
func TestPopupOffersWhatIsTypedElsewhere(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press("4", "mine")
	r.until("it is saved", func() bool { d := r.draft(); return len(d.Entries) == 1 && d.Entries[0] == "mine" })
	page, save := r.page()
	page.Handle(openOther)
	page.Handle(typed("theirs"))
	save()
	r.until("it is offered", func() bool {
		return strings.Contains(r.text(), "Another text was typed here: “theirs”. Ctrl+T/Alt+t takes it.")
	})
	if !strings.Contains(r.text(), "│ mine") {
		t.Errorf("it was overwritten:\n%s", r.text())
	}
	r.press(tcell.KeyCtrlT)
	r.until("it is taken", func() bool {
		return strings.Contains(r.text(), "│ theirs") && strings.Contains(r.text(), "“mine”")
	})
	r.press("!", tcell.KeyEnter)
	r.end()
	if a, ok, err := r.entry.Answer(); !ok || err != nil || *a.Answers[0].Text != "theirs!" {
		t.Errorf("the answer: %+v, %v, %v", a, ok, err)
	}
}

// A key right behind a text from elsewhere, before that is drawn, goes on from it: else
// it would be typed to what stood there, and the text be gone.
func TestPopupKeyBehindWhatIsTypedElsewhere(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press("4")
	r.until("the entry is open", func() bool { return strings.Contains(r.text(), "Type your answer") })
	page, _ := r.page()
	page.Handle(openOther)
	page.Handle(typed("theirs"))
	theirs := page.Draft()
	r.session.post(nil, func() {
		r.first.M.Meet(theirs)
		r.session.happened()
		r.session.view.InputHandler()(tcell.NewEventKey(tcell.KeyRune, '!', 0), nil)
	})
	r.until("it goes on from there", func() bool { return strings.Contains(r.text(), "│ theirs!") })
}

// Both type at once: one of them has the entry, the other is beside it, and
// nobody's answer comes of it.
func TestPopupAndPageAtOnce(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	page, save := r.page()
	page.Handle(openOther)
	page.Handle(typed("theirs"))
	r.press("4", "mine")
	save()
	all := func() string {
		d := r.draft()
		text := strings.Join(d.Entries, " ")
		return text + " " + strings.Join(d.Beside[0], " ")
	}
	r.until("both are saved", func() bool { return strings.Contains(all(), "mine") && strings.Contains(all(), "theirs") })
	if a, ok, err := r.entry.Answer(); ok || err != nil {
		t.Errorf("there is an answer: %+v, %v", a, err)
	}
	if err := r.entry.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "browser", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	r.until("it says who", func() bool { return strings.Contains(r.text(), "Already answered in the browser, ") })
}

// A draft that cannot be written is written as soon as it can be, also if nothing more
// is typed.
func TestPopupSavesAgain(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	held, let := make(chan struct{}), make(chan struct{})
	go func() {
		_ = r.entry.UpdateDraft(new(machine.Draft), func(bool) (any, error) {
			close(held)
			<-let
			return machine.Draft{Version: form.Version}, nil
		})
	}()
	<-held
	r.press("4", "kept")
	r.until("it says so", func() bool { return strings.Contains(r.text(), "not being saved") })
	close(let)
	r.until("it is saved", func() bool { d := r.draft(); return len(d.Entries) == 1 && d.Entries[0] == "kept" })
	r.until("it says nothing any more", func() bool { return !strings.Contains(r.text(), "not being saved") })
}

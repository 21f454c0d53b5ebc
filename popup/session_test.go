package popup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/person"
)

func TestPopupWritesTheAnswer(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press("2")
	r.end()
	a, ok, err := r.entry.Answer()
	if !ok || err != nil || a.Outcome != form.Answered || a.By != "popup" || a.Answers[0].Choices[0] != 1 || a.At.IsZero() {
		t.Errorf("answer %+v, %v, %v", a, ok, err)
	}
}

func TestPopupSavesWhatIsTyped(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press("4", "half an answer")
	r.until("the draft is saved", func() bool { d := r.draft(); return len(d.Entries) == 1 && d.Entries[0] == "half an answer" })
	if _, ok, err := r.entry.Answer(); ok || err != nil {
		t.Errorf("there is an answer: %v", err)
	}
}

// SIGHUP and SIGTERM end the context: nothing typed is lost, nothing is answered.
func TestPopupThatIsClosedSavesFirst(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press("4", "last words")
	r.until("the text is on the screen", func() bool { return strings.Contains(r.text(), "last words") })
	r.cancel()
	r.end()
	if d := r.draft(); len(d.Entries) != 1 || d.Entries[0] != "last words" || d.Over != machine.Entry {
		t.Errorf("the draft is %+v", d)
	}
	if a, ok, err := r.entry.Answer(); ok || err != nil {
		t.Errorf("closing it answered: %+v, %v", a, err)
	}
}

func TestEscWritesCancelled(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press(tcell.KeyEscape)
	r.end()
	if a, ok, err := r.entry.Answer(); !ok || err != nil || a.Outcome != form.Cancelled {
		t.Errorf("answer %+v, %v, %v", a, ok, err)
	}
}

// pauseOver is no key having come for as long as the guard of the form on view takes.
func (r *running) pauseOver() { r.later(2 * time.Hour) }

// later is so much time passing for the guard, which stands still from then on.
func (r *running) later(by time.Duration) {
	r.session.post(nil, func() {
		now := r.session.now().Add(by)
		r.session.now = func() time.Time { return now }
		r.session.awaitGuard()
	})
}

// The guard: keys count only once none has come for a while, and the first of them
// answers nothing, unless it comes twice.
func TestPopupGuard(t *testing.T) {
	t.Parallel()
	r := newPopup(t)
	r.session.Now.GuardMs = int(time.Hour.Milliseconds())
	r.begin()
	r.sees("Which database")
	r.press("1")
	r.until("it says that it holds back", func() bool { return strings.Contains(r.text(), "Keys are held back") })
	r.press(tcell.KeyEnter, tcell.KeyEscape)
	r.handled()
	r.pauseOver()
	r.until("it opens", func() bool { return !strings.Contains(r.text(), "Keys are held back") })
	if a, ok, err := r.entry.Answer(); ok || err != nil {
		t.Errorf("a stray key answered: %+v, %v", a, err)
	}
	r.sees("Keys count again. If the first is to answer, press it twice.")
	r.press("3", tcell.KeyEnter, "3")
	r.handled()
	if a, ok, err := r.entry.Answer(); ok || err != nil {
		t.Errorf("the first key answered: %+v, %v", a, err)
	}
	r.press("3")
	r.end()
	r.choice(r.entry, 2)
}

// A key that answers nothing may be the first, and then all count; of a person who has not
// typed, any may be.
func TestPopupGuardIsOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after []any
		choice        int
	}{
		"an arrow first":   {[]any{"x"}, []any{tcell.KeyDown, tcell.KeyEnter}, 1},
		"nothing typed":    {nil, []any{tcell.KeyEnter}, 0},
		"a digit at first": {nil, []any{"2"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newPopup(t)
			r.session.Now.GuardMs = int(time.Hour.Milliseconds())
			r.begin()
			r.sees("Which database")
			r.press(c.before...)
			r.handled()
			r.pauseOver()
			r.until("it is over", func() bool { return !strings.Contains(r.text(), "Keys are held back") })
			r.press(c.after...)
			r.end()
			r.choice(r.entry, c.choice)
		})
	}
}

// Where the host tells that the person was typing, the guard is that long from the start.
func TestPopupGuardUnderTyping(t *testing.T) {
	t.Parallel()
	r := newPopup(t)
	now := time.Now()
	r.session.now = func() time.Time { return now }
	r.session.Now.GuardMs, r.session.Typed = 400, now.Add(-time.Second)
	r.begin()
	r.sees("Which database")
	r.later(time.Second)
	r.press(tcell.KeyEnter, "2")
	r.sees("Keys are held back")
	r.later(machine.Quiet)
	r.sees("Keys count again.")
	if a, ok, err := r.entry.Answer(); ok || err != nil {
		t.Errorf("a stray key answered: %+v, %v", a, err)
	}
	r.press("3", "3")
	r.end()
	r.choice(r.entry, 2)
}

// A key that is pressed in the instant in which somebody else answers does not close the form
// before it has said who was first.
func TestKeyBehindAnotherAnswer(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	theirs := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "askpane answer", At: time.Now()}
	r.session.Post(func() {
		if err := r.entry.Settle(theirs); err != nil {
			t.Error(err)
		}
		r.session.take(machine.Event{Action: machine.Pick, N: 2}) // which is too late
		r.session.view.InputHandler()(tcell.NewEventKey(tcell.KeyEnter, 0, 0), nil)
	})
	r.until("it says who", func() bool { return strings.Contains(r.text(), "Already answered by askpane answer") })
	r.press(tcell.KeyEnter)
	r.end()
}

// Somebody else was first: the form says who, a key closes it, and their answer stands.
func TestPopupSaysWhoWasFirst(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.press("4", "too late")
	r.until("the text is on the screen", func() bool { return strings.Contains(r.text(), "too late") })
	theirs := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "askpane answer", At: time.Now()}
	if err := r.entry.Settle(theirs); err != nil {
		t.Fatal(err)
	}
	r.press(tcell.KeyEnter)
	r.until("it says who, and what", func() bool {
		said := strings.Join(strings.Fields(r.text()), " ")
		return strings.Contains(said, "Already answered by askpane answer, ") && strings.Contains(said, ": PostgreSQL. any key closes this")
	})
	r.until("the draft is kept", func() bool { d := r.draft(); return len(d.Entries) == 1 && d.Entries[0] == "too late" })
	r.press("1")
	r.end()
	if a, ok, err := r.entry.Answer(); !ok || err != nil || a.By != "askpane answer" {
		t.Errorf("answer %+v, %v, %v", a, ok, err)
	}
}

// Who looks at the asking pane while somebody else answers is told as well, and not left with
// a popup that closes.
func TestAnsweredUnderAPeek(t *testing.T) {
	t.Parallel()
	r := newPopup(t)
	r.first.view.pane = &askingPane{text: paneText}
	r.begin()
	r.sees("Which database")
	r.press(tcell.KeyCtrlP)
	r.sees("line 30 of the agent")
	if err := r.entry.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "askpane answer", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	r.sees("Already answered by askpane answer")
	r.press("1")
	r.end()
}

// The bridge ends: the popup says that the agent is gone, and still takes an answer.
func TestPopupOutlivesTheAgent(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	if err := r.entry.Close(); err != nil {
		t.Fatal(err)
	}
	r.until("it says so", func() bool { return strings.Contains(r.text(), "agent gone") })
	r.press("1")
	r.end()
	e, err := r.spool.Open(r.entry.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if a, ok, err := e.Answer(); !ok || err != nil || a.Outcome != form.Answered {
		t.Errorf("answer %+v, %v, %v", a, ok, err)
	}
}

// An entry that has its answer is not shown again: the popup says whose it was.
func TestTakeAnswered(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	if err := r.entry.Settle(form.Result{Outcome: form.Cancelled, By: "x", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}); err != nil {
		t.Fatal(err)
	}
	r.cancel()
	r.end()
	r.first.Entry.Close()
	e, err := r.spool.Open(r.entry.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = Take(e)
	if !errors.Is(err, spool.ErrAnswered) || !strings.Contains(fmt.Sprint(err), "cancelled by x, 2 Jan 03:04") {
		t.Errorf("Take: %v", err)
	}
}

// The settings are followed while the form is open.
func TestSettingsFollow(t *testing.T) {
	r := runPopup(t)
	accent := func() tcell.Color {
		style := make(chan tcell.Style, 1)
		r.session.app.Post(func() {
			_, s, _ := r.screen.Get(layout.Padding, 4) // the cursor of the first choice
			style <- s
		})
		fg, _, _ := (<-style).Decompose()
		return fg
	}
	if got := accent(); got != tcell.ColorTeal {
		t.Fatalf("the cursor is %v, want teal", got)
	}
	person.Set(t, `{"theme": "mono", "guardMs": 5000}`)
	r.until("the theme changes", func() bool { return accent() == tcell.ColorDefault })
	pause := make(chan time.Duration, 1)
	r.session.app.Post(func() { pause <- r.session.guard.Pause })
	if got := <-pause; got != 5*time.Second {
		t.Errorf("keys are held back for %v, want 5s", got)
	}
	person.Set(t, `{"theme": "dark", "guardMs": 0}`)
	r.until("the theme changes again", func() bool { return accent() == tcell.NewHexColor(0x5fd7d7) })
	r.press("1")
	r.end()
}

// The view is taken to the asking pane, and the question waits.
func TestGoToThePane(t *testing.T) {
	t.Parallel()
	r := newPopup(t)
	pane := &askingPane{err: errors.New("no such client")}
	r.first.view.pane = pane
	r.begin()
	r.sees("Which database")
	r.press(tcell.KeyCtrlO)
	r.sees("Cannot go to the pane: no such client")
	r.session.app.Post(func() { pane.err = nil })
	r.press(tcell.KeyCtrlO)
	r.end()
	r.first.Entry.Close()
	if len(pane.gone) != 2 || pane.gone[1] != "v" || !r.entry.Status().Aside {
		t.Errorf("went %q, put aside %v", pane.gone, r.entry.Status().Aside)
	}
	if a, ok, _ := r.entry.Answer(); ok {
		t.Errorf("going there answered: %+v", a)
	}
	if since := time.Since(r.spool.Queue("", "").LastLeft()); since > time.Minute {
		t.Errorf("the other forms hold back since %v", since)
	}
}

// An answer that cannot be written stays in the form, which says so; the next key
// writes it, and a paste is none.
func TestUnsavedAnswer(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	inTheWay := filepath.Join(r.dir, r.entry.ID, "answer.json") // a directory, which is no answer
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	r.press("2")
	r.sees("Not saved yet; what you do next tries again.")
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	for _, e := range []tcell.Event{tcell.NewEventPaste(true), tcell.NewEventKey(tcell.KeyRune, '1', 0), tcell.NewEventPaste(false)} {
		r.session.app.QueueEvent(e)
	}
	r.handled()
	if _, ok, err := r.entry.Answer(); ok || err != nil {
		t.Errorf("a paste has tried again: %v, %v", ok, err)
	}
	r.press("x")
	r.end()
	r.choice(r.entry, 1)
}

// Where an answer can never be written, Esc leads out of the popup all the same.
func TestUnsavedIsLeft(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	if err := os.RemoveAll(filepath.Join(r.dir, r.entry.ID)); err != nil {
		t.Fatal(err)
	}
	r.press("2", "x")
	r.sees("Not saved yet; what you do next tries again. Esc closes this unsaved.")
	r.press(tcell.KeyEscape)
	r.end()
}

// A form that the agent's own dialog has ended says so, and closes by itself: a key in that time
// was meant for the dialog.
func TestPopupAnsweredInTheAgent(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	if err := r.entry.Settle(form.Result{Outcome: form.Elsewhere, By: form.ByBridge, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	r.sees("Answered in a.")
	told := make(chan bool)
	r.session.post(nil, func() {
		r.session.counts("Enter", true, false)
		told <- r.session.closing && r.session.told
	})
	if <-told {
		t.Error("a key closes it")
	}
	r.end()
}

// A form in whose place the agent shows no dialog is handed back by one key.
func TestPopupHandsBack(t *testing.T) {
	t.Parallel()
	r := newPopupOf(t, func(s *spool.Spool, q spool.Request) (*spool.Entry, error) {
		q.Origin.Agent, q.Origin.Native = "claude", spool.Serial
		return s.Create(q)
	})
	r.begin()
	r.sees("Claude Code shows no dialog of its own until this is answered or handed back.")
	r.sees("hand back")
	r.press(tcell.KeyCtrlB)
	r.end()
	if a, ok, err := r.entry.Answer(); !ok || err != nil || a.Outcome != form.Elsewhere || a.By != form.ByPopup {
		t.Errorf("answer %+v, %v, %v", a, ok, err)
	}
}

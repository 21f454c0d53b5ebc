package popup

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/person"
)

// another puts a question into the spool whose bridge waits in line.
func (r *running) another(label string) *spool.Entry {
	r.Helper()
	return r.anotherOf(strings.NewReplacer("Database", label, "Which database should the shop use?", "About the "+label+"?").Replace(oneQuestion))
}

// anotherOf is another of this request.
func (r *running) anotherOf(raw string) *spool.Entry {
	r.Helper()
	_, f, err := dialect.Decode("question", []byte(raw))
	if err != nil {
		r.Fatal(err)
	}
	e, err := r.spool.Create(spool.Request{Form: f, Raw: []byte(raw), Origin: spool.Origin{Agent: "b", Start: time.Now().Add(time.Millisecond)}})
	if err != nil {
		r.Fatal(err)
	}
	queue := r.spool.Queue("", "v")
	if _, _, _, err := queue.Join(e.ID); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		_ = queue.Leave(e.ID)
		e.Close()
	})
	return e
}

func (r *running) sees(texts ...string) {
	r.Helper()
	r.until("the screen shows "+strings.Join(texts, ", "), func() bool {
		screen := r.text()
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

func (r *running) choice(e *spool.Entry, want int) {
	r.Helper()
	if a, ok, err := e.Answer(); !ok || err != nil || a.Outcome != form.Answered || a.Answers[0].Choices[0] != want {
		r.Errorf("answer %+v, %v, %v; want choice %d", a, ok, err, want)
	}
}

// After an answer the next form is up in the same popup, and the first one's
// lock is free: its bridge need not wait.
func TestChain(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	cache := r.another("Cache")
	r.sees("Which database", "1 more waiting")
	r.press("2")
	r.sees("About the Cache?")
	if strings.Contains(r.text(), " more wait") {
		t.Errorf("nothing waits any more:\n%s", r.text())
	}
	r.choice(r.entry, 1)
	r.until("the first form is let go of", func() bool { return !r.entry.Status().Painted && cache.Status().Painted })
	r.press("3")
	r.end()
	r.choice(cache, 2)
}

// A popup that keeps its size closes for a form that needs more than it has, which goes on
// waiting for one of its own; one that has the room comes up in it, and so does one for which
// there is no more.
func TestChainHasRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		floats bool
		height int
		closes bool
	}{
		{"a popup of the first one's size", true, 12, true},
		{"one that can be resized", false, 12, false},
		{"one with room for both", true, 40, false},
		{"one that is as large as there is room", true, 6, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newPopup(t)
			r.screen.SetSize(76, c.height)
			r.session.Floats = c.floats
			r.begin()
			tall := r.anotherOf(strings.Replace(oneQuestion, "Which database should the shop use?", "About it?"+strings.Repeat(`\nand so on`, 12), 1))
			r.until("it waits", func() bool { return strings.Contains(r.text(), "1 more wait") })
			r.press("2")
			if c.closes {
				r.end()
				if s := tall.Status(); s.Painted || s.Shown || s.Over() {
					t.Errorf("the next one is %+v", s)
				}
			} else {
				r.until("the next one is up", func() bool { return tall.Status().Painted })
			}
			r.choice(r.entry, 1)
		})
	}
}

// Where the person has muted askpane while a form was up, or wants to open forms by hand from
// then on, no other follows it: it waits.
func TestChainMuted(t *testing.T) {
	for name, change := range map[string]func(*testing.T){
		"muted": func(t *testing.T) {
			if err := settings.Mute(time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = settings.Mute(time.Time{}) })
		},
		"by hand": func(t *testing.T) { person.Set(t, `{"openMode": "manual", "guardMs": 0}`) },
	} {
		t.Run(name, func(t *testing.T) {
			r := runPopup(t)
			cache := r.another("Cache")
			r.sees("Which database", "1 more waiting")
			change(t)
			r.until("the popup has heard of it", func() bool {
				heard := make(chan bool, 1)
				r.session.post(nil, func() { heard <- !r.session.Now.Chain })
				return <-heard
			})
			r.press("2")
			r.end()
			r.choice(r.entry, 1)
			if s := cache.Status(); s.Painted || s.Over() {
				t.Errorf("the next one is %+v", s)
			}
		})
	}
}

// The guard of the next form begins anew, for keys and for pastes.
func TestChainGuards(t *testing.T) {
	r := newPopup(t)
	person.Set(t, `{"guardMs": 5000}`) // for the second form: the first one has its settings
	r.begin()
	cache := r.another("Cache")
	r.sees("Which database", "1 more waiting")
	r.press(tcell.KeyDown) // the first form takes keys
	r.sees("> 2. SQLite")
	r.press(tcell.KeyEnter, tcell.KeyEnter, tcell.KeyEnter, tcell.KeyEnter)
	r.until("the second form holds Enter back", func() bool {
		r.press(tcell.KeyEnter)
		return strings.Contains(r.text(), "About the Cache?") && strings.Contains(r.text(), "Keys are held back")
	})
	for _, e := range []tcell.Event{tcell.NewEventPaste(true), tcell.NewEventKey(tcell.KeyRune, '1', 0), tcell.NewEventPaste(false)} {
		r.session.app.QueueEvent(e)
	}
	r.handled()
	r.pauseOver()
	r.until("it opens", func() bool { return !strings.Contains(r.text(), "Keys are held back") })
	if a, ok, err := cache.Answer(); ok || err != nil {
		t.Errorf("a key that was meant for the form before answered: %+v, %v", a, err)
	}
	r.choice(r.entry, 1)
}

// Another form and back: the draft is on the disk before the lock is free, the
// question is in line again, and the form comes back as it was.
func TestTurn(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	cache := r.another("Cache")
	r.press("4", "half")
	r.sees("half", "1 more waiting")
	r.press(tcell.KeyCtrlN)
	r.sees("About the Cache?", "1 more waiting")
	r.until("the first is let go of", func() bool { return !r.entry.Status().Painted })
	if d := r.draft(); len(d.Entries) != 1 || d.Entries[0] != "half" || d.Over != machine.Entry {
		t.Errorf("the draft is %+v", d)
	}
	if !slices.Contains(r.spool.Queue("", "v").Waiting(), r.entry.ID) {
		t.Error("the first question is not in line")
	}
	r.press("4", "cold", tcell.KeyCtrlB)
	r.sees("Which database", "half")
	r.press(tcell.KeyCtrlB)
	r.sees("About the Cache?", "cold")
	if _, ok, _ := cache.Answer(); ok {
		t.Error("switching answered")
	}
}

// What cannot be shown is passed over: answered elsewhere, shown elsewhere, or
// without anybody who waits.
func TestTurnPassesOver(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	answered, elsewhere, dead := r.another("Cache"), r.another("Queue"), r.another("Log")
	r.sees("3 more wait")
	if err := answered.Settle(form.Result{Outcome: form.Cancelled, By: form.ByAnswer, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	showing(r.T, r.spool, elsewhere.ID)
	if err := dead.StopWaiting(); err != nil {
		t.Fatal(err)
	}
	r.press(tcell.KeyCtrlN)
	r.sees("No other question waits.", "Which database")
	r.press("1")
	r.end()
	r.choice(r.entry, 0)
}

// An answer given while another form is looked for closes the popup, where there is none.
func TestAnsweredWhileItLooks(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	showing(r.T, r.spool, r.another("Cache").ID)
	r.sees("1 more waiting")
	r.press(tcell.KeyCtrlN, "2") // a lock that is held is tried for a while
	r.end()
	r.choice(r.entry, 1)
}

// fromAgentGone is a popup that has gone on from a question whose agent is gone.
func fromAgentGone(t *testing.T) *running {
	t.Helper()
	r := runPopup(t)
	r.another("Cache")
	r.sees("1 more waiting")
	if err := r.entry.StopWaiting(); err != nil {
		t.Fatal(err)
	}
	r.sees("agent gone")
	r.press(tcell.KeyCtrlN)
	r.sees("About the Cache?", "1 more waiting")
	return r
}

// An agent that is gone stays within reach while the popup is open.
func TestTurnFromAgentGone(t *testing.T) {
	t.Parallel()
	r := fromAgentGone(t)
	r.press(tcell.KeyCtrlN)
	r.sees("Which database", "agent gone")
	r.press("2")
	r.until("it is answered", func() bool { _, ok, _ := r.entry.Answer(); return ok })
	r.choice(r.entry, 1)
}

// One that was left so, and is answered elsewhere, is not counted for good.
func TestAgentGoneAndAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	r := fromAgentGone(t)
	if err := r.entry.Settle(form.Result{Outcome: form.Cancelled, By: form.ByInbox, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	r.press(tcell.KeyCtrlN)
	r.until("the count is right", func() bool {
		screen := r.text()
		return strings.Contains(screen, "No other question waits.") && !strings.Contains(screen, " more wait")
	})
}

// Without the setting the popup closes after an answer, whoever waits.
func TestNoChain(t *testing.T) {
	r := runPopup(t)
	cache := r.another("Cache")
	r.sees("1 more waiting")
	person.Set(t, `{"chain": false, "guardMs": 0}`)
	r.until("the setting is taken over", func() bool {
		is := make(chan bool, 1)
		r.session.app.Post(func() { is <- r.session.Now.Chain })
		return !<-is
	})
	r.press("2")
	r.end()
	r.choice(r.entry, 1)
	if cache.Status().Painted {
		t.Error("the next form came up")
	}
}

// A signal that comes as the popup ends by itself leaves nothing behind.
func TestSignalAtTheEnd(t *testing.T) {
	leaked := goleak.IgnoreCurrent()
	t.Run("popup", func(t *testing.T) {
		r := runPopup(t)
		r.session.saving.Add(1)
		r.press("2")
		<-r.screenEnded // what follows the end of the application
		r.cancel()
		r.session.saving.Done()
		r.end()
	})
	goleak.VerifyNone(t, leaked)
}

// One that comes before the application runs ends it all the same.
func TestSignalAtTheStart(t *testing.T) {
	t.Parallel()
	for range 20 {
		r := newPopup(t)
		r.cancel()
		r.begin()
		if r.end(); t.Failed() {
			return
		}
	}
}

// One that comes within a paste, which swallows what is typed, ends it too.
func TestSignalInAPaste(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.session.app.QueueEvent(tcell.NewEventPaste(true))
	r.press("2")
	r.cancel()
	r.end()
	if _, answered, err := r.entry.Answer(); answered || err != nil {
		t.Errorf("a pasted digit answered: %v", err)
	}
}

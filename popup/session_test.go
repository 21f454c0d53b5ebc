package popup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/person"
)

// running is a popup on a simulated screen, over a real entry.
type running struct {
	*testing.T
	screen      tcell.SimulationScreen
	dir         string // the spool's
	spool       *spool.Spool
	entry       *spool.Entry // the bridge's side of it
	session     *session
	first       *current // the first form
	screenEnded chan struct{}
	seen        atomic.Value // what was drawn last
	pressed     int64        // keys, by press
	came        atomic.Int64 // keys that have come to the form
	begin       func()       // runs it, once
	cancel      context.CancelFunc
	ended       chan error
}

// runPopup shows a newPopup.
func runPopup(t *testing.T) *running {
	t.Helper()
	r := newPopup(t)
	r.begin()
	r.until("the form is drawn", func() bool { return strings.Contains(r.text(), "Which database") })
	return r
}

// drawn is a screen that keeps what it shows.
type drawn struct {
	tcell.SimulationScreen
	look  func(tcell.Screen)
	ended chan struct{} // closed with it
}

func (d drawn) Fini() {
	d.SimulationScreen.Fini()
	close(d.ended)
}

func (d drawn) Show() {
	d.SimulationScreen.Show()
	d.look(d.SimulationScreen)
}

// newPopup puts a question into a spool of its own, with a bridge that waits,
// and a popup for it that has yet to begin.
func newPopup(t *testing.T) *running {
	t.Helper()
	return newPopupOf(t, (*spool.Spool).Create)
}

// newPopupOf is newPopup for a question that create puts into the spool.
func newPopupOf(t *testing.T, create func(*spool.Spool, spool.Request) (*spool.Entry, error)) *running {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, f, err := dialect.Decode("question", []byte(oneQuestion))
	if err != nil {
		t.Fatal(err)
	}
	bridge, err := create(s, spool.Request{Form: f, Raw: []byte(oneQuestion), Origin: spool.Origin{Agent: "a", Start: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	mine, err := s.Open(bridge.ID)
	if err != nil {
		t.Fatal(err)
	}
	first, err := Take(mine)
	if err != nil {
		t.Fatal(err)
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	r := &running{T: t, screen: screen, dir: dir, spool: s, entry: bridge, ended: make(chan error, 1), screenEnded: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	r.session = newSession(Config{Entry: mine, Spool: s, Viewer: "v"}, drawn{screen, r.look, r.screenEnded}, s.Queue("", "v"), first)
	r.first = r.session.current
	before := r.session.app.GetInputCapture()
	r.session.app.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey {
		key := before(e)
		if e.Key() != tcell.KeyF64 { // which no keyboard has: it wakes the loop
			r.came.Add(1)
		}
		return key
	})
	r.begin = func() { go func() { r.ended <- r.session.run(ctx) }() }
	t.Cleanup(func() {
		cancel()
		if r.ended != nil {
			r.end()
		}
		mine.Close()
		bridge.Close()
		s.Close()
	})
	return r
}

// limit is how long a test waits for what has to happen: far longer than it takes, on
// however busy a machine.
const limit = 30 * time.Second

// until polls for a condition, and fails after the limit.
func (r *running) until(what string, ok func() bool) {
	r.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(limit)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			r.Fatalf("not within %v: %s; the screen is\n%s", limit, what, r.text())
		}
	}
}

// end waits for the popup to end.
func (r *running) end() {
	r.Helper()
	select {
	case err := <-r.ended:
		r.ended = nil
		if err != nil {
			r.Error(err)
		}
	case <-time.After(limit):
		r.Errorf("the popup does not end; the screen is\n%s", r.text())
	}
}

// look keeps what has been drawn.
func (r *running) look(screen tcell.Screen) {
	width, height := screen.Size()
	var b strings.Builder
	for y := range height {
		for x := range width {
			c, _, _ := screen.Get(x, y)
			b.WriteString(c)
		}
		b.WriteByte('\n')
	}
	r.seen.Store(b.String())
}

// text is what was drawn last.
func (r *running) text() string {
	text, _ := r.seen.Load().(string)
	return text
}

func (r *running) press(keys ...any) {
	for _, k := range keys {
		switch k := k.(type) {
		case tcell.Key:
			r.screen.InjectKey(k, 0, 0)
			r.pressed++
		case string:
			for _, c := range k {
				r.screen.InjectKey(tcell.KeyRune, c, 0)
				r.pressed++
			}
		}
	}
}

// handled waits until the popup has done what it does on what came before: a post that
// is made once every key has come by runs after the last of them.
func (r *running) handled() {
	r.Helper()
	r.until("every key has come by", func() bool { return r.came.Load() == r.pressed })
	passed := make(chan struct{})
	r.session.app.Post(func() { close(passed) })
	<-passed
}

func (r *running) draft() machine.Draft {
	var d machine.Draft
	if _, err := r.entry.Draft(&d); err != nil {
		r.Error(err)
	}
	return d
}

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
func (r *running) pauseOver() {
	r.session.post(nil, func() {
		r.session.guard.last = time.Now().Add(-r.session.guard.pause)
		r.session.awaitGuard()
	})
}

// The guard: keys count only once none has come for a while.
func TestPopupGuard(t *testing.T) {
	t.Parallel()
	r := newPopup(t)
	r.session.settings.GuardMs = int(time.Hour.Milliseconds())
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
	r.press("3")
	r.end()
	if a, ok, _ := r.entry.Answer(); !ok || a.Answers[0].Choices[0] != 2 {
		t.Errorf("answer %+v, %v", a, ok)
	}
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
	r.until("it says who", func() bool { return strings.Contains(r.text(), "Already answered by askpane answer") })
	r.until("the draft is kept", func() bool { d := r.draft(); return len(d.Entries) == 1 && d.Entries[0] == "too late" })
	r.press("1")
	r.end()
	if a, ok, err := r.entry.Answer(); !ok || err != nil || a.By != "askpane answer" {
		t.Errorf("answer %+v, %v, %v", a, ok, err)
	}
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
	r.first.entry.Close()
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
	r.session.app.Post(func() { pause <- r.session.guard.pause })
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
	r.first.entry.Close()
	if len(pane.gone) != 2 || pane.gone[1] != "v" || !r.entry.Status().Aside {
		t.Errorf("went %q, put aside %v", pane.gone, r.entry.Status().Aside)
	}
	if a, ok, _ := r.entry.Answer(); ok {
		t.Errorf("going there answered: %+v", a)
	}
	if since := time.Since(r.spool.Queue("", "").Went()); since > time.Minute {
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
	r.sees("Not saved yet; any key tries again.")
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

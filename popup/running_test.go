package popup

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
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
	r.session = newSession(Config{Spool: s, Viewer: "v"}, drawn{screen, r.look, r.screenEnded}, s.Queue("", "v"), mine, first)
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

package display

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/tests/needs"
)

// whole is a terminal that a screen can be opened on.
type whole struct{ typed }

func (w *whole) Start() error        { return nil }
func (w *whole) Stop() error         { return nil }
func (w *whole) Close() error        { return nil }
func (w *whole) NotifyResize(func()) {}
func (w *whole) WindowSize() (tcell.WindowSize, error) {
	return tcell.WindowSize{Width: 80, Height: 24}, nil
}

// The title of the asking pane is marked and given back by others while a screen is
// open, so the screen has the terminal neither keep it nor set it.
func TestTitleIsLeftAlone(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "1") // and the terminal is asked nothing
	near := &whole{}
	screen, err := tcell.NewTerminfoScreenFromTty(newBatchTty(near))
	if err != nil {
		t.Fatal(err)
	}
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	Put(screen, 0, 0, 80, tcell.StyleDefault, strings.Repeat("word ", 40))
	screen.Show()
	screen.Fini()
	wrote := near.wrote.String()
	if !strings.Contains(wrote, "\x1b[?1049h") || !strings.Contains(wrote, "\x1b[?1049l") {
		t.Errorf("the screen is not the terminal's other one: %q", wrote)
	}
	for _, title := range []string{"\x1b[22;", "\x1b[23;", "\x1b]0;", "\x1b]2;"} {
		if strings.Contains(wrote, title) {
			t.Errorf("%q is in %q", title, wrote)
		}
	}
}

// silent is a terminal on which nothing is typed. It is read until the screen ends.
type silent struct {
	whole
	context.Context
	end context.CancelFunc
}

func (s *silent) Drain() error {
	s.end()
	return nil
}

func (s *silent) Read([]byte) (int, error) {
	<-s.Done()
	return 0, nil
}

// Of the mouse a terminal tells what is done with a button down, and no more: a text that is marked
// by a drag which ends beside its entry would be marked on by the moves after it, and replaced by the next key.
func TestMouseMovesNothingByItself(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	near := &silent{}
	near.Context, near.end = context.WithCancel(t.Context())
	batched := newBatchTty(near)
	screen, err := tcell.NewTerminfoScreenFromTty(batched)
	if err != nil {
		t.Fatal(err)
	}
	app := NewApp(&quiet{Screen: screen, tty: batched}, tview.NewBox())
	app.QueueEvent(quit)
	if err := app.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if wrote := near.wrote.String(); !strings.Contains(wrote, "\x1b[?1002h") || strings.Contains(wrote, "\x1b[?1003h") {
		t.Errorf("of the mouse it asks %q", wrote)
	}
}

// refused is a terminal that is gone when a screen is to begin on it.
type refused struct{ whole }

func (r *refused) Start() error { return syscall.EIO }

// Where the terminal cannot be had, the loop ends and says so: with nothing drawn and no key read,
// nothing would lead out of a popup.
func TestTerminalThatCannotBeHad(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	batched := newBatchTty(&refused{})
	screen, err := tcell.NewTerminfoScreenFromTty(batched)
	if err != nil {
		t.Fatal(err)
	}
	app := NewApp(&quiet{Screen: screen, tty: batched}, tview.NewBox())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(t.Context(), nil) }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), syscall.EIO.Error()) {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it never ends")
	}
}

// pasting is a terminal on which more is typed than anybody reads.
type pasting struct{ whole }

func (p *pasting) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'z'
	}
	return len(b), nil
}

// A screen ends also while a long text is pasted that nobody reads any more.
func TestScreenEndsInAPaste(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "1")
	for range 20 {
		tty := newBatchTty(&pasting{})
		screen, err := tcell.NewTerminfoScreenFromTty(tty)
		if err != nil {
			t.Fatal(err)
		}
		if err := screen.Init(); err != nil {
			t.Fatal(err)
		}
		events := screen.(interface{ EventQ() chan tcell.Event }).EventQ()
		if !needs.Within(20*time.Second, func() bool { return len(events) == cap(events) }) {
			t.Fatal("nothing is typed")
		}
		ended := make(chan bool)
		go func() {
			(&quiet{Screen: screen, tty: tty}).Fini()
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("it never ends")
		}
	}
}

// piecewise is a terminal whose input comes in pieces.
type piecewise struct {
	whole
	pieces chan string
	ends   chan struct{}
}

func (p *piecewise) Read(b []byte) (int, error) {
	select {
	case piece := <-p.pieces:
		return copy(b, piece), nil
	case <-p.ends:
		return 0, nil
	}
}

func (p *piecewise) Drain() error {
	close(p.ends)
	return nil
}

// pad takes what is typed and pasted.
type pad struct {
	*tview.Box
	got chan string
}

func (p *pad) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) { p.got <- "paste " + text }
}

func (p *pad) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(e *tcell.EventKey, _ func(tview.Primitive)) { p.got <- KeyName(e) }
}

// A paste whose end never comes is over at an Esc, and swallows no more keys; what comes behind
// the Esc of an end that came in two parts is no key.
func TestPasteWithoutEnd(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "1")
	tty := &piecewise{pieces: make(chan string), ends: make(chan struct{})}
	batched := newBatchTty(tty)
	screen, err := tcell.NewTerminfoScreenFromTty(batched)
	if err != nil {
		t.Fatal(err)
	}
	p := &pad{tview.NewBox(), make(chan string, 100)}
	app := NewApp(&quiet{Screen: screen, tty: batched}, p)
	ended := make(chan error)
	go func() { ended <- app.Run(t.Context(), nil) }()
	gets := func(want ...string) {
		t.Helper()
		for _, want := range want {
			select {
			case got := <-p.got:
				if got != want {
					t.Errorf("%q came, want %q", got, want)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%q never came", want)
			}
		}
	}
	for _, piece := range []string{"\x1b[200~ab", "c\x1b"} {
		tty.pieces <- piece
	}
	gets("paste abc")
	tty.pieces <- "[201~2"
	gets("2")
	tty.pieces <- "\x1b[200~d\x1b"
	gets("paste d")
	tty.pieces <- "[a"
	gets("a")
	tty.pieces <- "[\x1b[200~e\x1b[201~f"
	gets("[", "paste e", "f")
	app.QueueEvent(quit)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

package display

import (
	"strings"
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

// Of the mouse a terminal tells what is done with a button down, and no more: a text that is marked
// by a drag which ends beside its entry would be marked on by the moves after it, and replaced by the next key.
func TestMouseMovesNothingByItself(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	near := &whole{}
	batched := newBatchTty(near)
	screen, err := tcell.NewTerminfoScreenFromTty(batched)
	if err != nil {
		t.Fatal(err)
	}
	app := NewApp(&quiet{Screen: screen, tty: batched}, tview.NewBox())
	app.Quit()
	if err := app.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if wrote := near.wrote.String(); !strings.Contains(wrote, "\x1b[?1002h") || strings.Contains(wrote, "\x1b[?1003h") {
		t.Errorf("of the mouse it asks %q", wrote)
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

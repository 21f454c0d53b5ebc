package display

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
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

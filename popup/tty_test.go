package popup

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// written is a terminal that keeps what it is sent.
type written struct {
	tcell.Tty
	text strings.Builder
}

func (w *written) Write(p []byte) (int, error) { return w.text.Write(p) }
func (w *written) Stop() error                 { return nil }

// What surrounds the first frame goes with it, and where there is none, nothing
// does: a popup that must not show its form leaves the terminal as it is.
func TestNoFrameNothingWritten(t *testing.T) {
	below := &written{}
	tty := &batchTty{Tty: below, holding: true}
	send := func(text string) {
		t.Helper()
		if n, err := tty.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	stop := func(want string) {
		t.Helper()
		if err := tty.Stop(); err != nil {
			t.Fatal(err)
		}
		if got := below.text.String(); got != want {
			t.Errorf("the terminal got %q, want %q", got, want)
		}
	}
	send("enter ")
	send("leave ")
	stop("")
	frame := strings.Repeat("form ", frame)
	tty.Hold()
	send("enter ")
	send(frame)
	tty.Hold()
	send("leave ")
	stop("enter " + frame + "leave ")
}

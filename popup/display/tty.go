package display

import (
	"time"

	"github.com/gdamore/tcell/v2"
)

// frame is the size from which on a write is taken for a drawn screen and not
// for one of the many small sequences around it.
const frame = 128

// batchTty writes the dozen sequences that tcell sends one by one when it starts
// together with the first frame: each write wakes the multiplexer.
type batchTty struct {
	tcell.Tty
	held  []byte // until that frame
	drawn bool   // it has come

	afterCR bool // the last byte read was a carriage return
}

// Write is tcell.Tty's.
func (t *batchTty) Write(p []byte) (int, error) {
	if t.drawn = t.drawn || len(p) >= frame; t.drawn {
		return len(p), t.flush(p)
	}
	t.held = append(t.held, p...)
	return len(p), nil
}

// Stop is tcell.Tty's.
func (t *batchTty) Stop() error {
	_ = t.flush(nil) // a terminal that is gone cannot be restored
	return t.Tty.Stop()
}

// flush writes what was held, and p.
func (t *batchTty) flush(p []byte) error {
	_, err := t.Tty.Write(append(t.held, p...))
	t.held = nil
	return err
}

// Read is tcell.Tty's. A line end of CR LF, which only a paste has, becomes the
// CR that a terminal sends for Enter: tview would make two line breaks of it.
func (t *batchTty) Read(p []byte) (int, error) {
	for {
		before := time.Now()
		n, err := t.Tty.Read(p)
		if time.Since(before) > 5*time.Millisecond { // typed, and not the rest of a paste
			t.afterCR = false
		}
		kept := p[:0]
		for i, b := range p[:n] {
			// Esc twice in one breath, which tmux makes of two within its
			// escape-time, is a sequence to tcell that never ends.
			doubled := b == '\x1b' && i > 0 && p[i-1] == '\x1b'
			if !doubled && (b != '\n' || !t.afterCR) {
				kept = append(kept, b)
			}
			t.afterCR = b == '\r'
		}
		if len(kept) > 0 || n == 0 || err != nil {
			return len(kept), err
		}
	}
}

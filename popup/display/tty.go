package display

import (
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
)

// frame is the size from which on a write is taken for a drawn screen and not
// for one of the many small sequences around it.
const frame = 128

// batchTty writes the dozen sequences that tcell sends one by one when it starts
// together with the first frame, and those it sends when it ends all at once: each
// write wakes the multiplexer.
type batchTty struct {
	tcell.Tty
	mu      sync.Mutex
	holding bool
	held    []byte

	afterCR bool // the last byte read was a carriage return
}

func newBatchTty() (*batchTty, error) {
	tty, err := tcell.NewDevTty()
	return &batchTty{Tty: tty, holding: true}, err
}

// hold keeps small writes back until a frame comes or the terminal is let go.
func (t *batchTty) hold() {
	t.mu.Lock()
	t.holding = true
	t.mu.Unlock()
}

// Write is tcell.Tty's.
func (t *batchTty) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = append(t.held, p...)
	if t.holding && len(p) < frame {
		return len(p), nil
	}
	t.holding = false
	return len(p), t.flush()
}

// Stop is tcell.Tty's.
func (t *batchTty) Stop() error {
	t.mu.Lock()
	_ = t.flush() // a terminal that is gone cannot be restored
	t.mu.Unlock()
	return t.Tty.Stop()
}

func (t *batchTty) flush() error {
	held := t.held
	t.held = nil
	if len(held) == 0 {
		return nil
	}
	_, err := t.Tty.Write(held)
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

package display

import (
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
)

// frame is the size from which on a write is taken for a drawn screen and not
// for one of the many small sequences around it.
const frame = 128

// batchTty writes the dozen sequences that tcell sends one by one when it starts
// together with the first frame: each write wakes the multiplexer. With that frame it
// asks the terminal for its colours. Nobody waits for the answer; it is read beside
// the keys, and is none.
type batchTty struct {
	tcell.Tty
	question string // empty where it is not asked
	told     func() // is called when there are answers
	held     []byte // until that frame
	drawn    bool   // it has come

	afterCR bool // the last byte read was a carriage return

	mu       sync.Mutex // guards the rest
	own      colours
	input    string        // since the question was asked, until all has been said
	owed     chan struct{} // is closed when all has been said; nil where nothing was asked
	draining bool          // nobody wants the input any more
}

func newBatchTty(tty tcell.Tty) *batchTty {
	t := &batchTty{Tty: tty, told: func() {}}
	if os.Getenv("NO_COLOR") == "" {
		t.own = hinted()
		if os.Getenv("TERM") != "linux" { // whose console shows what it does not know
			t.question = question
		}
	}
	return t
}

// colours are what is known of the terminal's.
func (t *batchTty) colours() colours {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.own
}

// Write is tcell.Tty's.
func (t *batchTty) Write(p []byte) (int, error) {
	first := !t.drawn && len(p) >= frame
	if t.drawn = t.drawn || first; !t.drawn {
		t.held = append(t.held, p...)
		return len(p), nil
	}
	if !first || t.question == "" {
		return len(p), t.flush(p)
	}
	t.mu.Lock()
	t.owed = make(chan struct{})
	t.mu.Unlock()
	return len(p), t.flush(append(slices.Clone(p), t.question...))
}

// mostAnswered is more than a terminal says in answer to the question.
const mostAnswered = 4 << 10

// noKey ends a sequence that is a key to nobody.
const noKey = 'y'

// listen takes what of the input answers the question, and reports whether the input
// is nobody's: of a form that is over, whose answers are still to come. tcell (2.13)
// takes the end of what comes last, a c, for Shift+Right; listen makes a letter of it
// that is no key, whether or not the rest has been read before.
func (t *batchTty) listen(input []byte) (nobodys bool) {
	t.mu.Lock()
	told := func() {}
	if t.owed != nil {
		t.input += string(input)
		last := allSaid().FindStringIndex(t.input)
		if nobodys = t.draining; last != nil || len(t.input) > mostAnswered {
			if last != nil {
				input[last[1]-1-(len(t.input)-len(input))] = noKey
			}
			if said := answers(t.input); len(said) > 0 {
				t.own, told = t.own.with(said), t.told
			}
			close(t.owed)
			t.owed, t.input, nobodys = nil, "", false
		}
	}
	t.mu.Unlock()
	told()
	return nobodys
}

// answerLimit is how long the end of a form waits for answers, which the shell after
// it would take for typed.
const answerLimit = 300 * time.Millisecond

// Drain is tcell.Tty's. It is called when no more input is wanted.
func (t *batchTty) Drain() error {
	t.mu.Lock()
	owed := t.owed
	t.draining = true
	t.mu.Unlock()
	if owed != nil {
		select {
		case <-owed:
		case <-time.After(answerLimit):
		}
	}
	t.mu.Lock()
	t.draining = false
	t.mu.Unlock()
	return t.Tty.Drain()
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
		if t.listen(p[:n]) && err == nil && n > 0 {
			continue
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

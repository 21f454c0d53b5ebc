package display

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
)

// From this size on a write counts as a drawn screen and not
// for one of the many small sequences around it.
const frame = 128

// batchTty writes the dozen sequences that tcell sends one by one when it starts
// together with the first frame: each write wakes the multiplexer. With that frame it
// asks the terminal for its colours. Nobody waits for the answer; it is read beside
// the keys, and is none.
type batchTty struct {
	tcell.Tty
	question string // empty where it is not asked, or was
	told     func() // is called when there are answers
	held     []byte // until that frame
	drawn    bool   // it has come

	rest    []byte // keys that were read and are still to be handed on
	afterCR bool   // the last byte read was a carriage return

	mu       sync.Mutex // guards the rest
	own      colours
	styles   map[tcell.Style]tcell.Style // as they are had with these colours
	answered string                      // the input since the question was asked, until all has been said
	begun    []byte                      // what of it may be the beginning of an answer
	owed     chan struct{}               // is closed when all has been said; nil where nothing was asked
	draining bool                        // nobody wants the input any more

	line   chan struct{} // is full while tcell puts in line what was read, and from the end of the screen on
	filled bool          // by what was read
}

func newBatchTty(tty tcell.Tty) *batchTty {
	return &batchTty{Tty: tty, told: func() {}, line: make(chan struct{}, 1), question: question(), own: hinted(), styles: map[tcell.Style]tcell.Style{}}
}

// had returns a style as it can be read on the terminal, in a colour that it has of so many.
func (t *batchTty) had(style tcell.Style, most int) tcell.Style {
	t.mu.Lock()
	defer t.mu.Unlock()
	as, known := t.styles[style]
	if !known {
		as = t.own.readable(style, most < 256)
		if fg, _, _ := as.Decompose(); fg.IsRGB() && most == 256 {
			as = as.Foreground(t.own.nearest(fg))
		}
		t.styles[style] = as
	}
	return as
}

// titles removes what tcell sends to have the terminal keep its title, and at the end set it
// again. None is set here, and the mark of a question that is over by then would come back.
var titles = strings.NewReplacer("\x1b[22;2t", "", "\x1b[23;2t", "", "\x1b[22;0;0t", "", "\x1b[23;0;0t", "")

func (t *batchTty) Write(p []byte) (int, error) {
	n := len(p)
	if n < frame {
		p = []byte(titles.Replace(string(p)))
	}
	if t.drawn = t.drawn || len(p) >= frame; !t.drawn {
		t.held = append(t.held, p...)
		return n, nil
	}
	if t.question != "" { // it is asked once
		t.mu.Lock()
		t.owed = make(chan struct{})
		t.mu.Unlock()
		p, t.question = append(slices.Clone(p), t.question...), ""
	}
	return n, t.flush(p)
}

// No terminal says so much in answer to the question.
const mostAnswered = 4 << 10

// listen takes what answers the question out of the input, and returns the rest: keys.
// tcell (2.13) would take an Esc right before an answer for the beginning of it, and the
// end of the last one for Shift+Right. What may be the beginning of an answer is held
// until the rest has come: an Esc where it is among answers only. The keys of a form that
// is over are nobody's.
func (t *batchTty) listen(input []byte) (keys []byte) {
	t.mu.Lock()
	if t.owed == nil && !bytes.Contains(input, []byte("\x1b]")) { // GNU screen has the terminal answer, later
		t.mu.Unlock()
		return input
	}
	input = append(t.begun, input...)
	t.answered += string(input[len(t.begun):])
	done := t.owed == nil || allSaid().MatchString(t.answered) || len(t.answered) > mostAnswered
	keys, t.begun = answer().ReplaceAll(input, nil), nil
	at := beginning().FindIndex(keys)
	if among := len(keys) < len(input); at != nil && (at[1]-at[0] > len("\x1b") || among) && !done {
		keys, t.begun = keys[:at[0]], keys[at[0]:]
	}
	if t.draining {
		keys = nil
	}
	told := func() {}
	if done {
		if said := answers(t.answered); len(said) > 0 {
			maps.Copy(t.own, said)
			clear(t.styles)
			told = t.told
		}
		if t.owed != nil {
			close(t.owed)
		}
		t.owed, t.answered = nil, ""
	}
	t.mu.Unlock()
	told()
	return keys
}

// The end of a form waits so long for answers, which the shell after
// it would take for typed.
const answerLimit = 300 * time.Millisecond

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

// Read reads keys. A line end of CR LF, which only a paste has, becomes the
// CR that a terminal sends for Enter: tview would make two line breaks of it.
func (t *batchTty) Read(p []byte) (int, error) {
	if t.filled {
		<-t.line
		t.filled = false
	}
	for len(t.rest) == 0 {
		before := time.Now()
		n, err := t.Tty.Read(p)
		if n == 0 {
			return 0, err
		}
		if time.Since(before) > 5*time.Millisecond { // typed, and not the rest of a paste
			t.afterCR = false
		}
		keys := t.listen(p[:n])
		for i, b := range keys {
			// Esc twice in one breath, which tmux makes of two within its
			// escape-time, is a sequence to tcell that never ends.
			doubled := b == '\x1b' && i > 0 && keys[i-1] == '\x1b'
			if !doubled && (b != '\n' || !t.afterCR) {
				t.rest = append(t.rest, b)
			}
			t.afterCR = b == '\r'
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	select {
	case t.line <- struct{}{}:
		t.filled = true
	default: // the screen ends
		n = 0
	}
	return n, nil
}

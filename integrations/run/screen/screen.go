// Package screen keeps what a program has drawn on its terminal, and in which
// modes it has left it, so that something can be drawn over it and taken away
// again.
//
// It touches no terminal and no process. The rule that must hold here: what a
// program did can be taken back to the byte that it last wrote, however its
// output was cut into pieces.
//
// charmbracelet/x/vt keeps the cells. It keeps neither the saved cursor nor the modes of the
// keyboard, and does some sequences otherwise than xterm; translate.go makes up for that.
package screen

import (
	"bytes"
	"io"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// latest bounds the output that waits to be drawn. Drawing is an order of magnitude slower
// than passing it on, and for most of it needless: what scrolls by leaves nothing behind
// (skip.go). This much takes some 10 ms, which a form that opens can wait; and it fits a
// processor's cache.
const latest = 64 << 10

// Screen follows a program's terminal. It is not safe for concurrent use.
type Screen struct {
	vt      *vt.Emulator
	parser  *ansi.Parser
	state   state
	waiting []byte // what has not been drawn yet; it begins with a whole piece
	kept    int    // how much of that Hold has given to be kept
	limit   int    // how much may wait
	status  string // the last report, of OSC 7501
}

// state keeps what a program leaves of its terminal besides the cells.
type state struct {
	modes     map[string]bool // that were set or reset
	pen       uv.Style
	link      string // OSC 8's parameters; empty for none
	charsets  [2]string
	regions   [2]region // that scroll, of the main and of the alternate screen
	wraps     bool      // the next sign goes to the next row
	keyboards int       // how often kitty's keyboard was changed and not changed back
	otherKeys int       // xterm's modifyOtherKeys
	saved     [2]*cursor
	title     string
	titled    bool
}

// region has the rows from top up to bottom.
type region struct{ top, bottom int }

// cursor was saved with DECSC.
type cursor struct {
	uv.Position
	pen uv.Style
}

// New makes an empty screen.
func New(width, height int) *Screen {
	s := &Screen{vt: vt.NewEmulator(width, height), parser: ansi.NewParser(), limit: latest}
	s.vt.SetScrollbackSize(1) // it cannot be none; nobody looks at it
	// What it would answer has no reader, and must not wait for one.
	_ = s.vt.InputPipe().(io.Closer).Close()
	s.reset()
	return s
}

func (s *Screen) reset() {
	whole := region{0, s.vt.Height()}
	s.state = state{modes: map[string]bool{}, regions: [2]region{whole, whole}, title: s.state.title, titled: s.state.titled}
}

func (s *Screen) Size() (width, height int) { return s.vt.Width(), s.vt.Height() }

// Resize changes the size, as a terminal does that does not reflow.
func (s *Screen) Resize(width, height int) {
	s.Flush()
	s.vt.Resize(width, height)
	s.state.regions, s.state.wraps = [2]region{{0, height}, {0, height}}, false
}

// Feed appends output, to be drawn when there is need to.
func (s *Screen) Feed(p []byte) {
	s.waiting = append(s.waiting, p...)
	if len(s.waiting) < s.limit {
		return
	}
	if s.skip(); len(s.waiting) >= latest/2 {
		s.Flush()
	}
	s.limit = latest + len(s.waiting) // of which a long sequence that has not ended may be left
}

// Flush draws all that was fed, up to a sequence or sign that has not ended.
func (s *Screen) Flush() {
	s.skip()
	s.draw(len(s.waiting), true)
}

// draw draws the pieces that end in the first n bytes of what waits; without their text where
// nobody will see it.
func (s *Screen) draw(n int, text bool) {
	at := 0
	for at < n {
		size, whole := Next(s.waiting[at:n])
		if !whole {
			break
		}
		switch piece := s.waiting[at : at+size]; {
		case !isText(piece):
			s.translate(piece)
		case text:
			s.print(piece)
		}
		at += size
	}
	s.drop(at)
}

// drop removes n bytes from what waits.
func (s *Screen) drop(n int) {
	s.waiting = append(s.waiting[:0], s.waiting[n:]...)
	s.kept = max(0, s.kept-n)
}

// Hold appends output whose terminal is not there to show it, and to answer: keep has to be
// written to one later, and the program gets answers.
func (s *Screen) Hold(p []byte) (keep []byte, answers string) {
	s.waiting = append(s.waiting, p...)
	for s.kept < len(s.waiting) {
		n, whole := Next(s.waiting[s.kept:])
		if !whole {
			break
		}
		piece := s.waiting[s.kept : s.kept+n]
		s.kept += n
		if asks(piece) {
			query := bytes.Clone(piece)
			s.draw(s.kept, true) // what is answered depends on what came before
			answers += s.answer(query)
		} else {
			keep = append(keep, piece...)
		}
	}
	s.Feed(nil)
	return keep, answers
}

// Rest returns the beginning of a sequence or of a sign that has not ended yet.
func (s *Screen) Rest() []byte {
	s.Flush()
	return s.waiting
}

// Ground reports whether what was fed so far ends where something of ours can
// be written without cutting a sequence of the program's in two.
func (s *Screen) Ground() bool { return len(s.Rest()) == 0 }

// Text returns what is to be seen, without colours: a line a row.
func (s *Screen) Text() string {
	s.Flush()
	return s.vt.String() + "\n"
}

// Title returns the last title that the program gave its window.
func (s *Screen) Title() (title string, ok bool) {
	s.Flush()
	return s.state.title, s.state.titled
}

// write and send are the ways to the emulator. They cannot fail: it is never closed.
func (s *Screen) write(p []byte)       { _, _ = s.vt.Write(p) }
func (s *Screen) send(sequence string) { _, _ = s.vt.WriteString(sequence) }

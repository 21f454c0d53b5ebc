// Package screen keeps what a program has drawn on its terminal, and in which
// modes it has left it, so that something can be drawn over it and taken away
// again.
//
// It touches no terminal and no process. The rule that must hold here: what a
// program did can be taken back to the byte that it last wrote, however its
// output was cut into pieces.
//
// The cells are charmbracelet/x/vt's. It keeps neither the saved cursor nor the
// modes of the keyboard, and does some sequences otherwise than xterm; those are
// seen to here, before it gets them (translate.go).
package screen

import (
	"bytes"
	"io"
	"maps"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// latest is how much output may wait to be drawn. That is an order of magnitude
// slower than passing it on, and for most of it needless: what scrolls by leaves
// nothing behind (skip.go). This much takes some 10 ms, which a form that opens can
// wait; and it fits a processor's cache.
const latest = 64 << 10

// Screen is one program's terminal. It is not safe for concurrent use.
type Screen struct {
	vt      *vt.Emulator
	parser  *ansi.Parser
	state   state
	waiting []byte // what has not been drawn yet; it begins with a whole piece
	kept    int    // how much of that Hold has given to be kept
	limit   int    // how much may wait
	// Answer, if set, gets what the terminal would answer to the program.
	Answer func(string)
}

// state is what a program leaves of its terminal besides the cells.
type state struct {
	modes     map[int]bool // DEC private modes that were set or reset
	insert    bool         // IRM
	keypad    bool         // application keypad
	pen       uv.Style
	link      string // OSC 8's parameters; empty for none
	charsets  [2]string
	shifted   bool      // G1 is in use
	regions   [2]region // that scroll, of the main and of the alternate screen
	wraps     bool      // the next sign goes to the next row
	keyboards int       // how often kitty's keyboard was changed and not changed back
	otherKeys int       // xterm's modifyOtherKeys
	saved     [2]*cursor
	title     string
	titled    bool
}

// region is the rows from top up to bottom.
type region struct{ top, bottom int }

// cursor is one that was saved with DECSC.
type cursor struct {
	x, y int
	pen  uv.Style
}

// The modes that matter for drawing over a program.
const (
	modeKeys   = 1
	modeOrigin = 6
	modeWrap   = 7
	modeShown  = 25
	modeSides  = 69 // DECLRMM
	modeAlt    = 1049
	modeSync   = 2026
	modeResize = 2048
)

// New is an empty screen.
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
	s.state = state{modes: map[int]bool{}, regions: [2]region{whole, whole}, title: s.state.title, titled: s.state.titled}
}

// Size is in cells.
func (s *Screen) Size() (width, height int) { return s.vt.Width(), s.vt.Height() }

// Resize changes the size, as a terminal does that does not reflow.
func (s *Screen) Resize(width, height int) {
	s.Settle()
	s.vt.Resize(width, height)
	s.state.regions = [2]region{{0, height}, {0, height}}
	s.state.wraps = false
}

// Feed takes output to be drawn when there is need to.
func (s *Screen) Feed(p []byte) {
	s.waiting = append(s.waiting, p...)
	if len(s.waiting) < s.limit {
		return
	}
	if s.drop(s.skip(s.waiting)); len(s.waiting) >= latest/2 {
		s.Settle()
	}
	s.limit = latest + len(s.waiting) // of which a long sequence that has not ended may be left
}

// Settle draws all that was fed, up to a sequence or sign that has not ended.
func (s *Screen) Settle() {
	s.drop(s.skip(s.waiting))
	s.draw(len(s.waiting))
}

// draw draws the pieces that end in the first n bytes of what waits.
func (s *Screen) draw(n int) {
	at := 0
	for at < n {
		size, whole := Next(s.waiting[at:n])
		if !whole {
			break
		}
		if piece := s.waiting[at : at+size]; isText(piece) {
			s.print(piece)
		} else {
			s.translate(piece)
		}
		at += size
	}
	s.drop(at)
}

func isText(piece []byte) bool {
	return piece[0] != escape && piece[0] != shiftOut && piece[0] != shiftIn
}

// drop takes n bytes from what waits.
func (s *Screen) drop(n int) {
	s.waiting = append(s.waiting[:0], s.waiting[n:]...)
	s.kept = max(0, s.kept-n)
}

// Hold takes output whose terminal is not there to show it, and to answer: each
// piece that would have to be written to one later goes to keep. Answer answers
// the rest.
func (s *Screen) Hold(p []byte, keep func([]byte)) {
	s.waiting = append(s.waiting, p...)
	for s.kept < len(s.waiting) {
		n, whole := Next(s.waiting[s.kept:])
		if !whole {
			break
		}
		piece := s.waiting[s.kept : s.kept+n]
		s.kept += n
		if asks(piece) {
			s.draw(s.kept) // what is answered depends on what came before
		} else {
			keep(piece)
		}
	}
	s.Feed(nil)
}

// Rest is the beginning of a sequence or of a sign that has not ended yet.
func (s *Screen) Rest() []byte {
	s.Settle()
	return s.waiting
}

// Ground reports whether what was fed so far ends where something of ours can
// be written without cutting a sequence of the program's in two.
func (s *Screen) Ground() bool { return len(s.Rest()) == 0 }

// Text is what is to be seen, without colours: a line a row.
func (s *Screen) Text() string {
	s.Settle()
	var b strings.Builder
	for _, line := range s.cells().Lines {
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Title is the last title that the program gave its window.
func (s *Screen) Title() (title string, ok bool) {
	s.Settle()
	return s.state.title, s.state.titled
}

// mode reports whether a DEC private mode is on.
func (st *state) mode(n int) bool {
	on, known := st.modes[n]
	if !known {
		return n == modeWrap || n == modeShown // on from the start
	}
	return on
}

// print writes text, and the control characters in it, to the emulator.
func (s *Screen) print(text []byte) {
	last := len(text) - 1
	if !s.state.insert && !bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		s.write(text[:last])
		s.printOne(text[last:], 1)
		return
	}
	text = bytes.ToValidUTF8(text, []byte("\uFFFD")) // of half a sign vt would wait for the rest
	for len(text) > 0 {
		cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if len(cluster) == 0 {
			cluster = text[:1]
		}
		s.printOne(cluster, width)
		text = text[len(cluster):]
	}
}

// printOne writes one sign or control character.
func (s *Screen) printOne(sign []byte, width int) {
	switch first := sign[0]; {
	case first < ' ' || first == 0x7f:
		s.write(sign)
		if first != bell && first != 0 {
			s.state.wraps = false
		}
	case width == 0: // belongs to the sign before
		s.combine(sign)
	default:
		s.printSign(sign, width)
	}
}

// printSign writes one sign, and sees whether the next one wraps.
func (s *Screen) printSign(sign []byte, width int) {
	right, wrapping := s.vt.Width()-1, s.state.mode(modeWrap)
	before := s.vt.CursorPosition()
	if width == 2 && before.X == right && wrapping && !s.state.wraps {
		s.write([]byte(" ")) // xterm leaves the cell and goes on in the next row
	}
	if s.state.insert {
		s.write([]byte("\x1b[" + string('0'+byte(width)) + "@"))
	}
	rest := sign[:0]
	if sign[0] < utf8.RuneSelf { // vt loses what combines with an ASCII sign
		sign, rest = sign[:1], sign[1:]
	}
	s.write(sign)
	after := s.vt.CursorPosition()
	s.state.wraps = wrapping && after.X == right && before.X == right && after.Y == before.Y
	if wrapping && width == 2 && before.X == right-1 && after.X == right { // vt does not know that the next one wraps
		wide := s.vt.CellAt(right-1, after.Y).Clone()
		s.write([]byte(" "))
		s.vt.SetCell(right-1, after.Y, wide)
		s.state.wraps = true
	}
	if len(rest) > 0 {
		s.combine(rest)
	}
}

// combine adds to the sign before the cursor.
func (s *Screen) combine(more []byte) {
	at := s.vt.CursorPosition()
	if !s.state.wraps {
		at.X--
	}
	c := s.vt.CellAt(at.X, at.Y)
	if c != nil && c.Width == 0 && c.Content == "" {
		at.X--
		c = s.vt.CellAt(at.X, at.Y)
	}
	if c != nil && c.Content != "" && len(c.Content) < longestSign {
		c = c.Clone()
		c.Content += string(more)
		s.vt.SetCell(at.X, at.Y, c)
	}
}

// longestSign is more than any script piles onto one letter, in bytes.
const longestSign = 64

// write is the one way to the emulator. It cannot fail: it is never closed.
func (s *Screen) write(p []byte) { _, _ = s.vt.Write(p) }

func (st state) clone() state {
	st.modes = maps.Clone(st.modes)
	return st
}

package popup

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// steady is a screen that passes on what a cell holds when everything is drawn.
// tview clears the screen and the form before it draws, and for tcell (2.13) a
// cell that held something else in between has changed: every tick of the clock
// sent the whole form to the terminal again.
//
// Only what is not there already is passed on, which for tcell takes two
// allocations and a look for grapheme clusters for each cell: on the first
// screen that is what is not blank, and then what has changed.
//
// Only SetContent, Fill and Clear wait for Show; tview and we draw by nothing
// else.
type steady struct {
	tcell.Screen
	init          sync.Once
	failed        error // of init
	width, height int
	cells         []cell
	looks         []tcell.Style         // the styles of cells
	known         map[tcell.Style]int32 // where each is in looks
	look          int32                 // the one set last
	marks         [][]rune              // what follows the first sign of some cells
	resized       atomic.Bool           // the terminal may have lost cells since the last drawing
}

// cell is small: fresh memory for a screen of cells that hold a whole style each
// took half a millisecond of the first paint.
type cell struct {
	sign  rune
	look  int32 // in looks, counted from 1; 0 does not wait
	marks int32 // in marks, counted from 1; 0 has none
	shown rune  // what was passed on last
	as    int32 // in looks, counted from 1; 0 is not known
}

// manyLooks bounds looks; a form has some dozens.
const manyLooks = 1000

// Init is tcell.Screen's, which is done once: tview starts every screen that it
// is given, this one perhaps for the second time.
func (s *steady) Init() error {
	s.init.Do(func() { s.failed = s.Screen.Init() })
	return s.failed
}

// SetContent is tcell.Screen's.
func (s *steady) SetContent(x, y int, sign rune, more []rune, style tcell.Style) {
	c := s.at(x, y)
	if c == nil {
		return
	}
	c.sign, c.look, c.marks = sign, s.lookOf(style), 0
	if len(more) > 0 {
		s.marks = append(s.marks, more)
		c.marks = int32(len(s.marks))
	}
}

func (s *steady) lookOf(style tcell.Style) int32 {
	if s.look > 0 && s.looks[s.look-1] == style {
		return s.look
	}
	look, ok := s.known[style]
	if !ok {
		if s.known == nil {
			s.known = map[tcell.Style]int32{}
		}
		s.looks = append(s.looks, style)
		look = int32(len(s.looks))
		s.known[style] = look
	}
	s.look = look
	return look
}

// at is the cell there; nil outside the screen. What waits for a screen of
// another size is forgotten: after a change of size everything is drawn.
func (s *steady) at(x, y int) *cell {
	if w, h := s.Size(); w != s.width || h != s.height {
		first := s.cells == nil
		s.width, s.height, s.cells = w, h, make([]cell, w*h)
		if s.look, s.marks = 0, s.marks[:0]; first {
			s.blank()
		}
	}
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		return nil
	}
	return &s.cells[y*s.width+x]
}

// blank takes note of what a screen of tcell's holds at first.
func (s *steady) blank() {
	look := s.lookOf(tcell.StyleDefault)
	for i := range s.cells {
		s.cells[i].shown, s.cells[i].as = ' ', look
	}
}

// forget has every cell passed on that is drawn next.
func (s *steady) forget() {
	for i := range s.cells {
		s.cells[i].as = 0
	}
}

// holds is what a cell that waits holds.
func (s *steady) holds(c *cell) (sign rune, more []rune, style tcell.Style) {
	if c.marks > 0 {
		more = s.marks[c.marks-1]
	}
	return c.sign, more, s.looks[c.look-1]
}

// Get is tcell.Screen's.
func (s *steady) Get(x, y int) (string, tcell.Style, int) {
	if c := s.at(x, y); c != nil && c.look > 0 {
		sign, more, style := s.holds(c)
		held := text(sign, more)
		return held, style, uniseg.StringWidth(held)
	}
	return s.Screen.Get(x, y)
}

// GetContent is tcell.Screen's.
func (s *steady) GetContent(x, y int) (rune, []rune, tcell.Style, int) {
	if c := s.at(x, y); c != nil && c.look > 0 {
		sign, more, style := s.holds(c)
		return sign, more, style, uniseg.StringWidth(text(sign, more))
	}
	return s.Screen.GetContent(x, y) //lint:ignore SA1019 tview asks by it
}

// Clear is tcell.Screen's.
func (s *steady) Clear() { s.Fill(' ', tcell.StyleDefault) }

// Fill is tcell.Screen's.
func (s *steady) Fill(sign rune, style tcell.Style) {
	s.at(0, 0)
	for y := range s.height {
		for x := range s.width {
			s.SetContent(x, y, sign, nil, style)
		}
	}
}

// Show is tcell.Screen's.
func (s *steady) Show() {
	s.pass()
	s.Screen.Show()
}

// Sync is tcell.Screen's.
func (s *steady) Sync() {
	s.pass()
	s.Screen.Sync()
}

// PollEvent is tcell.Screen's. Where the size has changed, and perhaps back,
// tcell has forgotten cells.
func (s *steady) PollEvent() tcell.Event {
	e := s.Screen.PollEvent()
	if _, ok := e.(*tcell.EventResize); ok {
		s.resized.Store(true)
	}
	return e
}

// pass passes on what waits, in the order of the screen.
func (s *steady) pass() {
	s.at(0, 0)
	if s.resized.Swap(false) {
		s.forget()
	}
	for i := range s.cells {
		c := &s.cells[i]
		if c.look == 0 || c.marks == 0 && c.sign == c.shown && c.look == c.as {
			c.look = 0
			continue
		}
		sign, more, style := s.holds(c)
		s.Screen.Put(i%s.width, i/s.width, text(sign, more), style)
		if c.shown, c.as = sign, c.look; c.marks > 0 {
			c.as = 0
		}
		c.look = 0
	}
	if s.marks = s.marks[:0]; len(s.looks) > manyLooks {
		s.look, s.looks = 0, s.looks[:0]
		clear(s.known)
		s.forget()
	}
}

// ascii is every sign of ASCII, for parts of it that need no memory.
var ascii = func() string {
	var all [utf8.RuneSelf]byte
	for i := range all {
		all[i] = byte(i)
	}
	return string(all[:])
}()

// text is what a cell holds as a string.
func text(sign rune, more []rune) string {
	if sign >= 0 && sign < utf8.RuneSelf && len(more) == 0 {
		return ascii[sign : sign+1]
	}
	return string(sign) + string(more)
}

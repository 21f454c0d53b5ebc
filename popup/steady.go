package popup

import (
	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text/cells"
)

// steady is a screen that passes on what a cell holds when everything is drawn.
// tview clears the screen and the form before it draws, and for tcell (2.13) a
// cell that held something else in between has changed: every tick of the clock
// sent the whole form to the terminal again.
//
// Only SetContent, Fill and Clear wait for Show; tview and we draw by nothing
// else.
type steady struct {
	tcell.Screen
	width, height int
	cells         []cell
	looks         []tcell.Style         // those of the cells that wait
	known         map[tcell.Style]int32 // where each is in looks
	look          int32                 // the one set last
	marks         [][]rune              // what follows the first sign of some cells
}

// cell is small: fresh memory for a screen of cells that hold a whole style each
// took half a millisecond of the first paint.
type cell struct {
	sign  rune
	look  int32 // in looks, counted from 1; 0 does not wait
	marks int32 // in marks, counted from 1; 0 has none
}

// SetContent is tcell.Screen's.
func (s *steady) SetContent(x, y int, sign rune, more []rune, style tcell.Style) {
	c := s.at(x, y)
	if c == nil {
		return
	}
	*c = cell{sign: sign, look: s.lookOf(style)}
	if len(more) > 0 && (more[0] == 0xfe0e || more[0] == 0xfe0f) { // of what is typed: the text area keeps them (text.Bare)
		more = more[1:]
	}
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
		s.width, s.height, s.cells = w, h, make([]cell, w*h)
		s.forget()
	}
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		return nil
	}
	return &s.cells[y*s.width+x]
}

// forget ends a drawing: no cell waits for one.
func (s *steady) forget() {
	s.look, s.looks, s.marks = 0, s.looks[:0], s.marks[:0]
	clear(s.known)
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
		text := string(sign) + string(more)
		return text, style, cells.Width(text)
	}
	return s.Screen.Get(x, y)
}

// GetContent is tcell.Screen's.
func (s *steady) GetContent(x, y int) (rune, []rune, tcell.Style, int) {
	if c := s.at(x, y); c != nil && c.look > 0 {
		sign, more, style := s.holds(c)
		return sign, more, style, cells.Width(string(sign) + string(more))
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

func (s *steady) pass() {
	s.at(0, 0)
	for i := range s.cells {
		if c := &s.cells[i]; c.look > 0 {
			sign, more, style := s.holds(c)
			c.look = 0
			s.Screen.SetContent(i%s.width, i/s.width, sign, more, style)
		}
	}
	s.forget()
}

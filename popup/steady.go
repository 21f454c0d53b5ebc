package popup

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
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
	drawn         []int // those that wait
}

type cell struct {
	sign  rune
	more  []rune
	style tcell.Style
	waits bool
}

// SetContent is tcell.Screen's.
func (s *steady) SetContent(x, y int, sign rune, more []rune, style tcell.Style) {
	c := s.at(x, y)
	if c == nil {
		return
	}
	if !c.waits {
		s.drawn = append(s.drawn, y*s.width+x)
	}
	*c = cell{sign, more, style, true}
}

// at is the cell there; nil outside the screen. What waits for a screen of
// another size is forgotten: after a change of size everything is drawn.
func (s *steady) at(x, y int) *cell {
	if w, h := s.Size(); w != s.width || h != s.height {
		s.width, s.height, s.cells, s.drawn = w, h, make([]cell, w*h), nil
	}
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		return nil
	}
	return &s.cells[y*s.width+x]
}

// Get is tcell.Screen's.
func (s *steady) Get(x, y int) (string, tcell.Style, int) {
	if c := s.at(x, y); c != nil && c.waits {
		text := string(c.sign) + string(c.more)
		return text, c.style, uniseg.StringWidth(text)
	}
	return s.Screen.Get(x, y)
}

// GetContent is tcell.Screen's.
func (s *steady) GetContent(x, y int) (rune, []rune, tcell.Style, int) {
	if c := s.at(x, y); c != nil && c.waits {
		return c.sign, c.more, c.style, uniseg.StringWidth(string(c.sign) + string(c.more))
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
	for _, i := range s.drawn {
		c := &s.cells[i]
		c.waits = false
		s.Screen.SetContent(i%s.width, i/s.width, c.sign, c.more, c.style)
	}
	s.drawn = s.drawn[:0]
}

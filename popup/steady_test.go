package popup

import (
	"testing"

	"github.com/gdamore/tcell/v2"
)

// counting counts what is passed on to the terminal's screen.
type counting struct {
	tcell.SimulationScreen
	set map[[2]int]int
}

func (c *counting) SetContent(x, y int, sign rune, more []rune, style tcell.Style) {
	c.set[[2]int{x, y}]++
	c.SimulationScreen.SetContent(x, y, sign, more, style)
}

// A cell that is cleared and drawn is passed on once, with what was drawn last,
// and reads so even before.
func TestSteady(t *testing.T) {
	below := &counting{tcell.NewSimulationScreen("UTF-8"), map[[2]int]int{}}
	if err := below.Init(); err != nil {
		t.Fatal(err)
	}
	defer below.Fini()
	below.SetSize(10, 3)
	s := &steady{Screen: below}
	for y := range 3 {
		for x := range 10 {
			s.SetContent(x, y, ' ', nil, tcell.StyleDefault)
		}
	}
	draw(s, 1, 1, 9, line{{"e\u0301日a", tcell.StyleDefault}})
	s.SetContent(99, 1, 'x', nil, tcell.StyleDefault)
	s.SetContent(1, -1, 'x', nil, tcell.StyleDefault)
	if text, _, width := s.Get(2, 1); text != "日" || width != 2 {
		t.Errorf("before Show the cell holds %q, %d wide", text, width)
	}
	if sign, more, _, _ := s.GetContent(1, 1); string(sign)+string(more) != "e\u0301" {
		t.Errorf("before Show the cell holds %q", string(sign)+string(more))
	}
	if len(below.set) > 0 {
		t.Errorf("before Show %d cells were passed on", len(below.set))
	}
	s.Show()
	for at, times := range below.set {
		if times != 1 {
			t.Errorf("the cell %v was passed on %d times", at, times)
		}
	}
	if len(below.set) != 30 {
		t.Errorf("%d cells were passed on, of 30", len(below.set))
	}
	if text, _, _ := below.Get(2, 1); text != "日" {
		t.Errorf("the terminal's cell holds %q", text)
	}
	clear(below.set)
	s.SetContent(0, 0, 'x', nil, tcell.StyleDefault)
	s.Clear()
	s.Show()
	if text, _, _ := below.Get(0, 0); text != " " || below.set[[2]int{0, 0}] != 1 {
		t.Errorf("after Clear the cell holds %q, and is passed on %d times", text, below.set[[2]int{0, 0}])
	}
	clear(below.set)
	s.SetContent(4, 2, 'y', nil, tcell.StyleDefault)
	below.SetSize(5, 2) // that cell is not there any more
	s.SetContent(4, 1, 'z', nil, tcell.StyleDefault)
	s.Sync()
	if text, _, _ := below.Get(4, 1); text != "z" || len(below.set) != 1 {
		t.Errorf("in another size the cell holds %q, and %d are passed on", text, len(below.set))
	}
}

package popup

import (
	"maps"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// counting counts what is passed on to the terminal's screen.
type counting struct {
	tcell.SimulationScreen
	set map[[2]int]int
}

func (c *counting) Put(x, y int, text string, style tcell.Style) (string, int) {
	c.set[[2]int{x, y}]++
	return c.SimulationScreen.Put(x, y, text, style)
}

// A cell that is cleared and drawn is passed on once, with what was drawn last,
// and reads so even before. One that holds that already is not passed on.
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
	if want := map[[2]int]int{{1, 1}: 1, {2, 1}: 1, {4, 1}: 1}; !maps.Equal(below.set, want) {
		t.Errorf("these cells were passed on so often: %v, want %v", below.set, want)
	}
	if text, _, _ := below.Get(2, 1); text != "日" {
		t.Errorf("the terminal's cell holds %q", text)
	}
	clear(below.set)
	s.SetContent(0, 0, 'x', nil, tcell.StyleDefault)
	s.Clear()
	s.SetContent(4, 1, 'a', nil, tcell.StyleDefault.Bold(true))
	s.Show()
	if want := map[[2]int]int{{1, 1}: 1, {2, 1}: 1, {4, 1}: 1}; !maps.Equal(below.set, want) {
		t.Errorf("after Clear these cells were passed on: %v, want %v", below.set, want)
	}
	if text, style, _ := below.Get(4, 1); text != "a" || style != tcell.StyleDefault.Bold(true) {
		t.Errorf("the cell holds %q in %v", text, style)
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

// A terminal that was made smaller and as large again has lost cells, which the
// next drawing brings back.
func TestSteadyResized(t *testing.T) {
	below := tcell.NewSimulationScreen("UTF-8")
	if err := below.Init(); err != nil {
		t.Fatal(err)
	}
	defer below.Fini()
	below.SetSize(10, 3)
	s := &steady{Screen: below}
	show := func() {
		s.Clear()
		draw(s, 1, 2, 9, line{{"text", tcell.StyleDefault}})
		s.Show()
	}
	show()
	below.SetSize(10, 1)
	below.SetSize(10, 3)
	if err := below.PostEvent(tcell.NewEventResize(10, 3)); err != nil { // as a terminal does
		t.Fatal(err)
	}
	for {
		if _, resized := s.PollEvent().(*tcell.EventResize); resized {
			break
		}
	}
	if text, _, _ := below.Get(1, 2); text == "t" {
		t.Fatal("the screen has lost nothing, so that this shows nothing")
	}
	show()
	if text, _, _ := below.Get(1, 2); text != "t" {
		t.Errorf("the cell holds %q", text)
	}
}

// More styles than are kept cost no cell.
func TestSteadyManyLooks(t *testing.T) {
	below := tcell.NewSimulationScreen("UTF-8")
	if err := below.Init(); err != nil {
		t.Fatal(err)
	}
	defer below.Fini()
	below.SetSize(100, 30)
	s := &steady{Screen: below}
	for round := range 3 {
		style := func(x, y int) tcell.Style {
			return tcell.StyleDefault.Foreground(tcell.NewHexColor(int32(x + 100*y + round)))
		}
		for y := range 30 {
			for x := range 100 {
				s.SetContent(x, y, 'x', nil, style(x, y))
			}
		}
		s.Show()
		for y := range 30 {
			for x := range 100 {
				if text, got, _ := below.Get(x, y); text != "x" || got != style(x, y) {
					t.Fatalf("round %d: the cell %d, %d holds %q in %v", round, x, y, text, got)
				}
			}
		}
	}
}

package display

import (
	"testing"

	"github.com/gdamore/tcell/v2"
)

// counting counts what is passed on to the terminal's screen.
type counting struct {
	tcell.SimulationScreen
	set map[[2]int]int
}

func (c *counting) Put(x, y int, sign string, style tcell.Style) (string, int) {
	c.set[[2]int{x, y}]++
	return c.SimulationScreen.Put(x, y, sign, style)
}

// What is drawn as it was is not passed on as something that changed, and reads so
// even before.
func TestQuiet(t *testing.T) {
	t.Parallel()
	below := &counting{tcell.NewSimulationScreen("UTF-8"), map[[2]int]int{}}
	if err := below.Init(); err != nil {
		t.Fatal(err)
	}
	defer below.Fini()
	below.SetSize(10, 3)
	q := &quiet{Screen: below, tty: &batchTty{}}
	frame := func() {
		q.Clear()
		for y := range 3 { // as a box does
			for x := range 10 {
				q.SetContent(x, y, ' ', nil, tcell.StyleDefault)
			}
		}
		Put(q, 1, 1, 9, tcell.StyleDefault, "e\u0301日a")
		q.SetContent(99, 1, 'x', nil, tcell.StyleDefault)
		q.SetContent(1, -1, 'x', nil, tcell.StyleDefault)
	}
	frame()
	if text, _, width := q.Get(2, 1); text != "日" || width != 2 {
		t.Errorf("before Show the cell holds %q, %d wide", text, width)
	}
	if sign, more, _, _ := q.GetContent(1, 1); string(sign)+string(more) != "e\u0301" {
		t.Errorf("before Show the cell holds %q", string(sign)+string(more))
	}
	for range 2 {
		q.Show()
		for at, times := range below.set {
			if times != 1 {
				t.Errorf("the cell %v was passed on %d times", at, times)
			}
		}
		if len(below.set) != 29 { // the wide sign has two
			t.Errorf("%d cells were passed on, want 29", len(below.set))
		}
		if text, _, _ := below.Get(2, 1); text != "日" {
			t.Errorf("the terminal's cell holds %q", text)
		}
		clear(below.set)
		frame()
	}
	q.SetContent(0, 0, 'x', nil, tcell.StyleDefault)
	q.Clear()
	if text, _, _ := q.Get(2, 1); text != " " {
		t.Errorf("after Clear the cell holds %q", text)
	}
	q.Show()
	if text, _, _ := below.Get(0, 0); text != " " {
		t.Errorf("after Clear the terminal's cell holds %q", text)
	}
	q.Clear()
	below.SetSize(5, 2) // some cells are not there any more
	q.SetContent(4, 1, 'z', []rune{0xfe0f}, tcell.StyleDefault)
	q.Show()
	if text, _, _ := below.Get(4, 1); text != "z" {
		t.Errorf("in another size the cell holds %q", text)
	}
}

// Of an emoji of several the first is shown, since hosts count other cells for it; what
// else is joined stays.
func TestJoinedEmoji(t *testing.T) {
	t.Parallel()
	q := &quiet{tty: &batchTty{}}
	q.next.Resize(10, 1)
	Put(q, 0, 0, 10, tcell.StyleDefault, "👩\u200d👩\u200d👧\u200d👦")
	q.SetContent(3, 0, 'क', []rune{0x94d, 0x200d}, tcell.StyleDefault)
	for x, want := range map[int]string{0: "👩", 3: "क\u094d\u200d"} {
		if got, _, _ := q.Get(x, 0); got != want {
			t.Errorf("in column %d stands %q, want %q", x, got, want)
		}
	}
}

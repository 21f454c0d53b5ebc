package popup

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
)

// boxed is a form on a terminal where it draws its own box.
func boxed(t *testing.T, request string, width, height int) *stage {
	t.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	s := stageWith(t, f, nil)
	s.view.boxed, s.view.padding = true, layout.Padding
	s.resize(width, height)
	return s
}

// own is the box as it was drawn; of no columns where there is none.
func (s *stage) own() (b box) {
	s.Helper()
	sign := func(x, y int) string { sign, _, _ := s.screen.Get(x, y); return sign }
	width, height := s.screen.Size()
	for b.y < height && sign(b.x, b.y) != "╭" {
		if b.x++; b.x == width {
			b.x, b.y = 0, b.y+1
		}
	}
	if b.y == height {
		return box{}
	}
	for x := b.x; b.columns == 0; x++ {
		if sign(x, b.y) == "╮" {
			b.columns = x + 1 - b.x
		}
	}
	for y := b.y; b.rows == 0; y++ {
		if sign(b.x, y) == "╰" {
			b.rows = y + 1 - b.y
		}
	}
	for y := b.y + 1; y < b.y+b.rows-1; y++ {
		if sign(b.x, y) != "│" || sign(b.x+b.columns-1, y) != "│" {
			s.Errorf("the border has a gap in row %d:\n%s", y, s.text())
		}
	}
	return b
}

// The box is as large as the form and in the middle, and there is none where its border
// would take what the form needs.
func TestOwnBox(t *testing.T) {
	t.Parallel()
	boxed(t, threeQuestions, 100, 30).golden("box-100x30", false)
	for _, c := range []struct {
		request       string
		width, height int
		want          box
	}{
		{oneQuestion, 100, 30, box{x: 12, y: 9, columns: 76, rows: 12}},
		{oneQuestion, 60, 16, box{x: 0, y: 1, columns: 60, rows: 14}},
		{oneQuestion, 60, 14, box{x: 0, y: 0, columns: 60, rows: 14}},
		{oneQuestion, 60, 13, box{}},
		{oneQuestion, 59, 30, box{}},
		{longQuestion, 100, 30, box{x: 0, y: 0, columns: 100, rows: 30}},
		{longQuestion, 100, 15, box{}},
	} {
		if got := boxed(t, c.request, c.width, c.height).own(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("on %dx%d the box is %v, want %v", c.width, c.height, got, c.want)
		}
	}
}

// It grows with what is on view, from the same place, and becomes as small again.
func TestOwnBoxGrows(t *testing.T) {
	t.Parallel()
	s := boxed(t, oneQuestion, 100, 30)
	small := s.own()
	taller := func(what string) box {
		t.Helper()
		b := s.own()
		if b.rows <= small.rows || b.x != small.x || b.y != small.y || b.columns != small.columns {
			t.Errorf("%s it is %v, and was %v", what, b, small)
		}
		return b
	}
	s.press("?")
	taller("with the help")
	s.press("Esc", "4")
	entry := s.own()
	s.paste("one\ntwo\nthree\nfour\nfive\nsix")
	if b := s.own(); b.rows <= entry.rows {
		t.Errorf("with six lines it has %d rows, and had %d", b.rows, entry.rows)
	}
	s.shows("one")
	s.shows("six")
	s.paste(strings.Repeat("\nmore", 50))
	if b := s.own(); b.rows > 30 {
		t.Errorf("it has %d rows", b.rows)
	}
	s.press("Esc", "Up")
	s.resize(59, 20)
	if b := s.own(); b.columns == 59 {
		t.Errorf("on 59 columns there is a box: %v", b)
	}
	s.resize(120, 40)
	if b := s.own(); b.columns != small.columns || b.x != 22 {
		t.Errorf("on 120 columns it is %v", b)
	}
}

// What is looked at by itself has all of the terminal.
func TestOwnBoxGivesWay(t *testing.T) {
	t.Parallel()
	s := boxed(t, oneQuestion, 100, 30)
	s.view.showPeek("$ make\n", nil)
	s.draw()
	if b := s.own(); b.columns != 100 || b.rows != 30 {
		t.Errorf("with the pane on view it is %v", b)
	}
}

// The mouse means the cell that it is on, and nothing beside the box.
func TestOwnBoxMouse(t *testing.T) {
	t.Parallel()
	boxed(t, oneQuestion, 100, 30).mouse(tview.MouseLeftClick, "SQLite")
	s := boxed(t, oneQuestion, 100, 30)
	for y := range 30 {
		for _, x := range []int{0, 11, 12, 87, 88, 99} {
			s.view.MouseHandler()(tview.MouseLeftClick, tcell.NewEventMouse(x, y, tcell.Button1, 0), func(tview.Primitive) {})
		}
	}
	s.at(machine.List, 0, 0)
	s.mouse(tview.MouseLeftClick, "DuckDB")
	if _, over := s.m.Result(); !over {
		t.Errorf("a click on a choice does nothing:\n%s", s.text())
	}
}

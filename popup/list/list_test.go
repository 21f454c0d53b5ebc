package list

import (
	"fmt"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// numbered returns a list of as many items as n says.
func numbered(n *int, open func()) *Screen[int] {
	s := New(0, nil, func(string) (items []string) {
		for i := range *n {
			items = append(items, fmt.Sprint(i))
		}
		return items
	}, open)
	s.Refresh()
	return &s
}

// The row in focus stays on view, in a list of any length on a screen of any height.
func TestListKeepsItsFocusOnView(t *testing.T) {
	t.Parallel()
	for height := 1; height <= 20; height++ {
		for n := 0; n <= 30; n++ {
			length := n
			l := numbered(&length, nil)
			l.SetRect(0, 0, 40, height)
			for _, by := range []int{0, 5, -2, 100, -7, -100, 1} {
				l.Move(by)
				l.Layout(2)
				from, to := l.Visible()
				if n > 0 && (l.Row < from || l.Row >= to) || from < 0 || to > n || to-from > l.Height {
					t.Fatalf("%d rows in %d: row %d has the focus, and %d to %d are on view", n, height, l.Row, from, to)
				}
				if n >= l.Height && to-from < l.Height {
					t.Fatalf("%d rows in %d: only %d to %d of %d are on view", n, height, from, to, l.Height)
				}
			}
			length = n / 2
			l.Refresh()
			if l.Layout(2); l.Row > max(0, length-1) {
				t.Fatalf("row %d of %d has the focus", l.Row, length)
			}
		}
	}
}

func TestListMouse(t *testing.T) {
	t.Parallel()
	opened, length := 0, 20
	l := numbered(&length, func() { opened++ })
	l.SetRect(0, 3, 40, 10)
	l.Layout(2)
	do := func(action tview.MouseAction, y int) bool {
		took, _ := l.MouseHandler()(action, tcell.NewEventMouse(1, y, 0, 0), nil)
		l.Layout(2)
		return took
	}
	if !do(tview.MouseLeftClick, l.Y(4)) || l.Row != 4 || opened != 0 {
		t.Errorf("a click: row %d, opened %d times", l.Row, opened)
	}
	if !do(tview.MouseLeftClick, l.Y(4)) || opened != 1 {
		t.Errorf("a second one: opened %d times", opened)
	}
	if !do(tview.MouseScrollDown, 5) || l.Row != 5 || !do(tview.MouseScrollUp, 5) || l.Row != 4 {
		t.Errorf("the wheel: row %d", l.Row)
	}
	for _, y := range []int{3, l.Y(l.Height), 12} {
		if do(tview.MouseLeftClick, y) || l.Row != 4 || opened != 1 {
			t.Errorf("a click at %d, where no row is: row %d, opened %d times", y, l.Row, opened)
		}
	}
}

package popup

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/machine"
)

// A drag that is let go of beside the entry is over: moving back over the entry, with no button
// down, selects nothing that the next key would replace.
func TestDragEndsBesideTheEntry(t *testing.T) {
	t.Parallel()
	s := newStage(t, `{"questions":[{"id":"a","type":"text","prompt":"Why?"}]}`, nil, 62, 16).press("Enter", "one two")
	x, y := 0, 0
	for row, said := range s.rows() {
		if i := strings.Index(said, "one two"); i >= 0 {
			x, y = cells.Width(said[:i]), row
		}
	}
	var has tview.Primitive = s.view // whoever captures the mouse gets what it does next
	does := func(action tview.MouseAction, x, y int, button tcell.ButtonMask) {
		_, captured := has.MouseHandler()(action, tcell.NewEventMouse(x, y, button, 0), func(tview.Primitive) {})
		if has = s.view; captured != nil {
			has = captured
		}
	}
	does(tview.MouseLeftDown, x+1, y, tcell.Button1)
	does(tview.MouseMove, x+2, y, tcell.Button1)
	does(tview.MouseMove, x+2, y+3, tcell.Button1)
	does(tview.MouseLeftUp, x+2, y+3, 0)
	does(tview.MouseMove, x+6, y, 0)
	if s.press("End", "!"); s.m.Buffer() != "one two!" {
		t.Errorf("the entry holds %q", s.m.Buffer())
	}
	if does(tview.MouseMove, x, y, 0); s.press("?").m.Buffer() != "one two!?" {
		t.Errorf("the entry holds %q", s.m.Buffer())
	}
}

// A colon swallows keys on a list until Enter or Esc; whoever clicks on a choice instead types
// to what that opens.
func TestClickEndsACommand(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 62, 16).press(":").mouse(tview.MouseLeftClick, "Something")
	if s.at(machine.Entry, 0, 3); s.press("both").m.Buffer() != "both" {
		t.Errorf("the entry holds %q", s.m.Buffer())
	}
}

package popup

import (
	"strings"
	"testing"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// A colon swallows keys on a list until Enter or Esc; whoever clicks on a choice instead types
// to what that opens.
func TestClickEndsACommand(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 62, 16).press(":").mouse(tview.MouseLeftClick, "Something")
	if s.at(machine.Entry, 0, 3); s.press("both").m.Buffer() != "both" {
		t.Errorf("the entry holds %q", s.m.Buffer())
	}
}

// A click where the entry was before it was scrolled away is on what stands there now.
func TestClickWhereTheEntryWas(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 34, 7).press("End", "Enter", "mine").at(machine.Entry, 0, 3).press("PgUp")
	const there = "One file, no server"
	if _, y, _, _ := s.view.entry.GetRect(); y > 0 && !strings.Contains(s.rows()[y], there) {
		t.Fatalf("the entry was in row %d of\n%s", y, s.text())
	}
	s.mouse(tview.MouseLeftDown, there).mouse(tview.MouseLeftUp, there).mouse(tview.MouseLeftClick, there).answered(form.Choose(1))
}

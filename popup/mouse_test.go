package popup

import (
	"testing"

	"github.com/rivo/tview"

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

package popup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/machine"
)

// A long preview scrolls by itself: with PgDn and PgUp, and with the wheel where it is.
// The options stay, e gives it all the room, and Esc gives that back and cancels nothing.
func TestPreviewScrolls(t *testing.T) {
	t.Parallel()
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %03d", i+1)
	}
	request := fmt.Sprintf(`{"questions":[{"header":"Store","question":"Which store?","options":[{"label":"Redis","preview":%q},{"label":"SQLite","preview":"one file"}]}]}`, strings.Join(lines, "\n"))
	for name, size := range map[string][2]int{"beside": {100, 20}, "below": {62, 20}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, request, nil, size[0], size[1])
			s.shows("line 001")
			s.shows("Which store?")
			s.shows("SQLite")
			s.press("PgDn")
			s.shows("line 014")
			s.shows("Which store?")
			s.shows("SQLite")
			s.hides("line 002")
			s.press("PgUp")
			s.shows("line 001")
			s.shows("Which store?")
			s.mouse(tview.MouseScrollDown, "line 003")
			s.shows("Which store?")
			s.shows("line 004")
			s.hides("line 001")
			s.press("Down")
			s.shows("one file")
			s.press("Up", "e")
			s.shows("line 001")
			s.shows("line 014")
			s.shows("Esc back")
			s.hides("Which store?")
			s.press("PgDn", "Esc").at(machine.List, 0, 0)
			s.shows("Which store?")
			s.shows("line 001")
		})
	}
}

// Beside the options a preview gets what they do not need, from 100 columns of
// terminal on; nothing moves where an option has none.
func TestPreviewGetsTheRoom(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("wide ", 13) + "end"
	request := fmt.Sprintf(`{"questions":[{"header":"Store","question":"Which?","options":[{"label":"Redis","preview":%q},{"label":"SQLite"}]}]}`, wide)
	s := newStage(t, request, nil, 86, 20)
	s.shows("│ " + wide)
	newStage(t, request, nil, 83, 20).shows("\n  ╭")
}

// What is typed is on view where a preview has all the room, too.
func TestTypedBesideAnExpandedPreview(t *testing.T) {
	t.Parallel()
	s := newStage(t, permitted, nil, 62, 16).press("e")
	s.hides("Yes, once")
	s.press("where else").at(machine.Entry, 0, 3).shows("│ where else")
	s.press("Esc").shows("Esc back")
	many := ""
	for i := range 11 {
		many += fmt.Sprintf(`,{"value":"v%d","label":"Region %d"}`, i, i)
	}
	request := `{"questions":[{"type":"choice","id":"r","header":"R","prompt":"Where?","options":[{"value":"a","label":"A","preview":"one"}` + many + `]}]}`
	newStage(t, request, nil, 62, 24).press("e", "/", "gion 7").shows("/ gion 7")
}

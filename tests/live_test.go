package tests

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/drafts"
	"github.com/askpane/askpane/popup/machine"
)

// typedElsewhere types into the entry of the only question, as another surface would,
// by its choice other; write waits until that is on the disk.
func typedElsewhere(t testing.TB, dir spoolDir, id string, other int) (write func(text string)) {
	t.Helper()
	sp, err := spool.Open(string(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	entry, err := sp.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { entry.Close() })
	req, err := entry.Request()
	if err != nil {
		t.Fatal(err)
	}
	page := machine.New(&req.Form, nil, true).As("browser")
	page.Handle(machine.Event{Action: machine.Pick, N: other})
	return func(text string) {
		t.Helper()
		page.Handle(machine.Event{Action: machine.Type, Text: text})
		merged, _, err := drafts.Write(entry, page.Draft())
		if err != nil {
			t.Fatal(err)
		}
		page.Meet(merged)
	}
}

// What another surface writes is in the popup, what is typed under its fingers stays, and
// the offer is taken.
func TestTmuxLiveDraft(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	openEntry(place{terminal: v}, 4)
	id := s.spool.only(t)
	write := typedElsewhere(t, s.spool, id, 4)
	write("from afar")
	v.see("│ from afar")
	v.press("!")
	v.see("│ from afar!")
	eventually(t, "it is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "from afar!") })
	write("from the sofa")
	v.see("│ from afar!", "Another text was typed here: “from the sofa”. Ctrl+T/Alt+t takes it.")
	v.press("\x14") // Ctrl+T
	v.see("│ from the sofa", "“from afar!”")
	v.press(enter)
	a.answered("Colour: user wrote: from the sofa")
}

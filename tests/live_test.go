package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// What another surface writes is in the popup within 100 ms, what is typed under its
// fingers stays, and the offer is taken. The machine may be busy with other tests: of
// some texts one has to be there in time.
func TestTmuxLiveDraft(t *testing.T) {
	t.Parallel()
	const late, times = 100 * time.Millisecond, 10
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	openEntry(place{terminal: v}, 4)
	id := s.spool.only(t)
	write := typedElsewhere(t, s.spool, id, 4)
	best := slack
	for n := range times {
		text := fmt.Sprintf("from afar %d", n)
		write(text)
		written := time.Now()
		v.see("│ " + text)
		best = min(best, time.Since(written))
	}
	if best > late {
		t.Errorf("the best of %d took %v", times, best)
	}
	v.press("!")
	v.see("│ from afar 9!")
	eventually(t, "it is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "from afar 9!") })
	write("from the sofa")
	v.see("│ from afar 9!", "Another text was typed here: “from the sofa”. Ctrl+T/Alt+t takes it.")
	v.press("\x14") // Ctrl+T
	v.see("│ from the sofa", "“from afar 9!”")
	v.press(enter)
	a.answered("Colour: user wrote: from the sofa")
}

package tests

import (
	"testing"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
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
		merged, _, err := sitting.Write(entry, page.Draft())
		if err != nil {
			t.Fatal(err)
		}
		page.Meet(merged)
	}
}

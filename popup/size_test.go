package popup

import (
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// What was typed makes a form larger where the host can resize the popup, with room for more.
func TestTypedMakesRoom(t *testing.T) {
	t.Parallel()
	f := &form.Form{Questions: []form.Question{{ID: "q", Label: "Q", Kind: form.Text, Open: true, Multiline: true, Prompt: "Why?"}}}
	m := machine.New(f, nil, true)
	rows := func() int {
		_, rows := wants(m, scene.Status{}, "", true, 100)
		return rows
	}
	untouched := rows()
	for i, lines := range []string{"one", "1\n2\n3\n4\n5\n6\n7\n8\n9"} {
		m.Handle(machine.Event{Action: machine.Type, Text: lines})
		if got := rows(); i == 0 && got != untouched || i == 1 && got != untouched+8 {
			t.Errorf("%q: %d rows, and untouched %d", lines, got, untouched)
		}
	}
}

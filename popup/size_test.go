package popup

import (
	"strings"
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

// What is typed stays on view, with every key and where a notice takes its rows.
func TestTypedStaysOnView(t *testing.T) {
	t.Parallel()
	for _, height := range []int{4, 5, 6} {
		s := newStage(t, oneQuestion, nil, 18, height).press("4")
		for _, word := range []string{"one ", "two ", "three ", "four ", "five "} {
			s.press(word)
			s.shows(strings.TrimSpace(word))
		}
	}
	s := newStage(t, oneQuestion, nil, 62, 9).press("4", "eins")
	s.st.Notice = strings.Repeat("What you type is not being saved. ", 4)
	s.draw()
	s.shows("eins")
	s.press("PgUp")
	s.draw()
	s.hides("eins")
}

package machine

import (
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// FuzzMachine reads a form and a run of events from data and holds the package's
// rule: no panic, no answer that the form would not take, no text lost.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{0, 2, 1, 4, 4}, false)
	f.Add([]byte{2, 2, 0, 1, 5, 1, 5, 2, 4, 3}, false)
	f.Add([]byte{1, 1, 1, 5, 2, 9, 40, 10, 4, 9, 80, 11, 12}, true)
	f.Add([]byte{3, 0, 0, 0, 0, 8, 3, 4, 5, 1, 9, 1, 10, 8, 3, 4, 13}, true)
	f.Add([]byte{}, false)
	f.Fuzz(func(t *testing.T, data []byte, closed bool) {
		next := func() int {
			if len(data) == 0 {
				return 0
			}
			b := int(data[0])
			data = data[1:]
			return b
		}
		sizes := make([]int, 1+next()%4)
		for i := range sizes {
			sizes[i] = next() % 4
		}
		fm := newForm(sizes...)
		if closed { // questions without a text; those have an option at least
			for i := range fm.Questions {
				if len(fm.Questions[i].Options) > 0 {
					fm.Questions[i].Other = ""
				}
			}
		}
		m := New(fm, nil)
		texts := make([]string, len(sizes))
		for len(data) > 0 {
			e := Event{Action: Action(next() % int(End+2))} // and one that there is not
			switch e.Action {
			case Pick, GoTo:
				e.N = next()%8 - 2
			case Type:
				e.Text = string(data[:min(len(data), next()%5)])
				if m.Mode() == Entry {
					texts[m.Step()] = e.Text
				}
			}
			m.Handle(e)
			hold(t, fm, m, texts)
		}
	})
}

func hold(t *testing.T, f *form.Form, m *Machine, texts []string) {
	t.Helper()
	for i, text := range texts {
		if m.EntryText(i) != text {
			t.Fatalf("the text of question %d was %q and is %q", i, text, m.EntryText(i))
		}
		if a := m.Answer(i); a.Given() {
			if err := f.Questions[i].Check(a); err != nil {
				t.Fatalf("question %d holds an answer that %v", i, err)
			}
		}
	}
	r, over := m.Result()
	if over != (m.Mode() == Over) {
		t.Fatalf("result %v in mode %s", over, m.Mode())
	}
	if over {
		if err := f.Check(r); err != nil {
			t.Fatalf("result %+v: %v", r, err)
		}
	}
	roundTrip(t, f, m)
}
